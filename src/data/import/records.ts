// Imports of records: a batch finds the contacts and the entries that its rows name, and writes them and what hangs on them in a few statements.
import type { Space } from '../../database/space.ts';
import { defineStatement, type Values } from '../../database/statement.ts';
import { type Fault, Problem } from '../../problem.ts';
import type { FileContent } from '../contact/interaction-write.ts';
import { lockContacts } from '../contact/write.ts';
import { addArticle } from '../noun/references.ts';
import { buildCreateManySql, buildFindRefusedSql, buildTraceSql, touchForRecords } from './bulk-sql.ts';
import { findReferencedContacts, findReferenceFaults, type Naming } from './contact-reference.ts';
import { claimImportBatch, countImportBatch, type ImportCounts, keepImportKeys } from './contacts.ts';
import { resolveLabels } from './label.ts';
import { defineForEach, type RecordType, recordTypes } from './record-types.ts';

/** Adds files to interactions, each list in its order. */
const file = defineStatement(
  'import.files',
  `insert into files (group_id, interaction_id, owner_id, name, url, mime, folder, subject)
   select :group, i.interaction_id, :by, i.name, i.url, i.mime, i.folder, i.subject from rows from (
     jsonb_to_recordset(cast(:files as jsonb)) as (interaction_id bigint, name text, url text, mime text, folder text, subject text)
   ) with ordinality as i (interaction_id, name, url, mime, folder, subject, nth) order by i.nth`,
);
const { mark } = recordTypes.get('notes')!;
/** Unpins the notes that were pinned before on contacts. A note written by the same import still counts as its own: unpinning it is no change by a user. */
const unpin = defineStatement(
  'import.unpin',
  `with unpinned as (
     update notes n set pinned = false, updated_at = now() from notes o
      where n.group_id = :group and n.contact_id = any(:contacts) and n.pinned and n.deleted_at is null and not n.id = any(:pinned)
        and o.group_id = :group and o.id = n.id
     returning n.id, ${mark('o')} as before, ${mark('n')} as after)
   update import_records r set mark = u.after from unpinned u
    where r.group_id = :group and r.record_id = u.id and r.mark = u.before
      and exists (select 1 from imports i where i.group_id = :group and i.id = r.import_id and i.family = 'notes' and i.finished_at is null)`,
);

/** The last of several pinned notes of a contact stays pinned, as if they were written one after the other. */
const keepLastPin = <Note extends { contact_id: number; columns: Values }>(notes: readonly Note[]): Note[] => {
  const last = new Map(notes.filter(({ columns }) => columns.pinned).map((note) => [note.contact_id, note]));
  return notes.map((note) =>
    last.get(note.contact_id) === note ? note : { ...note, columns: { ...note.columns, pinned: false } },
  );
};

/** A record of a file: its columns, and its other references in the words of the file. */
export interface RecordWrite {
  contact: Naming;
  columns: Values;
  /** Names of entries of lists, by the column of the file. */
  labels: Readonly<Record<string, string>>;
  /** The id, in the file of transactions, of the transaction that paid it. */
  transaction: string | null;
  files: readonly FileContent[];
  /** Its id in the file. */
  key: string | null;
}

export interface RecordOptions {
  by: number | null;
  /** The imports whose files define the ids of contacts and of transactions. */
  contacts: number | null;
  transactions: number | null;
}

/** The result of each record, in their order. */
type RecordResult = { id: number } | { problem: Problem };

const refusals = defineForEach('find_refused', buildFindRefusedSql);
const creations = defineForEach('create_many', buildCreateManySql);
const traces = defineForEach('trace', buildTraceSql);
const byKey = defineStatement(
  'import.by_key',
  'select source_key as key, record_id as id from import_keys where group_id = :group and import_id = :import and source_key = any(:keys)',
);

const refused = (errors: Fault[]): { problem: Problem } => {
  const [{ location, message }] = errors as [Fault];
  return { problem: new Problem('unprocessable', `${location} ${message}`, { errors }) };
};

/** The transactions that each record's file has under that id. */
const transactionsOf = async (tx: Space, records: readonly RecordWrite[], of: number | null) => {
  const keys = [...new Set(records.flatMap(({ transaction }) => transaction ?? []))];
  const found = new Map<string, number[]>();
  if (keys.length > 0)
    for (const { key, id } of await tx.rows<{ key: string; id: number }>(byKey, { import: of, keys }))
      found.set(key, [...(found.get(key) ?? []), id]);
  return ({ transaction }: RecordWrite): { id?: number; faults: Fault[] } => {
    if (transaction === null) return { faults: [] };
    const [id, ...others] = found.get(transaction) ?? [];
    if (id !== undefined && others.length === 0) return { id, faults: [] };
    const message =
      id === undefined
        ? 'is not a transaction of the space'
        : `is the id of ${others.length + 1} transactions of import ${of}`;
    return { faults: [{ location: 'transaction_id', message, value: transaction }] };
  };
};

/** A record that was not written. */
interface Bad {
  n: number;
  dangling: string[];
  broken: number[];
}

/** The faults that the database found in a record; locations are columns of the file. */
const faultsOf = (
  { columns, rules = [], label }: RecordType,
  record: RecordWrite,
  { dangling, broken }: Bad,
): Fault[] => [
  ...broken.map((index) => {
    const { column, message } = rules[index]!;
    const inFile = message.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { location: column, message: inFile, value: record.columns[column] };
  }),
  ...dangling.map((column) => {
    const [location, value] =
      column === label?.column && record.columns[column] === undefined
        ? Object.entries(record.labels)[0]!
        : [column, record.columns[column] ?? record.transaction];
    return { location, message: `is not ${addArticle(columns[column]!.refers!.noun)} of the space`, value };
  }),
];

/** Writes the valid records within a transaction, with everything that depends on them but the trace of the import. */
const writeRecords = async (
  tx: Space,
  family: RecordType,
  records: readonly RecordWrite[],
  options: RecordOptions,
): Promise<RecordResult[]> => {
  const found = await findReferencedContacts(
    tx,
    records.map(({ contact }) => contact),
    options.contacts,
  );
  const living = await lockContacts(tx, [...new Set(found.flat())]);
  const label = await resolveLabels(tx, family, records);
  const transaction = await transactionsOf(tx, records, options.transactions);
  const results: RecordResult[] = [];
  const rows = records.flatMap((record, n) => {
    const contacts = found[n]!.filter((id) => living.has(id));
    const [entry, paid] = [label(record), transaction(record)];
    const faults = [
      ...findReferenceFaults(record.contact, contacts.length, options.contacts),
      ...entry.faults,
      ...paid.faults,
    ];
    if (faults.length > 0) {
      results[n] = refused(faults);
      return [];
    }
    const columns: Values = {
      ...record.columns,
      ...('user_id' in family.columns && { user_id: options.by }),
      ...(entry.id !== undefined && { [family.label!.column]: entry.id }),
      ...(paid.id !== undefined && { transaction_id: paid.id }),
    };
    return [{ n, contact_id: contacts[0]!, columns }];
  });
  const given = family.name === 'notes' ? keepLastPin(rows) : rows;
  for (const one of await tx.rows<Bad>(refusals.get(family.name)!, { records: JSON.stringify(given) }))
    results[one.n] = refused(faultsOf(family, records[one.n]!, one));
  const good = given.filter(({ n }) => !results[n]);
  const ids = await tx.rows<{ id: number }>(creations.get(family.name)!, { records: JSON.stringify(good) });
  // Ids were assigned in the order of the rows.
  const written = good.map((row, index) => ({ ...row, id: ids[index]!.id }));
  for (const { n, id } of written) results[n] = { id };
  if (family.name === 'interactions') {
    const files = written.flatMap(({ n, id }) => records[n]!.files.map((one) => ({ interaction_id: id, ...one })));
    if (files.length > 0) await tx.rows(file, { files: JSON.stringify(files), by: options.by });
  }
  const pinned = family.name === 'notes' ? written.filter((note) => note.columns.pinned) : [];
  if (pinned.length > 0)
    await tx.rows(unpin, { contacts: pinned.map((note) => note.contact_id), pinned: pinned.map(({ id }) => id) });
  const contacts = [...new Set(written.map((row) => row.contact_id))];
  if (contacts.length > 0) await touchForRecords(tx, family, contacts, options.by);
  return results;
};

/** Writes one batch of an import with its trace, in one transaction; undefined when another process has written it meanwhile. */
export const importRecords = (
  space: Space,
  family: RecordType,
  records: readonly RecordWrite[],
  { id, firstRow, refused: before, ...options }: RecordOptions & { id: number; firstRow: number; refused: number },
): Promise<(ImportCounts & { results: RecordResult[] }) | undefined> => {
  const work = async (tx: Space) => {
    if (!(await claimImportBatch(tx, id, firstRow))) return undefined;
    const results = await writeRecords(tx, family, records, options);
    const written = results.flatMap((result, n) => ('id' in result ? [{ id: result.id, key: records[n]!.key }] : []));
    await tx.rows(traces.get(family.name)!, { import: id, ids: written.map((one) => one.id) });
    // Only donations and memberships refer to transactions.
    if (family.name === 'transactions') await keepImportKeys(tx, id, written);
    const [created, refused] = [written.length, before + results.length - written.length];
    const counts = { created, updated: 0, unchanged: 0, refused };
    await countImportBatch(tx, id, firstRow, counts);
    return { results, ...counts };
  };
  return space.transaction(work, { repeats: true });
};
