// What creating, changing, upserting, deleting and restoring make of contacts in the model (spec §4.14; decisions §3).
import type { Json } from '../harness/app.ts';
import { foldText } from '../search/oracle-text.ts';
import type { Form } from './ground.ts';
import { type Answer, fieldNames, flags, type Model, type Person, Refused } from './model.ts';

const single = ['radio', 'select'];
const choices = [...single, 'checkbox'];

/** The lists of an upsert, and the kind of form that each answers. */
export const lists: Record<string, string> = {
  consents: 'consent',
  status: 'level_of_support',
  forms: 'survey',
  customFields: 'custom_fields',
  actions: 'tasks',
  namePresences: 'presence_status',
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
const checkAnswers = (model: Model, given: Json[], custom?: boolean): void => {
  const seen = new Set<number>();
  for (const { formId, formRefId } of given) {
    const form = model.form(formId);
    if (!form || (custom !== undefined && (form.kind === 'custom_fields') !== custom)) throw new Refused(422);
    if (!form.refs.some(({ id }) => id === formRefId)) throw new Refused(422);
    if (single.includes(form.type) && seen.has(formId)) throw new Refused(422);
    seen.add(formId);
  }
};

const isBlank = (value: Json): boolean => typeof value === 'string' && value.trim() === '';

/** Empty texts are no values: of an upsert they were not sent, else they are null. */
const withoutBlanks = (said: Json, upserts: boolean): Json =>
  Object.fromEntries(
    Object.entries(said as Record<string, Json>)
      .filter(([, value]) => !upserts || !isBlank(value))
      .map(([name, value]) => [name, isBlank(value) ? null : value]),
  );

const clean = (content: Json, upserts: boolean): Json => {
  const said = withoutBlanks(content, upserts);
  if (said.address) said.address = withoutBlanks(said.address, upserts);
  for (const list of ['answers', 'customFields'])
    if (said[list] && !(upserts && list === 'customFields'))
      said[list] = said[list].map((answer: Json) => withoutBlanks(answer, upserts));
  return said;
};

/** 400 for an input that is wrong whatever is stored. */
const checkInput = (content: Json, but: string[] = []): void => {
  const said = Object.entries(content).filter(([name, value]) => value !== undefined && !but.includes(name));
  if (content.ageCategory > 6 || said.length === 0) throw new Refused(400);
};

/** Whether free input may be what its form asks for. */
const canBe = (type: string | undefined, data: Json): boolean => {
  if (data == null || isBlank(data)) return true;
  if (type === 'numeric') return !Number.isNaN(Number(data));
  return type !== 'date' || /^\d{4}-\d{2}-\d{2}$/.test(data);
};

/** 400 for values that cannot be right, where the contact has them not already. */
const checkValues = (model: Model, content: Json, person: Person | undefined, given: Json[]): void => {
  const isNew = (name: string): boolean => content[name] != null && content[name] !== person?.fields[name];
  if (isNew('mail') && !/^\S+@\S+\.\S+$/.test(content.mail.trim())) throw new Refused(400);
  for (const name of ['phone', 'mobile']) if (isNew(name) && !/\d/.test(content[name])) throw new Refused(400);
  const latitude = content.address?.latitude;
  if (latitude != null && Math.abs(latitude) > 90 && latitude !== person?.address?.latitude) throw new Refused(400);
  for (const { formId, formRefId, data } of given) {
    const isThere = person?.answers.some((one) => one.ref === formRefId && one.data === data);
    if (!isThere && !canBe(model.form(formId)?.type, data)) throw new Refused(400);
  }
};

/** What is refused of content, whichever way it is written. */
const check = (model: Model, content: Json, person: Person | undefined, given: Json[] = []): void => {
  const lists = [content.answers ?? [], content.upsert ? [] : (content.customFields ?? [])];
  checkValues(model, content, person, [...lists.flat(), ...given]);
  for (const id of content.actionIds ?? []) if (!model.ground.actions.includes(id)) throw new Refused(422);
  checkAnswers(model, lists[0], content.upsert ? undefined : false);
  checkAnswers(model, lists[1], true);
  if (content.userContactId != null && ![model.ground.boss, model.ground.plain].includes(content.userContactId))
    throw new Refused(422);
};

/** What of a contact its version stands for. */
const stateOf = ({ fields, address, tags, actions, answers }: Person): string =>
  JSON.stringify([
    Object.entries(fields)
      .filter(([, value]) => value != null && value !== false)
      .sort(),
    address &&
      Object.entries(address)
        .filter(([, value]) => value != null)
        .sort(),
    [...tags].sort(),
    [...actions].sort(),
    answers.map(({ form, ref, data, date, survey }) => JSON.stringify([form.id, ref, data, date, survey])).sort(),
  ]);

/** Changes a contact, which is touched when that changes anything. */
const change = (model: Model, person: Person, by: number, act: () => void): void => {
  const before = stateOf(person);
  const fields = { ...person.fields };
  act();
  if (fields.blackList && !person.fields.blackList) model.liftOptOut(fields);
  if (stateOf(person) !== before) model.touch(person.id, by);
};

/** What is left out stays, null clears, a list replaces the whole list; an upsert adds to it. */
const write = (model: Model, person: Person, content: Json): void => {
  for (const name of [...fieldNames, 'userContactId'])
    if (name in content && !(name === 'blackList' && content.upsert && person.fields.blackList))
      person.fields[name] = flags.includes(name) ? content[name] === true : content[name];
  if (content.address === null) person.address = null;
  else if (content.address) {
    const address = { ...person.address, ...content.address };
    person.address = Object.values(address).some((value) => value != null) ? address : null;
  }
  const keeps = (list: string): boolean => content.upsert && content[list] !== null;
  if ('tags' in content) {
    const names = (content.tags ?? []).map(({ name, color }: Json) => model.meanTag(name, color ?? null));
    person.tags = new Set(keeps('tags') ? [...person.tags, ...names] : names);
  }
  if ('actionIds' in content)
    person.actions = new Set([...(keeps('actionIds') ? person.actions : []), ...(content.actionIds ?? [])]);
  const custom = ({ form }: Answer): boolean => form.kind === 'custom_fields';
  const was = person.answers;
  const isNamed = ({ form, ref }: Answer): boolean =>
    (content.answers ?? []).some(
      ({ formId, formRefId }: Json) => formId === form.id && (form.type !== 'checkbox' || formRefId === ref),
    );
  const isMeant = (answer: Answer): boolean => (keeps('answers') ? isNamed(answer) : !custom(answer));
  if ('answers' in content) replaceAnswers(model, person, { replaced: isMeant, given: content.answers ?? [], was });
  if ('customFields' in content && !content.upsert)
    replaceAnswers(model, person, { replaced: custom, given: content.customFields ?? [], was });
};

const fresh = (model: Model, id: number, by: number, content: Json): Person => {
  const empty = Object.fromEntries(flags.map((name) => [name, false]));
  const lists = { tags: new Set<string>(), actions: new Set<number>(), answers: [], formerMails: [] };
  const person = { id, fields: empty, address: null, ...lists, version: 1, by, deleted: false, mergedInto: null };
  model.persons.set(id, person);
  write(model, person, content);
  person.fields.blackList ||= model.isOptedOut(person.fields);
  return person;
};

export const planCreation = (model: Model, by: number, input: Json) => {
  checkInput(input);
  const content = clean(input, false);
  check(model, content, undefined);
  model.requireFree(content.externalId);
  return (id: number): void => void fresh(model, id, by, content);
};

export const planUpdate = (model: Model, by: number, id: number, input: Json, expected?: number): (() => void) => {
  checkInput(input);
  const person = model.held(id);
  if (expected !== undefined && expected !== person.version) throw new Refused(412);
  const content = clean(input, false);
  check(model, content, person);
  model.requireFree(content.externalId, person.id);
  return () => change(model, person, by, () => write(model, person, content));
};

export const planDeletion = (model: Model, by: number, id: number): (() => void) => {
  const person = model.livingUnder(id);
  return () => {
    person.deleted = true;
    model.keepOptOut(person);
    model.touch(id, by);
  };
};

export const planRestoration = (model: Model, by: number, id: number): (() => void) => {
  const person = model.persons.get(id);
  if (!person?.deleted || person.mergedInto !== null) throw new Refused(404);
  model.requireFree(person.fields.externalId, id);
  return () => {
    person.deleted = false;
    model.touch(id, by);
  };
};

const folded = (value: Json): string => foldText(value ?? '');

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
export const findMatch = (model: Model, record: Json): Person | undefined => {
  const named = record.id == null ? undefined : model.read(record.id);
  if (named) return named;
  const is = (name: string) => (person: Person) => folded(person.fields[name]) === folded(record[name]);
  const isOrOpen = (name: string) => (person: Person) => folded(record[name]) === '' || is(name)(person);
  const mailed =
    folded(record.mail) !== '' &&
    model.living().find((one) => is('mail')(one) && isOrOpen('firstname')(one) && isOrOpen('surname')(one));
  if (mailed) return mailed;
  const had = ({ formerMails }: Person): boolean => formerMails.some((mail) => folded(mail) === folded(record.mail));
  const known =
    folded(record.mail) !== '' &&
    model.living().find((one) => had(one) && isOrOpen('firstname')(one) && isOrOpen('surname')(one));
  if (known) return known;
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

/** 400 for a record that says nothing of a contact. */
export const checkRecord = (record: Json): void => checkInput(clean(record, true), ['id']);

/** Yields what to do once the id of a new contact is known, and who is meant. */
export const planUpsert = (model: Model, by: number, sent: Json) => {
  checkRecord(sent);
  const record = clean(sent, true);
  const content = { ...record, upsert: true };
  const unknown: Refused[] = [];
  const answers = Object.entries(lists).flatMap(([list, kind]) =>
    (record[list] ?? [])
      .filter(({ value }: Json) => !isBlank(value))
      .flatMap((one: Json) => {
        try {
          return [said(model, kind, one)];
        } catch (error) {
          unknown.push(error as Refused);
          return [];
        }
      }),
  );
  const meant = findMatch(model, record);
  const given = answers.flatMap(({ form, ref, data }) =>
    ref === undefined ? [] : [{ formId: form.id, formRefId: ref, data }],
  );
  check(model, content, meant, given);
  if (unknown.length > 0) throw unknown[0];
  model.requireFree(record.externalId, meant?.id);
  const answer = (person: Person, was: readonly Answer[]): void => {
    for (const { form, ref, data } of answers) {
      const whole = ref === undefined || form.type !== 'checkbox';
      const now = ref === undefined ? [] : [{ formId: form.id, formRefId: ref, data }];
      const replaced = (one: Answer): boolean => one.form.id === form.id && (whole || one.ref === ref);
      replaceAnswers(model, person, { replaced, given: now, was });
    }
  };
  return {
    meant: meant?.id,
    apply: (id: number): void => {
      if (!meant) {
        answer(fresh(model, id, by, content), []);
        return;
      }
      const was = meant.answers;
      const { mail } = meant.fields;
      if ('mail' in content && mail && mail !== content.mail) meant.formerMails.push(mail);
      change(model, meant, by, () => {
        write(model, meant, content);
        answer(meant, was);
      });
    },
  };
};
