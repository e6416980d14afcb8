// Upsert: finds the contact that a record means and changes what is named, or creates it; a batch of records in a few statements.
import { Problem } from '../problem.ts';
import type { ContactWrite } from './contact-content.ts';
import { type Identity, lockIdentities, type Match, matchContacts } from './contact-match.ts';
import { insertContacts } from './contact-new.ts';
import { unchanged } from './contact-same.ts';
import { changeContacts, checkReferences, lockContacts } from './contact-write.ts';
import { type FormAnswer, resolveEach, resolveFormAnswers } from './form-answer.ts';
import type { Space } from './space.ts';

/** A record to upsert: its content, the id it may name, and answers to forms by id or label. */
export interface UpsertWrite extends ContactWrite {
  id: number | null;
  formAnswers: FormAnswer[];
}

export interface Upserted {
  id: number;
  outcome: 'created' | 'updated';
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

/** The places of those that may be taken up together: no two of them may be one person. */
const apart = (places: readonly number[], matches: readonly Match[]): number[] => {
  const taken = new Set<string>();
  return places.filter((_, index) => {
    const { keys } = matches[index]!;
    const free = keys.every((key) => !taken.has(key));
    for (const key of keys) taken.add(key);
    return free;
  });
};

/** What is kept of a batch, so that it can be undone. */
export interface Trace {
  created(tx: Space, ids: readonly number[]): Promise<unknown>;
  /** Called before they change, while they are locked. */
  changing(tx: Space, ids: readonly number[]): Promise<unknown>;
}

/**
 * Within a transaction creates or changes them all, or throws: in the order of the records, as if one came after the other. With a
 * trace, contacts of which a record says nothing new are left as they are.
 */
export const upsertAll = async (
  tx: Space,
  records: readonly UpsertWrite[],
  by: number | null,
  trace?: Trace,
): Promise<Upserted[]> => {
  const writes = await resolveFormAnswers(tx, records);
  await checkReferences(tx, writes);
  const identities = records.map(identityOf);
  await lockIdentities(tx, identities);
  const results: Upserted[] = [];
  let left = records.map((_, index) => index);
  while (left.length > 0) {
    const found = await matchContacts(
      tx,
      left.map((place) => identities[place]!),
    );
    const round = apart(left, found);
    const meant = new Map(left.map((place, index) => [place, found[index]!.contact]));
    const known = round.flatMap((place) => meant.get(place) ?? []);
    const living = await lockContacts(tx, known);
    // One that was deleted since it was found is looked for again.
    const here = round.filter((place) => living.has(meant.get(place)!));
    const fresh = round.filter((place) => meant.get(place) === null);
    const placed = here.map((place) => ({ ...writes[place]!, id: meant.get(place)! }));
    const same = trace ? await unchanged(tx, placed) : new Set();
    const changing = placed.filter(({ id }) => !same.has(id));
    if (changing.length > 0)
      await trace?.changing(
        tx,
        changing.map(({ id }) => id),
      );
    await changeContacts(tx, changing, by);
    const ids = await insertContacts(
      tx,
      fresh.map((place) => writes[place]!),
      by,
    );
    if (ids.length > 0) await trace?.created(tx, ids);
    for (const place of here) results[place] = { id: meant.get(place)!, outcome: 'updated' };
    for (const [index, place] of fresh.entries()) results[place] = { id: ids[index]!, outcome: 'created' };
    left = left.filter((place) => !results[place]);
  }
  return results;
};

const problemIn = (error: unknown): { problem: Problem } => {
  if (error instanceof Problem && error.status < 500) return { problem: error };
  throw error;
};

/**
 * Within a transaction, `write`s records each for itself: what is wrong with one keeps no other from being written. They are
 * written together; only when that is refused is each tried alone.
 */
export const writeEach = async (
  tx: Space,
  records: readonly UpsertWrite[],
  write: (tx: Space, records: readonly UpsertWrite[]) => Promise<Upserted[]>,
): Promise<UpsertResult[]> => {
  const resolved = await resolveEach(tx, records);
  const good = resolved.flatMap((one) => (one instanceof Problem ? [] : [one]));
  const written: UpsertResult[] = await tx
    .transaction((all) => write(all, good))
    .catch(async (error) => {
      problemIn(error);
      const results: UpsertResult[] = [];
      for (const record of good)
        results.push(
          await tx.transaction(async (alone) => (await write(alone, [record]))[0] as UpsertResult).catch(problemIn),
        );
      return results;
    });
  let next = 0;
  return resolved.map((one) => (one instanceof Problem ? { problem: one } : written[next++]!));
};

/** Upserts one record. Throws 422 for ids, forms and values that are not in the space, 409 for an external id that is taken. */
export const upsertContact = (space: Space, record: UpsertWrite, by: number): Promise<Upserted> =>
  space.transactionInTurn(async (tx) => (await upsertAll(tx, [record], by))[0]!);

/** Upserts records, each for itself, in one transaction: one result each, in their order. */
export const upsertContacts = (space: Space, records: readonly UpsertWrite[], by: number): Promise<UpsertResult[]> =>
  space.transactionInTurn((tx) => writeEach(tx, records, (within, good) => upsertAll(within, good, by)));
