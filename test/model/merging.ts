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

/** One answer of a reference value, and of a form that keeps one, one of the form. */
const placeOf = ({ form, ref }: Answer): string =>
  ['radio', 'select'].includes(form.type) ? `form ${form.id}` : `ref ${ref}`;

/** The answers of the others that come along: to what the survivor has not answered, the newest. */
const incoming = (survivor: Person, others: Person[]): Answer[] => {
  const newest = others
    .flatMap(({ answers }) => answers)
    .sort((one, other) => other.at - one.at || other.id! - one.id!);
  const taken = new Set(survivor.answers.map(placeOf));
  return newest.filter((answer) => {
    const place = placeOf(answer);
    const free = !taken.has(place);
    taken.add(place);
    return free;
  });
};

const conflictsOf = (survivor: Person, other: Person): Json[] => {
  const differing = (inputType: string, names: string[], kept: Json, dropped: Json): Json[] =>
    names
      .filter((name) => hasValue(kept?.[name]) && hasValue(dropped?.[name]) && kept[name] !== dropped[name])
      .map((name) => ({
        contactId: `Contact:${other.id}`,
        field: findGraphName(inputType, name),
        kept: String(kept[name]),
        dropped: String(dropped[name]),
      }));
  const names = fieldNames.filter((name) => !flags.includes(name));
  return [
    ...differing('ContactUpdateInput', names, survivor.fields, other.fields),
    ...differing('ContactAddressInput', partNames, survivor.address, other.address),
  ];
};

export interface Merged {
  conflicts: Json[];
  moved: Record<string, number>;
  apply(): void;
}

export const planMerge = (model: Model, by: number, survivorId: number, ids: number[]): Merged => {
  if (new Set([survivorId, ...ids]).size !== ids.length + 1) throw new Refused(422);
  const survivor = model.held(survivorId, 422);
  const others = ids.map((id) => model.held(id, 422));
  const answers = incoming(survivor, others);
  const fresh = (of: (person: Person) => Set<unknown>): unknown[] =>
    [...new Set(others.flatMap((other) => [...of(other)]))].filter((one) => !of(survivor).has(one));
  const counts = {
    ...Object.fromEntries(relations.map((name) => [name, ids.flatMap((id) => model.on(name, id)).length])),
    answers: answers.length,
    tags: fresh(({ tags }) => tags).length,
    actions: fresh(({ actions }) => actions).length,
  };
  const apply = (): void => {
    const pinned = (ids: number[]) => ids.flatMap((id) => model.on('notes', id)).filter(({ fields }) => fields.pinned);
    const [first] = [...pinned([survivorId]), ...pinned(ids).sort((one, other) => other.id - one.id)];
    for (const note of pinned(ids)) note.fields.pinned = note === first;
    for (const name of relations)
      for (const record of model.hung[name].values()) if (ids.includes(record.contact)) record.contact = survivorId;
    survivor.answers.push(...answers);
    for (const other of others) {
      for (const name of fieldNames) {
        if (flags.includes(name)) survivor.fields[name] ||= other.fields[name];
        else if (!hasValue(survivor.fields[name]) && hasValue(other.fields[name]))
          survivor.fields[name] = other.fields[name];
      }
      survivor.fields.userContactId ??= other.fields.userContactId;
      survivor.address ??= other.address && { ...other.address };
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
    conflicts: others.flatMap((other) => conflictsOf(survivor, other)),
    moved: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    apply,
  };
};
