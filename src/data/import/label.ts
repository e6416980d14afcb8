// Finds the entry of a list that a record of a file names by its text; creates a campaign that does not exist yet.

import type { Space } from '../../database/space.ts';
import { defineStatement, oneRowOfSpace } from '../../database/statement.ts';
import type { Fault } from '../../problem.ts';
import { addArticle } from '../noun/references.ts';
import { type Label, type RecordType, recordTypes } from './record-types.ts';

interface Labels {
  labels: Readonly<Record<string, string>>;
}

/** The entries with one of some names, each with its texts. */
const findSql = ({ target, texts }: Label): string => {
  const [name] = Object.values(texts);
  const columns = Object.entries(texts).map(([column, text]) => `${text} as ${column}`);
  return `select t.id, ${columns.join(', ')} from ${target.table} t
    where t.group_id = :group and t.deleted_at is null and ${name} = any(:names) order by t.id`;
};
const makeSql = ({ target }: Label, makes: NonNullable<Label['makes']>): string =>
  `insert into ${target.table} (group_id, ${Object.keys(makes).join(', ')})
   select :group, ${Object.values(makes)
     .map((column) => `i.texts ->> '${column}'`)
     .join(', ')} from jsonb_array_elements(cast(:entries as jsonb)) with ordinality i (texts, nth) order by i.nth`;

const statements = new Map(
  [...recordTypes.values()].flatMap(({ name, label }) => {
    if (!label) return [];
    const make = label.makes && defineStatement(`${name}.make_entries`, makeSql(label, label.makes));
    return [[name, { label, find: defineStatement(`${name}.find_entries`, findSql(label)), make }] as const];
  }),
);
/** When two transactions find an entry missing, the second waits, and then finds the first one's. */
const lock = defineStatement(
  'import.lock_entries',
  `select pg_advisory_xact_lock(hashint8(:group), hashtext(:table)) from ${oneRowOfSpace}`,
);

type Entry = { id: number } & Record<string, unknown>;

/** Columns without a given text match any entry. */
const matchesEntry = (labels: Labels['labels'], entry: Record<string, unknown>): boolean =>
  Object.entries(labels).every(([column, text]) => entry[column] === text);

/** The entries to create, so that each of these names one: a record with fewer texts may mean the entry of one with more. */
const listMissingEntries = (all: readonly Labels[]): Labels['labels'][] => {
  const full = all
    .map(({ labels }) => labels)
    .sort((one, other) => Object.keys(other).length - Object.keys(one).length);
  const made: Labels['labels'][] = [];
  for (const labels of full) if (!made.some((one) => matchesEntry(labels, one))) made.push(labels);
  return made;
};

/** Tells which entry a record means, if it names one, or what is wrong with the name. */
export const resolveLabels = async (
  tx: Space,
  { name, label }: RecordType,
  records: readonly Labels[],
): Promise<(record: Labels) => { id?: number; faults: Fault[] }> => {
  const { find, make } = statements.get(name) ?? {};
  const texts = Object.keys(label?.texts ?? {});
  const [column] = texts;
  const named = records.filter(({ labels }) => column && labels[column] !== undefined);
  if (!label || !find || named.length === 0) return () => ({ faults: [] });
  const names = [...new Set(named.map(({ labels }) => labels[column!]!))];
  const look = () => tx.rows<Entry>(find, { names });
  const missing = (entries: Entry[]) =>
    named.filter(({ labels }) => !entries.some((entry) => matchesEntry(labels, entry)));
  let entries = await look();
  if (make && missing(entries).length > 0) {
    await tx.rows(lock, { table: label.target.table });
    const news = listMissingEntries(missing(await look()));
    await tx.rows(make, { entries: JSON.stringify(news) });
    entries = await look();
  }
  const byName = new Map<unknown, Entry[]>();
  for (const entry of entries) byName.set(entry[column!], [...(byName.get(entry[column!]) ?? []), entry]);
  return ({ labels }) => {
    const value = labels[column!];
    if (value === undefined) return { faults: [] };
    const fitting = (byName.get(value) ?? []).filter((one) => matchesEntry(labels, one));
    // Among several matches, the entry that is empty where the record is empty is meant.
    const exact = fitting.filter((one) => texts.every((text) => (one[text] ?? undefined) === labels[text]));
    const [entry, ...others] = exact.length === 1 ? exact : fitting;
    if (entry && others.length === 0) return { id: entry.id, faults: [] };
    const { noun } = label.target;
    const message = entry
      ? `means ${others.length + 1} entries of the space`
      : `is not ${addArticle(noun)} of the space`;
    return { faults: [{ location: column!, message, value }] };
  };
};
