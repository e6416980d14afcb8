// Retention: deletes for good what has been kept long enough, in small batches, in all spaces; one process does so at a time.
import type { Database } from '../../database/database.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement, oneRowOfSpace, type Statement, type Values } from '../../database/statement.ts';
import { type AuditedRecords, addAuditLines, describeCommand } from '../noun/audit.ts';
import { deletePersonRows, eraseShortLived, type RowCounts, removeUnusedWords } from './person-erase.ts';
import { readPersonTables } from './person-tables.ts';

/** Days that each kind is kept; null keeps it for good. */
export interface RetentionPeriods {
  /** Contacts and records, after they were deleted. */
  deleted: number | null;
  /** Copies of rows, after the import. */
  imports: number | null;
  /** Lines of the audit log. */
  audit: number | null;
  /** Changes of the feed. */
  changes: number | null;
}

/** Numbers of deleted rows by table, or of those that would be deleted. */
export type RetentionCounts = RowCounts;

interface RetentionOptions {
  dryRun?: boolean;
  signal?: AbortSignal;
  /** Gets the numbers as they grow, for a run that fails. */
  counts?: RetentionCounts;
  /** Told when the run ends early since another process is at work. */
  onBusy?(): void;
}

/** Contacts that one transaction deletes, with all of their rows; and rows of other kinds. */
const batches = { contacts: 50, rows: 1000 };
/** An arbitrary number that no other advisory lock is likely to use. */
const lock = 7_063_842_113;
const takeTurn = defineStatement(
  'retention.turn',
  `select pg_try_advisory_xact_lock(${lock}) as mine from ${oneRowOfSpace}`,
);
const isOld = (column: string): string => `${column} < now() - make_interval(days => cast(:days as int))`;

/** Contacts that were merged stay: their ids lead to the survivor, with which they go. */
const dueContacts = `from contacts t where t.group_id = :group and t.deleted_at is not null and ${isOld('t.deleted_at')} and t.merged_into is null`;
const countContacts = defineStatement('retention.count_contacts', `select count(*) as count ${dueContacts}`);
const lockContacts = defineStatement(
  'retention.lock_contacts',
  `with due as materialized (
     select t.id ${dueContacts} order by t.id limit ${batches.contacts} for update skip locked)
   select id from due union
   select c.id from contacts c join due d on c.merged_into = d.id where c.group_id = :group order by id`,
);

/** Contacts that the undoing of a move has deleted come back with their records when they are moved again: then they are new. */
const forgetUndoneMoves = defineStatement(
  'retention.forget_undone_moves',
  `with undone as materialized (
     select c.id from contacts c
       join moved_records m on m.group_id = :group and m.kind = 'contact' and m.record_id = c.id and m.lastchange = c.deleted_at
      where c.group_id = :group and c.id = any(:contacts)),
   records (kind, id) as (
     select 'contact', u.id from undone u
     union all select 'note', n.id from notes n join undone u on u.id = n.contact_id where n.group_id = :group
     union all select 'interaction', i.id from interactions i join undone u on u.id = i.contact_id where i.group_id = :group)
   delete from moved_records m using records r where m.group_id = :group and m.kind = r.kind and m.record_id = r.id`,
);

const dueImports = `from imports t where t.group_id = :group and t.purged_at is null and ${isOld('coalesce(t.finished_at, t.created_at)')}`;
const copies = ['import_contacts', 'import_keys'];
const dueCopies = copies.map((table) =>
  defineStatement(
    `retention.count_${table}`,
    `select count(*) as count from ${table} k where k.group_id = :group and k.import_id in (select t.id ${dueImports})`,
  ),
);
const deleteCopies = copies.map((table) =>
  defineStatement(
    `retention.delete_${table}`,
    `with gone as (
       delete from ${table} k where k.group_id = :group and k.import_id = :import and k.ctid = any(array(
         select o.ctid from ${table} o where o.group_id = :group and o.import_id = :import limit ${batches.rows})) returning 1)
     select count(*) as count from gone`,
  ),
);
/** It is marked first, so that nobody undoes it by a part of its copies. */
const markImport = defineStatement(
  'retention.mark_import',
  `update imports set purged_at = now() where group_id = :group and id = (select t.id ${dueImports} order by t.id limit 1 for update skip locked) returning id`,
);
const half = defineStatement(
  'retention.half_purged',
  `select i.id from imports i where i.group_id = :group and i.purged_at is not null and (
     ${copies.map((table) => `exists (select 1 from ${table} k where k.group_id = :group and k.import_id = i.id)`).join(' or ')}) order by i.id`,
);

const countAudit = defineStatement(
  'retention.count_audit',
  `select count(*) as count from audit_log a where a.group_id = :group and ${isOld('a.created_at')}`,
);
const deleteAudit = defineStatement(
  'retention.delete_audit',
  `select delete_old_audit_lines(:group, now() - make_interval(days => cast(:days as int)), ${batches.rows}) as count from ${oneRowOfSpace}`,
);

const countChanges = defineStatement(
  'retention.count_changes',
  `select count(*) as count from changes c where c.group_id = :group and ${isOld('c.created_at')}`,
);
const deleteChanges = defineStatement(
  'retention.delete_changes',
  `select delete_old_changes(:group, now() - make_interval(days => cast(:days as int)), ${batches.rows}) as count`,
);

const endedDeliveries = `from webhook_deliveries d where d.group_id = :group and d.state <> 'waiting' and ${isOld('d.created_at')}`;
const countDeliveries = defineStatement(
  'retention.count_webhook_deliveries',
  `select count(*) as count ${endedDeliveries}`,
);
const deleteDeliveries = defineStatement(
  'retention.delete_webhook_deliveries',
  `with gone as (
     delete from webhook_deliveries where group_id = :group and ctid = any(array(
       select d.ctid ${endedDeliveries} order by d.created_at limit ${batches.rows} for update skip locked)) returning 1)
   select count(*) as count from gone`,
);

const softDeleted = defineStatement(
  'retention.soft_deleted',
  `select cast(:group as bigint) from pg_attribute where attrelid = cast(cast(:table as text) as regclass) and attname = 'deleted_at' and not attisdropped`,
);

/** Another process is at work, or this one is to stop. */
class RetentionEnded extends Error {}

/** Deletes what is due in a space, and adds to `counts` how many rows of each table. */
const deleteDue = async (
  space: Space,
  { deleted, imports, audit, changes }: RetentionPeriods,
  counts: RetentionCounts,
  { dryRun, signal, onBusy }: RetentionOptions,
): Promise<void> => {
  /** Runs one batch in a transaction of its own. */
  const runInTurn = <Result>(work: (tx: Space) => Promise<Result>): Promise<Result> => {
    if (signal?.aborted) throw new RetentionEnded();
    return space.transaction(async (tx) => {
      if (!(await tx.row<{ mine: boolean }>(takeTurn))!.mine) {
        onBusy?.();
        throw new RetentionEnded();
      }
      return work(tx);
    });
  };

  const addCounts = (added: RowCounts): void => {
    for (const [table, count] of Object.entries(added)) if (count > 0) counts[table] = (counts[table] ?? 0) + count;
  };

  const readCount = async (at: Space, statement: Statement, values: Values): Promise<number> =>
    (await at.row<{ count: number }>(statement, values))!.count;

  const countDue = async (table: string, statement: Statement, days: number): Promise<void> =>
    addCounts({ [table]: await readCount(space, statement, { days }) });

  /** Deletes rows of a table batch by batch. */
  const deleteBatches = async (table: string, deleteSome: (tx: Space) => Promise<number>): Promise<void> => {
    for (let many: number = batches.rows; many === batches.rows; ) {
      many = await runInTurn(deleteSome);
      addCounts({ [table]: many });
    }
  };

  const writeAuditLine = (tx: Space, records: AuditedRecords): Promise<void> =>
    addAuditLines(tx, describeCommand('retention'), records);

  const deleteContacts = async (days: number): Promise<void> => {
    if (dryRun) return countDue('contacts', countContacts, days);
    const lockDue = (tx: Space) => tx.rows<{ id: number }>(lockContacts, { days });
    for (let isMore = true; isMore; ) {
      const gone = await runInTurn(async (tx): Promise<RowCounts> => {
        const contacts = (await lockDue(tx)).map(({ id }) => id);
        isMore = contacts.length > 0;
        if (!isMore) return {};
        await tx.rows(forgetUndoneMoves, { contacts });
        const rows = await deletePersonRows(tx, contacts);
        await writeAuditLine(tx, { type: 'Contact', counts: rows, ids: contacts });
        // Words go in the transaction of the last batch: if this run were killed before that, no later one would look for them.
        isMore = (await lockDue(tx)).length > 0;
        const words = isMore ? 0 : await removeUnusedWords(tx);
        return { ...rows, search_words: words, ...(await eraseShortLived(tx)) };
      });
      addCounts(gone);
    }
  };

  /** Records whose contact stays. A record to which another still refers stays as well. */
  const deleteRecords = async (days: number): Promise<void> => {
    const { owned, referred } = await readPersonTables(space);
    for (const { table } of owned) {
      if (table === 'contacts' || !(await space.row(softDeleted, { table }))) continue;
      const due = `from ${table} t where t.group_id = :group and t.deleted_at is not null and ${isOld('t.deleted_at')} and not (${referred.get(table)})`;
      if (dryRun) {
        await countDue(table, defineStatement(null, `select count(*) as count ${due}`), days);
        continue;
      }
      const sql = `with gone as (delete from ${table} where group_id = :group and ctid = any(array(select t.ctid ${due} limit ${batches.rows} for update skip locked)) returning 1) select count(*) as count from gone`;
      await deleteBatches(table, async (tx) => {
        const count = await readCount(tx, defineStatement(null, sql), { days });
        if (count > 0) await writeAuditLine(tx, { type: 'Contact', counts: { [table]: count } });
        return count;
      });
    }
  };

  const markNextImport = async (tx: Space, days: number): Promise<number | undefined> => {
    const found = await tx.row<{ id: number }>(markImport, { days });
    if (found) await writeAuditLine(tx, { type: 'Import', ids: [found.id] });
    return found?.id;
  };

  const purgeImports = async (days: number): Promise<void> => {
    if (dryRun) {
      for (const [index, table] of copies.entries()) await countDue(table, dueCopies[index]!, days);
      return;
    }
    // One that a killed process has left half purged is finished first.
    const marked = (await space.rows<{ id: number }>(half)).map(({ id }) => id);
    for (;;) {
      const id = marked.shift() ?? (await runInTurn((tx) => markNextImport(tx, days)));
      if (id === undefined) return;
      for (const [index, table] of copies.entries())
        await deleteBatches(table, (tx) => readCount(tx, deleteCopies[index]!, { import: id }));
    }
  };

  const deleteOldest = (table: string, counting: Statement, deleting: Statement, days: number): Promise<void> =>
    dryRun ? countDue(table, counting, days) : deleteBatches(table, (tx) => readCount(tx, deleting, { days }));

  if (deleted !== null) await deleteContacts(deleted);
  if (deleted !== null) await deleteRecords(deleted);
  if (imports !== null) await purgeImports(imports);
  if (audit !== null) await deleteOldest('audit_log', countAudit, deleteAudit, audit);
  if (changes === null) return;
  await deleteOldest('webhook_deliveries', countDeliveries, deleteDeliveries, changes);
  await deleteOldest('changes', countChanges, deleteChanges, changes);
};

/**
 * Deletes what is due in all spaces, and yields how many rows of each table. Ends early when another process is at work, or `signal` aborts: what
 * was deleted stays deleted, and the next run deletes the rest.
 */
export const runRetention = async (
  database: Database,
  periods: RetentionPeriods,
  { counts = {}, ...options }: RetentionOptions = {},
): Promise<RetentionCounts> => {
  try {
    for (const space of await database.listSpaces()) await deleteDue(database.space(space), periods, counts, options);
  } catch (error) {
    if (!(error instanceof RetentionEnded)) throw error;
  }
  return counts;
};
