// Retention: deletes for good what has been kept long enough, in small batches, in all spaces; one process does so at a time.
import type { Database } from '../../database/database.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement, oneRowOfSpace, type Statement } from '../../database/statement.ts';
import { addAuditLines, describeCommand } from '../noun/audit.ts';
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

/** Another process is at work, or this one is to stop. */
class RetentionEnded extends Error {}

class Retention {
  readonly #space: Space;
  readonly #options: RetentionOptions;
  readonly #counts: RetentionCounts;

  constructor(space: Space, counts: RetentionCounts, options: RetentionOptions) {
    this.#space = space;
    this.#counts = counts;
    this.#options = options;
  }

  async run({ deleted, imports, audit, changes }: RetentionPeriods): Promise<void> {
    if (deleted !== null) await this.#deleteContacts(deleted);
    if (deleted !== null) await this.#deleteRecords(deleted);
    if (imports !== null) await this.#deleteCopies(imports);
    if (audit !== null) await this.#deleteOldest('audit_log', { counts: countAudit, deletes: deleteAudit }, audit);
    if (changes === null) return;
    const deliveries = { counts: countDeliveries, deletes: deleteDeliveries };
    await this.#deleteOldest('webhook_deliveries', deliveries, changes);
    await this.#deleteOldest('changes', { counts: countChanges, deletes: deleteChanges }, changes);
  }

  /** Runs one batch in a transaction of its own. */
  #inTurn<Result>(work: (tx: Space) => Promise<Result>): Promise<Result> {
    if (this.#options.signal?.aborted) throw new RetentionEnded();
    return this.#space.transaction(async (tx) => {
      if (!(await tx.row<{ mine: boolean }>(takeTurn))!.mine) throw new RetentionEnded();
      return work(tx);
    });
  }

  #add(counts: RowCounts): void {
    for (const [table, count] of Object.entries(counts))
      if (count > 0) this.#counts[table] = (this.#counts[table] ?? 0) + count;
  }

  async #count(table: string, statement: Statement, days: number): Promise<void> {
    this.#add({ [table]: (await this.#space.row<{ count: number }>(statement, { days }))!.count });
  }

  async #deleteContacts(days: number): Promise<void> {
    if (this.#options.dryRun) return this.#count('contacts', countContacts, days);
    let any = false;
    for (let many = 1; many > 0; ) {
      many = await this.#inTurn(async (tx) => {
        const contacts = (await tx.rows<{ id: number }>(lockContacts, { days })).map(({ id }) => id);
        if (contacts.length === 0) return 0;
        const counts = await deletePersonRows(tx, contacts);
        await this.#audit(tx, 'Contact', counts, contacts);
        this.#add({ ...counts, ...(await eraseShortLived(tx)) });
        return contacts.length;
      });
      any ||= many > 0;
    }
    if (any) this.#add({ search_words: await this.#inTurn(removeUnusedWords) });
  }

  /** Records whose contact stays. A record to which another still refers stays as well. */
  async #deleteRecords(days: number): Promise<void> {
    const { owned, referred } = await readPersonTables(this.#space);
    for (const { table } of owned) {
      if (table === 'contacts' || !(await this.#hasDeletions(table))) continue;
      const due = `from ${table} t where t.group_id = :group and t.deleted_at is not null and ${isOld('t.deleted_at')} and not (${referred.get(table)})`;
      if (this.#options.dryRun) {
        await this.#count(table, defineStatement(null, `select count(*) as count ${due}`), days);
        continue;
      }
      const sql = `with gone as (delete from ${table} where group_id = :group and ctid = any(array(select t.ctid ${due} limit ${batches.rows} for update skip locked)) returning 1) select count(*) as count from gone`;
      for (let many: number = batches.rows; many === batches.rows; )
        many = await this.#inTurn(async (tx) => {
          const { count } = (await tx.row<{ count: number }>(defineStatement(null, sql), { days }))!;
          if (count > 0) await this.#audit(tx, 'Contact', { [table]: count });
          this.#add({ [table]: count });
          return count;
        });
    }
  }

  async #hasDeletions(table: string): Promise<boolean> {
    return (await this.#space.row(softDeleted, { table })) !== undefined;
  }

  async #deleteCopies(days: number): Promise<void> {
    if (this.#options.dryRun) {
      for (const [index, table] of copies.entries()) await this.#count(table, dueCopies[index]!, days);
      return;
    }
    // One that a killed process has left half purged is finished first.
    const marked = (await this.#space.rows<{ id: number }>(half)).map(({ id }) => id);
    for (;;) {
      const id = marked.shift() ?? (await this.#inTurn((tx) => this.#markImport(tx, days)));
      if (id === undefined) return;
      for (const [index, table] of copies.entries())
        for (let many: number = batches.rows; many === batches.rows; ) {
          many = (await this.#inTurn((tx) => tx.row<{ count: number }>(deleteCopies[index]!, { import: id })))!.count;
          this.#add({ [table]: many });
        }
    }
  }

  async #markImport(tx: Space, days: number): Promise<number | undefined> {
    const found = await tx.row<{ id: number }>(markImport, { days });
    if (found) await this.#audit(tx, 'Import', undefined, [found.id]);
    return found?.id;
  }

  async #deleteOldest(
    table: string,
    { counts, deletes }: { counts: Statement; deletes: Statement },
    days: number,
  ): Promise<void> {
    if (this.#options.dryRun) return this.#count(table, counts, days);
    for (let many: number = batches.rows; many === batches.rows; ) {
      many = (await this.#inTurn((tx) => tx.row<{ count: number }>(deletes, { days })))!.count;
      this.#add({ [table]: many });
    }
  }

  #audit(tx: Space, type: string, counts?: RowCounts, ids?: readonly number[]): Promise<void> {
    return addAuditLines(tx, describeCommand('retention'), { type, ...(counts && { counts }), ...(ids && { ids }) });
  }
}

const softDeleted = defineStatement(
  'retention.soft_deleted',
  `select cast(:group as bigint) from pg_attribute where attrelid = cast(cast(:table as text) as regclass) and attname = 'deleted_at' and not attisdropped`,
);

/**
 * Deletes what is due in all spaces, and yields how many rows of each table. Ends early when another process is at work, or `signal` aborts: what
 * was deleted stays deleted, and the next run deletes the rest.
 */
export const runRetention = async (
  database: Database,
  periods: RetentionPeriods,
  options: RetentionOptions = {},
): Promise<RetentionCounts> => {
  const counts: RetentionCounts = {};
  try {
    for (const space of await database.listSpaces())
      await new Retention(database.space(space), counts, options).run(periods);
  } catch (error) {
    if (!(error instanceof RetentionEnded)) throw error;
  }
  return counts;
};
