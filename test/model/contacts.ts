// What creating, changing, upserting, deleting and restoring make of contacts in the model (spec §4.14; decisions §3).
import type { Json } from '../harness.ts';
import { fold } from '../search/oracle-text.ts';
import type { Form } from './ground.ts';
import { type Answer, fieldNames, flags, type Model, type Person, Refused } from './model.ts';

const single = ['radio', 'select'];
const choices = [...single, 'checkbox'];

/** The lists of an upsert, and the kind of form that each answers. */
export const lists: Record<string, string> = {
  ...{ consents: 'consent', status: 'level_of_support', forms: 'survey', customFields: 'custom_fields' },
  ...{ actions: 'tasks', namePresences: 'presence_status' },
};

/**
 * Replaces the answers to some forms by those given. One to the same reference value is the same answer, if it was there before
 * the write: what is not said of it stays.
 */
const replaceAnswers = (
  model: Model,
  person: Person,
  { replaced, given, was }: { replaced: (answer: Answer) => boolean; given: Json[]; was: readonly Answer[] },
): void => {
  const stay = person.answers.filter((answer) => !replaced(answer));
  const before = person.answers.filter(replaced);
  const now = given.map(({ formId, formRefId, ...said }: Json): Answer => {
    const isIt = ({ form, ref }: Answer): boolean => form.id === formId && ref === formRefId;
    const first = was.find(isIt);
    const none = { form: model.form(formId)!, ref: formRefId, data: null, date: null, survey: null, at: 0 };
    const answer = { ...(before.find(isIt) ?? first ?? none) };
    if ('data' in said) answer.data = said.data;
    if ('date' in said) answer.date = said.date;
    if ('surveyId' in said) answer.survey = said.surveyId;
    const same = first && answer.data === first.data && answer.date === first.date && answer.survey === first.survey;
    return { ...answer, at: same ? first.at : model.now };
  });
  person.answers = [...stay, ...now];
};

/** 422 for answers of a list that name no reference value of a form of its sort, or answer twice what keeps one answer. */
const checkAnswers = (model: Model, given: Json[], custom: boolean): void => {
  const seen = new Set<number>();
  for (const { formId, formRefId } of given) {
    const form = model.form(formId);
    if (!form || (form.kind === 'custom_fields') !== custom) throw new Refused(422);
    if (!form.refs.some(({ id }) => id === formRefId)) throw new Refused(422);
    if (single.includes(form.type) && seen.has(formId)) throw new Refused(422);
    seen.add(formId);
  }
};

/** What is refused of content, whichever way it is written. */
const check = (model: Model, content: Json, self?: number): void => {
  if (content.ageCategory > 6) throw new Refused(400);
  for (const id of content.actionIds ?? []) if (!model.ground.actions.includes(id)) throw new Refused(422);
  checkAnswers(model, content.answers ?? [], false);
  if (!content.upsert) checkAnswers(model, content.customFields ?? [], true);
  if (content.userContactId != null && ![model.ground.boss, model.ground.plain].includes(content.userContactId))
    throw new Refused(422);
  model.requireFree(content.externalId, self);
};

/** What is left out stays, null clears, a list replaces the whole list. */
const write = (model: Model, person: Person, content: Json): void => {
  for (const name of [...fieldNames, 'userContactId'])
    if (name in content) person.fields[name] = flags.includes(name) ? content[name] === true : content[name];
  if (content.address === null) person.address = null;
  else if (content.address && Object.keys(content.address).length > 0)
    person.address = { ...person.address, ...content.address };
  if ('tags' in content) {
    person.tags = new Set((content.tags ?? []).map(({ name }: Json) => name));
    for (const { name, color } of content.tags ?? []) if (!model.tags.has(name)) model.tags.set(name, color ?? null);
  }
  if ('actionIds' in content) person.actions = new Set(content.actionIds ?? []);
  const custom = ({ form }: Answer): boolean => form.kind === 'custom_fields';
  const was = person.answers;
  if ('answers' in content)
    replaceAnswers(model, person, { replaced: (answer) => !custom(answer), given: content.answers ?? [], was });
  if ('customFields' in content && !content.upsert)
    replaceAnswers(model, person, { replaced: custom, given: content.customFields ?? [], was });
};

const fresh = (model: Model, id: number, by: number, content: Json): Person => {
  const empty = Object.fromEntries(flags.map((name) => [name, false]));
  const lists = { tags: new Set<string>(), actions: new Set<number>(), answers: [] };
  const person = { id, fields: empty, address: null, ...lists, version: 1, by, deleted: false, mergedInto: null };
  model.persons.set(id, person);
  write(model, person, content);
  return person;
};

export const create = (model: Model, by: number, content: Json) => {
  check(model, content);
  return (id: number): void => void fresh(model, id, by, content);
};

export const update = (model: Model, by: number, id: number, content: Json, expected?: number): (() => void) => {
  if (content.ageCategory > 6) throw new Refused(400);
  const person = model.held(id);
  if (expected !== undefined && expected !== person.version) throw new Refused(412);
  check(model, content, id);
  return () => {
    write(model, person, content);
    model.touch(id, by);
  };
};

export const remove = (model: Model, by: number, id: number): (() => void) => {
  const person = model.held(id);
  return () => {
    person.deleted = true;
    model.touch(id, by);
  };
};

export const restore = (model: Model, by: number, id: number): (() => void) => {
  const person = model.persons.get(id);
  if (!person?.deleted || person.mergedInto !== null) throw new Refused(404);
  model.requireFree(person.fields.externalId, id);
  return () => {
    person.deleted = false;
    model.touch(id, by);
  };
};

const folded = (value: Json): string => fold(value ?? '');

const hasPlace = (address: Json): boolean =>
  ['city', 'postalCode', 'street'].some((part) => folded(address?.[part]) !== '');

/** Birthdates and addresses speak for one person, where both have them. */
const maybeOne = (person: Person, record: Json): boolean => {
  const compared = person.fields.birthdate != null && record.birthdate != null;
  if (compared && person.fields.birthdate !== record.birthdate) return false;
  if (!hasPlace(person.address) || !hasPlace(record.address)) return true;
  const same = (part: string): boolean => folded(person.address![part]) === folded(record.address[part]);
  const both = (part: string): boolean => same(part) && folded(record.address[part]) !== '';
  return (both('city') || both('postalCode')) && (compared || same('street'));
};

/** Whom a record means; the oldest of several. */
export const match = (model: Model, record: Json): Person | undefined => {
  const named = record.id == null ? undefined : model.read(record.id);
  if (named) return named;
  const is = (name: string) => (person: Person) => folded(person.fields[name]) === folded(record[name]);
  const isOrOpen = (name: string) => (person: Person) => folded(record[name]) === '' || is(name)(person);
  const mailed =
    folded(record.mail) !== '' &&
    model.living().find((one) => is('mail')(one) && isOrOpen('firstname')(one) && isOrOpen('surname')(one));
  if (mailed) return mailed;
  if (folded(record.surname) === '') return undefined;
  return model.living().find((one) => is('surname')(one) && is('firstname')(one) && maybeOne(one, record));
};

const alike = (one: string | null, other: string): boolean => one?.trim().toLowerCase() === other.trim().toLowerCase();

/** What an answer by id or label, in words, comes to: a reference value and its text, or none when it is taken back. */
const said = (model: Model, kind: string, { id, label, value }: Json): { form: Form; ref?: number; data?: string } => {
  const form = model.ground.forms.find(
    (one) => one.kind === kind && (id == null ? one.label === label : one.id === id),
  );
  if (!form) throw new Refused(422);
  if (value === null) return { form };
  if (!choices.includes(form.type)) return { form, ref: form.refs[0]!.id, data: value };
  const ref = form.refs.find((one) => alike(one.value, value)) ?? form.refs.find((one) => alike(one.label, value));
  if (!ref) throw new Refused(422);
  return { form, ref: ref.id, data: ref.value ?? ref.label };
};

/** Yields what to do once the id of a new contact is known, and who is meant. */
export const upsert = (model: Model, by: number, record: Json) => {
  if (record.ageCategory > 6) throw new Refused(400);
  const content = { ...record, upsert: true };
  const answers = Object.entries(lists).flatMap(([list, kind]) =>
    (record[list] ?? []).map((one: Json) => said(model, kind, one)),
  );
  const meant = match(model, record);
  check(model, content, meant?.id);
  return {
    meant: meant?.id,
    apply: (id: number): void => {
      const was = meant?.answers ?? [];
      if (meant) {
        write(model, meant, content);
        model.touch(meant.id, by);
      } else fresh(model, id, by, content);
      const person = model.persons.get(id)!;
      for (const { form, ref, data } of answers) {
        const whole = ref === undefined || form.type !== 'checkbox';
        const given = ref === undefined ? [] : [{ formId: form.id, formRefId: ref, data }];
        const replaced = (one: Answer): boolean => one.form.id === form.id && (whole || one.ref === ref);
        replaceAnswers(model, person, { replaced, given, was });
      }
    },
  };
};
