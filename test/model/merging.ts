// What a merge makes of contacts in the model: all moves to the survivor, whose empty fields are filled (schema, mergeContacts).
import type { Json } from '../harness/app.ts';
import { findGraphName } from './graph-names.ts';
import {
  type Answer,
  fieldNames,
  flags,
  hasValue,
  type Model,
  type Person,
  partNames,
  Refused,
  relations,
} from './model.ts';

const takesOne = ({ form }: Answer): boolean => ['radio', 'select'].includes(form.type);
/** One answer of a reference value, and of a form that keeps one, one of the form. */
const placeOf = (answer: Answer): string => (takesOne(answer) ? `form ${answer.form.id}` : `ref ${answer.ref}`);
const say = ({ form, ref, data }: Answer): string => {
  const { value, label } = form.refs.find(({ id }) => id === ref)!;
  return data || value || label;
};

interface Kept {
  answer: Answer;
  of: Person;
}

/** What stays of all answers: where a form keeps one, the latest by its date; else that of the survivor, else the one written last. */
const chooseAnswers = (survivor: Person, others: Person[]): Map<string, Kept> => {
  const all = [survivor, ...others].flatMap((of) => of.answers.map((answer): Kept => ({ answer, of })));
  const dated = ({ answer }: Kept): number =>
    takesOne(answer) && answer.date ? Date.parse(answer.date) : Number.NEGATIVE_INFINITY;
  const compare = (one: Kept, other: Kept): number =>
    (dated(one) === dated(other) ? 0 : dated(other) - dated(one)) ||
    Number(other.of === survivor) - Number(one.of === survivor) ||
    other.answer.at - one.answer.at ||
    other.answer.id! - one.answer.id!;
  const kept = new Map<string, Kept>();
  for (const one of all.sort(compare)) if (!kept.has(placeOf(one.answer))) kept.set(placeOf(one.answer), one);
  return kept;
};

/** The answers of this person that another one's replaces. */
const droppedAnswers = (person: Person, kept: Map<string, Kept>): Json[] =>
  person.answers.flatMap((answer) => {
    const winner = kept.get(placeOf(answer))!;
    const [keeps, drops] = [say(winner.answer), say(answer)];
    if (winner.of === person || (winner.answer.ref === answer.ref && keeps === drops)) return [];
    return [{ contactId: `Contact:${person.id}`, field: `Form:${answer.form.id}`, kept: keeps, dropped: drops }];
  });

/** Parts that follow from others do not make two addresses. */
const derived = ['citycode', 'latitude', 'longitude', 'location', 'score', 'pollingStation', 'invalid'];
const bare = (value: Json): string =>
  String(value)
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

const combineAddresses = (people: Person[]): Json => {
  let kept: Json = null;
  for (const { address } of people) {
    if (!address) continue;
    const differs = (part: string): boolean =>
      hasValue(kept?.[part]) && hasValue(address[part]) && bare(kept[part]) !== bare(address[part]);
    if (partNames.some((part) => !derived.includes(part) && differs(part))) continue;
    kept = { ...address, ...Object.fromEntries(Object.entries(kept ?? {}).filter(([, value]) => hasValue(value))) };
  }
  return kept;
};

const combineFields = (people: Person[]): Record<string, Json> => {
  const [survivor] = people as [Person];
  const fields = { ...survivor.fields };
  for (const name of [...fieldNames, 'userContactId'].filter((one) => !flags.includes(one))) {
    const first = people.map((one) => one.fields[name]).find(hasValue);
    if (first !== undefined) fields[name] = first;
  }
  const same = (name: string) => people.filter((one) => (one.fields[name] ?? '') === (fields[name] ?? ''));
  fields.phoneInvalid = same('phone').some((one) => one.fields.phoneInvalid);
  fields.mobileInvalid = same('mobile').some((one) => one.fields.mobileInvalid);
  fields.blackList = people.some((one) => one.fields.blackList);
  return fields;
};

const listConflicts = (other: Person, fields: Json, address: Json): Json[] => {
  const differing = (inputType: string, names: string[], kept: Json, dropped: Json): Json[] =>
    names
      .filter((name) => hasValue(dropped?.[name]) && String(kept?.[name] ?? '') !== String(dropped[name]))
      .map((name) => ({
        contactId: `Contact:${other.id}`,
        field: findGraphName(inputType, name),
        kept: String(kept?.[name] ?? ''),
        dropped: String(dropped[name]),
      }));
  const names = [...fieldNames, 'userContactId'].filter((name) => !flags.includes(name));
  return [
    ...differing('ContactUpdateInput', names, fields, other.fields),
    ...differing('ContactAddressInput', partNames, address, other.address),
  ];
};

export interface Merged {
  conflicts: Json[];
  moved: Record<string, number>;
  apply(): void;
}

export const planMerge = (model: Model, by: number, survivorId: number, ids: number[]): Merged => {
  if (new Set([survivorId, ...ids]).size !== ids.length + 1) throw new Refused(422);
  const survivor = model.livingUnder(survivorId, 422);
  const others = ids.map((id) => model.livingUnder(id, 422));
  const people = [survivor, ...others];
  const kept = chooseAnswers(survivor, others);
  const [fields, address] = [combineFields(people), combineAddresses(people)];
  const fresh = (of: (person: Person) => Set<unknown>): unknown[] =>
    [...new Set(others.flatMap((other) => [...of(other)]))].filter((one) => !of(survivor).has(one));
  const counts = {
    ...Object.fromEntries(relations.map((name) => [name, ids.flatMap((id) => model.on(name, id)).length])),
    answers: [...kept.values()].filter(({ of }) => of !== survivor).length,
    tags: fresh(({ tags }) => tags).length,
    actions: fresh(({ actions }) => actions).length,
  };
  const apply = (): void => {
    const pinned = (ids: number[]) => ids.flatMap((id) => model.on('notes', id)).filter(({ fields }) => fields.pinned);
    const [first] = [...pinned([survivorId]), ...pinned(ids).sort((one, other) => other.id - one.id)];
    for (const note of pinned(ids)) note.fields.pinned = note === first;
    for (const name of relations)
      for (const record of model.hung[name].values()) if (ids.includes(record.contact)) record.contact = survivorId;
    survivor.answers = [...kept.values()].map(({ answer }) => answer);
    survivor.fields = fields;
    survivor.address = address;
    for (const other of others) {
      survivor.formerMails.push(...(other.fields.mail ? [other.fields.mail] : []), ...other.formerMails);
      for (const tag of other.tags) survivor.tags.add(tag);
      for (const action of other.actions) survivor.actions.add(action);
    }
    for (const person of model.persons.values())
      if (ids.includes(person.id) || ids.includes(person.mergedInto ?? -1)) {
        person.deleted = true;
        person.mergedInto = survivorId;
      }
    // The ids of the others answer with the survivor: in a version that none of them had, their burial included.
    survivor.version = Math.max(survivor.version, ...others.map(({ version }) => version + 1));
    model.touch(survivorId, by);
  };
  return {
    conflicts: [
      ...others.flatMap((other) => listConflicts(other, fields, address)),
      ...people.flatMap((person) => droppedAnswers(person, kept)),
    ],
    moved: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    apply,
  };
};
