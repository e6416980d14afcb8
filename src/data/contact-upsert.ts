// Upsert: finds the contact that a record means and changes what is named, or creates it; a batch of records in a few statements.
import { Problem } from '../problem.ts';
import { writeAnswers } from './answer-write.ts';
import type { AnswerChange, ContactWrite, TagContent } from './contact-content.ts';
import { foldContents } from './contact-fold.ts';
import { type Identity, lockIdentities, type Match, matchContacts } from './contact-match.ts';
import { insertContacts } from './contact-new.ts';
import { makeTags, type Placed } from './contact-parts.ts';
import { type Person, planBatch } from './contact-plan.ts';
import { unchanged } from './contact-same.ts';
import { changeContacts, checkReferences, lockContacts, referenceProblems, refreshContacts } from './contact-write.ts';
import { type FormAnswer, resolveEach, resolveFormAnswers } from './form-answer.ts';
import { type Space, statement } from './space.ts';

/** A record to upsert: its content, the id it may name, and answers to forms by id or label. */
export interface UpsertWrite extends ContactWrite {
  id: number | null;
  formAnswers: FormAnswer[];
}

export interface Upserted {
  id: number;
  outcome: 'created' | 'updated';
  /** Whether it was left as it is, since its records say nothing new. */
  unchanged?: boolean;
}

/** One record of a batch: what became of it, or why nothing did. */
export type UpsertResult = Upserted | { problem: Problem };

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const identityOf = ({ id, content: { columns, address } }: UpsertWrite): Identity => ({
  id,
  mail: text(columns.mail),
  firstname: columns.firstname === null ? '' : text(columns.firstname),
  surname: text(columns.surname),
  birthdate: text(columns.birthdate),
  city: text(address?.city),
  postal_code: text(address?.postal_code),
  street: text(address?.street),
});

/** Whether no two of them may be one person. */
const areApart = (matches: readonly Match[]): boolean => {
  const taken = new Set<string>();
  return matches.every(({ keys }) => {
    const free = keys.every((key) => !taken.has(key));
    for (const key of keys) taken.add(key);
    return free;
  });
};

/** Each contact that the records mean, with the places of these. */
const personsOf = async (tx: Space, writes: readonly UpsertWrite[]): Promise<Person[]> => {
  const identities = writes.map(identityOf);
  const found = await matchContacts(tx, identities);
  if (!areApart(found)) return planBatch(tx, writes, identities);
  return found.map(({ contact }, place) => ({ id: contact, places: [place] }));
};

/** The same, those that are there locked: one that was deleted since it was found is looked for again. */
const lockPersons = async (tx: Space, writes: readonly UpsertWrite[]): Promise<Person[]> => {
  for (;;) {
    const persons = await personsOf(tx, writes);
    const living = await lockContacts(
      tx,
      persons.flatMap(({ id }) => id ?? []),
    );
    if (persons.every(({ id }) => id === null || living.has(id))) return persons;
  }
};

/** What is kept of a batch, so that it can be undone. */
export interface Trace {
  created(tx: Space, ids: readonly number[]): Promise<unknown>;
  /** Called before they change, while they are locked. */
  changing(tx: Space, ids: readonly number[]): Promise<unknown>;
}

/**
 * Within a transaction creates or changes them all, or throws: in the order of the records, as if one came after the other. Each
 * contact is written once, with what all its records come to. With a trace, contacts of which the records say nothing new are
 * left as they are.
 */
export const upsertAll = async (
  tx: Space,
  records: readonly UpsertWrite[],
  by: number | null,
  trace?: Trace,
): Promise<Upserted[]> => {
  const writes = await resolveFormAnswers(tx, records);
  await checkReferences(tx, writes);
  await lockIdentities(tx, writes.map(identityOf));
  const persons = await lockPersons(tx, writes);
  if (persons.length < writes.length) await makeTagsOf(tx, writes);
  const wholes = persons.map(({ id, places }) => {
    const whole = foldContents(places.map((place) => writes[place]!.content));
    return { ...whole, id, at: writes[places[0]!]!.at };
  });
  const placed = wholes.flatMap(({ id, ...whole }) => (id === null ? [] : [{ ...whole, id }]));
  const same = trace ? await unchanged(tx, placed) : new Set<number>();
  const changing = placed.filter(({ id }) => !same.has(id));
  if (changing.length > 0)
    await trace?.changing(
      tx,
      changing.map(({ id }) => id),
    );
  await changeContacts(tx, changing, by);
  const fresh = wholes.filter(({ id }) => id === null);
  const ids = await insertContacts(tx, fresh, by);
  if (ids.length > 0) await trace?.created(tx, ids);
  const created = fresh.map((whole, index) => ({ ...whole, id: ids[index]! }));
  await writeLater(tx, [...changing, ...created]);
  const results: Upserted[] = [];
  const again: { id: number; records: number }[] = [];
  let next = 0;
  for (const { id, places } of persons) {
    const contact = id ?? ids[next++]!;
    if (places.length > 1) again.push({ id: contact, records: places.length - 1 });
    for (const [nth, place] of places.entries())
      results[place] = {
        id: contact,
        outcome: id === null && nth === 0 ? 'created' : 'updated',
        unchanged: same.has(contact),
      };
  }
  // An import knows by its trace that it has written a contact once.
  if (again.length > 0 && !trace)
    await tx.rows(countRecords, { ids: again.map(({ id }) => id), records: again.map(({ records }) => records) });
  return results;
};

/** Each record makes a version, also those that are written together. */
const countRecords = statement(
  'contact.count_records',
  `update contacts c set version = c.version + g.records from unnest(cast(:ids as bigint[]), cast(:records as int[])) g (id, records)
    where c.group_id = :group and c.id = g.id`,
);

/** Every record makes the tags that it names, also where a later one says that the contact has others. */
const makeTagsOf = async (tx: Space, writes: readonly UpsertWrite[]): Promise<void> => {
  const tags = new Map(
    writes
      .flatMap(({ content }) => content.tags ?? [])
      .map((tag) => [tag.name, tag])
      .reverse() as [string, TagContent][],
  );
  if (tags.size > 0) await makeTags(tx, [...tags.values()]);
};

/** Writes the changes of answers that have to wait for others of the same contact. */
const writeLater = async (tx: Space, placed: readonly (Placed & { later: AnswerChange[][] })[]): Promise<void> => {
  const waiting = placed.filter(({ later }) => later.length > 0);
  if (waiting.length === 0) return;
  for (let step = 0; step < Math.max(...waiting.map(({ later }) => later.length)); step++)
    await writeAnswers(
      tx,
      waiting.map(({ id, at, later }) => ({ id, at, content: { columns: {}, answers: later[step] ?? [] } })),
    );
  await refreshContacts(
    tx,
    waiting.map(({ id }) => id),
  );
};

const problemIn = (error: unknown): { problem: Problem } => {
  if (error instanceof Problem && error.status < 500) return { problem: error };
  throw error;
};

/**
 * Within a transaction, `write`s records each for itself: what is wrong with one keeps no other from being written. They are
 * written together; when that is refused, each half of them is, until it is known which was at fault.
 */
export const writeEach = async (
  tx: Space,
  records: readonly UpsertWrite[],
  write: (tx: Space, records: readonly UpsertWrite[]) => Promise<Upserted[]>,
): Promise<UpsertResult[]> => {
  const resolved = await resolveEach(tx, records);
  const whole = resolved.flatMap((one) => (one instanceof Problem ? [] : [one]));
  const problems = await referenceProblems(tx, whole);
  const good = whole.filter((_, index) => !problems[index]);
  const results = good.length > 0 ? await writeHalves(tx, good, write) : [];
  let [next, nextGood] = [0, 0];
  return resolved.map((one): UpsertResult => {
    if (one instanceof Problem) return { problem: one };
    const problem = problems[next++];
    return problem ? { problem } : results[nextGood++]!;
  });
};

const writeHalves: (...given: Parameters<typeof writeEach>) => Promise<UpsertResult[]> = async (tx, records, write) => {
  try {
    return await tx.transaction((all) => write(all, records));
  } catch (error) {
    const problem = problemIn(error);
    if (records.length === 1) return [problem];
    const half = Math.ceil(records.length / 2);
    return [
      ...(await writeHalves(tx, records.slice(0, half), write)),
      ...(await writeHalves(tx, records.slice(half), write)),
    ];
  }
};

/** Upserts one record. Throws 422 for ids, forms and values that are not in the space, 409 for an external id that is taken. */
export const upsertContact = (space: Space, record: UpsertWrite, by: number): Promise<Upserted> =>
  space.transaction(async (tx) => (await upsertAll(tx, [record], by))[0]!);

/** Upserts records, each for itself, in one transaction: one result each, in their order. */
export const upsertContacts = (space: Space, records: readonly UpsertWrite[], by: number): Promise<UpsertResult[]> =>
  space.transaction((tx) => writeEach(tx, records, (within, good) => upsertAll(within, good, by)));
