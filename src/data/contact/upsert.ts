// Upsert: finds the contact that a record refers to and updates the given fields, or creates it; a batch of records in a few statements.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { type Fault, Problem } from '../../problem.ts';
import type { Precondition } from '../noun/precondition.ts';
import { planBatch } from './batch-plan.ts';
import { findRecordFaults } from './contact-draft.ts';
import { type Identity, lockIdentities, lockIdentityKeys, matchContacts } from './identity.ts';
import type { UpsertWrite } from './patch.ts';
import { buildExternalIdSql } from './read.ts';
import {
  type ImportTrace,
  type Matcher,
  matchByPosition,
  type SavedRecord,
  type SaveResult,
  saveContactRecords,
} from './save.ts';
import { lockContacts } from './write.ts';

/** A text of a record that is at fault for another value may be one that no statement can be sent. */
const text = (value: unknown): string | null =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0') ? value : null;

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

/** Every fault of records that are refused already, at its place. */
export const findUpsertFaults = async (space: Space, writes: readonly UpsertWrite[]): Promise<Fault[]> => {
  const found = await matchContacts(space, writes.map(identityOf), false);
  const ids = found.map(({ contact }) => contact);
  return findRecordFaults(space, writes, ids);
};

/** The column that identifies a contact before anything else. */
export type MatchKey = 'external_id';

/** Matches each record with a contact of its own; undefined when two records may be one person. */
const matchDistinct = async (
  tx: Space,
  identities: readonly Identity[],
  apart: boolean,
): Promise<Matcher | undefined> => {
  const found = await matchContacts(tx, identities, apart);
  const keys = found.flatMap((one) => one.keys);
  if (new Set(keys).size < keys.length) return undefined;
  return matchByPosition(
    found.map(({ contact, namesake }) => ({ id: contact, ...(namesake && { namesake: { id: namesake } }) })),
  );
};

/** Finds and locks the contacts that the records mean. If one was deleted since it was found, the search starts again. */
const lockMatches = async (
  tx: Space,
  writes: readonly UpsertWrite[],
  identities: readonly Identity[],
  { key = null, apart = false, expected }: Pick<UpsertOptions, 'key' | 'apart' | 'expected'>,
): Promise<Matcher> => {
  for (;;) {
    const distinct = key ? undefined : await matchDistinct(tx, identities, apart);
    const matcher = distinct ?? (await planBatch(tx, writes, identities, { byKey: key !== null, apart }));
    const living = await lockContacts(tx, matcher.ids);
    if (!matcher.ids.every((id) => living.has(id))) continue;
    if (!expected) return matcher;
    const { id } = matcher.find(0);
    if (id === null) expected.checkMissing('contact');
    else expected.check('contact', living.get(id)!);
    return matcher;
  }
};

const mergedKeys = defineStatement(
  'contact.merged_keys',
  `select e.key, found.id from unnest(cast(:keys as text[])) e (key) cross join lateral (${buildExternalIdSql('e.key')}) found
    where found.id is not null and not exists (select 1 from contacts c where c.group_id = :group and c.id = found.id and c.external_id = e.key)`,
);

/** The external id of a merged contact means its survivor, which keeps its own. */
const followMergedKeys = async (
  tx: Space,
  records: readonly UpsertWrite[],
  key: MatchKey,
): Promise<readonly UpsertWrite[]> => {
  const keys = [...new Set(records.flatMap(({ content }) => content.columns[key] ?? []))];
  const found = keys.length === 0 ? [] : await tx.rows<{ key: string; id: number }>(mergedKeys, { keys });
  const survivors = new Map<unknown, number>(found.map((one) => [one.key, one.id]));
  return records.map((record) => {
    const id = survivors.get(record.content.columns[key]);
    if (id === undefined) return record;
    const { [key]: _, ...columns } = record.content.columns;
    return { ...record, id, content: { ...record.content, columns } };
  });
};

interface UpsertOptions {
  by: number | null;
  trace?: ImportTrace;
  key?: MatchKey | null;
  /** Whether a record with a mail never means a contact with another one by its name. */
  apart?: boolean;
  /** Whether a record may lift an opt-out, and replace a later answer on consent. */
  liftsOptOuts?: boolean;
  /** The expectation of a single record of the contact that it means. */
  expected?: Precondition | undefined;
}

/**
 * Creates or updates the contacts that records mean, within a transaction, in order, as if each were written before the next is read. A
 * fault of one does not keep others from being written. With a key, a record that has it means the contact with the same key, or one
 * without any.
 */
export const upsertContactRecords = async (
  tx: Space,
  records: readonly UpsertWrite[],
  { by, trace, key = null, apart = false, liftsOptOuts = false, expected }: UpsertOptions,
): Promise<SaveResult[]> => {
  if (key)
    await lockIdentityKeys(
      tx,
      records.flatMap(({ content }) => content.columns[key] ?? []),
    );
  const writes = key ? await followMergedKeys(tx, records, key) : records;
  const identities = writes.map(identityOf);
  await lockIdentities(tx, identities);
  return saveContactRecords(tx, writes, await lockMatches(tx, writes, identities, { key, apart, expected }), {
    by,
    trace,
    keepsConsent: !liftsOptOuts,
    keepsMails: true,
  });
};

type WriteRecords = (tx: Space, records: readonly UpsertWrite[]) => Promise<SaveResult[]>;

const problemIn = (error: unknown): { problem: Problem } => {
  if (error instanceof Problem && error.status < 500) return { problem: error };
  throw error;
};

/** The second try finds what other transactions have written meanwhile. */
const writeOne = async (tx: Space, record: UpsertWrite, write: WriteRecords, isLast = false): Promise<SaveResult[]> => {
  try {
    return await tx.transaction((one) => write(one, [record]));
  } catch (error) {
    const { problem } = problemIn(error);
    return isLast || problem.code !== 'conflict' ? [{ problem }] : writeOne(tx, record, write, true);
  }
};

/**
 * Writes records within a transaction; when the database refuses a batch because of some, each half is written by itself until the faulty
 * ones are known.
 */
export const writeInHalves = async (
  tx: Space,
  records: readonly UpsertWrite[],
  write: WriteRecords,
): Promise<SaveResult[]> => {
  if (records.length === 1) return writeOne(tx, records[0]!, write);
  try {
    return await tx.transaction((all) => write(all, records));
  } catch (error) {
    problemIn(error);
    const half = Math.ceil(records.length / 2);
    return [
      ...(await writeInHalves(tx, records.slice(0, half), write)),
      ...(await writeInHalves(tx, records.slice(half), write)),
    ];
  }
};

/** Upserts one record. Throws 400 for malformed values, 422 for ids that are not in the space, 409 for an external id that is taken. */
export const upsertContact = (
  space: Space,
  record: UpsertWrite,
  by: number,
  expected?: Precondition,
): Promise<SavedRecord> =>
  space.transaction(async (tx) => {
    const [result] = await upsertContactRecords(tx, [record], { by, expected });
    if ('problem' in result!) throw result.problem;
    return result!;
  });

/** Upserts records independently of each other, in one transaction: one result each, in their order. */
export const upsertContacts = (space: Space, records: readonly UpsertWrite[], by: number): Promise<SaveResult[]> =>
  space.transaction((tx) => writeInHalves(tx, records, (within, some) => upsertContactRecords(within, some, { by })));
