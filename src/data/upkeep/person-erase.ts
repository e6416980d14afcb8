// Erases a person: the rows of all tables that hold data of them, for good. A line of the audit log stays, without personal data.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { buildUnusedWordCondition } from '../noun/unused-words.ts';
import { eraseIdempotentAnswers } from './idempotency.ts';
import { lockPerson, readPersonIds } from './person-export.ts';
import { looseTables, type PersonTable, readPersonTables } from './person-tables.ts';

/** Numbers of rows by table. */
export type RowCounts = Record<string, number>;

const unlinkAccount = defineStatement(
  'person.unlink_account',
  'update contacts set user_contact_id = null where group_id = :group and id = any(:contacts) and user_contact_id is not null',
);
/** The opt-out of a person who lives, by all of their mails and phones. The trigger of the contact would come when most of these are deleted. */
const keepOptOut = defineStatement(
  'person.keep_opt_out',
  `insert into opt_outs (group_id, digest)
   select :group, known.digest from (
     select unnest(digest_opt_out(:group, c.mail, c.phone, c.mobile)) from contacts c where c.group_id = :group and c.id = any(:contacts)
     union select unnest(digest_opt_out(:group, f.mail, null, null)) from former_mails f where f.group_id = :group and f.contact_id = any(:contacts)) known (digest)
    where exists (select 1 from contacts o where o.group_id = :group and o.id = any(:contacts) and o.black_list and o.deleted_at is null)
   on conflict do nothing`,
);
/** They contain texts of contacts, and live for a short time: all of the space are erased. */
const shortLived: readonly PersonTable[] = [
  { table: 'idempotency_keys', condition: 'not t.erased' },
  { table: 'search_traversals', condition: 'true' },
  { table: 'import_files', condition: 'true' },
];
const deletePlaces = defineStatement(
  'person.delete_places',
  `with gone as (delete from search_traversals where group_id = :group returning 1) select count(*) as count from gone`,
);

/** Their imports end: what these have written stays. */
const deleteFiles = defineStatement(
  'person.delete_files',
  `with gone as (delete from import_files where group_id = :group returning id),
   ended as (update imports set finished_at = now() where group_id = :group and finished_at is null and id in (select id from gone) returning id)
   select cast(count(*) as int) as count from gone`,
);

/** The clocks of a cluster's nodes differ by less than this. */
const leeway = "interval '2 seconds'";

/**
 * The contacts under which values of the erased ones may have been told, and when: themselves at any time; the survivor of a merge that is undone, while the merge
 * was in force, since its values and records may have been those of either. The audit log tells whom an undone merge was about: its lines have
 * the time of the undo.
 */
const heldSql = `recursive held as (
     select x.id as contact_id, cast('-infinity' as timestamptz) as since, cast('infinity' as timestamptz) as until from unnest(cast(:contacts as bigint[])) x (id)
     union
     select o.record_id, greatest(h.since, i.created_at - ${leeway}), least(h.until, i.undone_at + ${leeway})
       from held h
       join audit_log a on a.group_id = :group and a.type = 'Contact' and a.record_id = h.contact_id and a.operation in ('undoContactMerge', 'undoImport')
       join audit_log o on o.group_id = :group and o.created_at = a.created_at and o.operation = a.operation and o.type = 'Contact' and o.record_id <> h.contact_id
       join imports i on i.group_id = :group and i.family = 'contact_merges'
        and i.undone_at between a.created_at - ${leeway} and a.created_at + ${leeway}
      where greatest(h.since, i.created_at - ${leeway}) < least(h.until, i.undone_at + ${leeway}))`;

/** The outbox first: what gets its position meanwhile is in the feed by the second statement. */
const emptyChanges = ['change_queue', 'changes'].map((table) =>
  defineStatement(
    `person.empty_${table}`,
    `with ${heldSql}
     update ${table} c set before = null, after = null from held h
      where c.group_id = :group and c.contact_id = h.contact_id and c.created_at between h.since and h.until and (c.before is not null or c.after is not null)`,
  ),
);

/** Copies that imports made of the survivor meanwhile. Undoing the merge has changed the survivor, so undoing those imports would leave it as it is anyway. */
const deleteCopies = defineStatement(
  'person.delete_copies',
  `with ${heldSql}
   delete from import_contacts t using held h, imports i
    where t.group_id = :group and t.contact_id = h.contact_id and i.group_id = :group and i.id = t.import_id
      and i.created_at <= h.until and (i.finished_at is null or i.finished_at >= h.since)`,
);

/** Values that requests read before this are not stored any more: see the functions. */
const lockErasure = defineStatement('person.lock_erasure', 'select lock_erasure(:group)');
const countErasure = defineStatement(
  'person.count_erasure',
  'update spaces set erasures = erasures + 1 where id = :group',
);

const emptyDeliveries = defineStatement(
  'person.empty_webhook_deliveries',
  `with ${heldSql}
   update webhook_deliveries d set response = null, error = null from held h
    where d.group_id = :group and d.contact_id = h.contact_id and (d.response is not null or d.error is not null) and d.created_at >= h.since
      and (d.created_at <= h.until or exists (select 1 from changes c where c.group_id = :group and c.position = d.position and c.created_at <= h.until))`,
);

/** Words that one statement looks at. */
const wordBatch = 20_000;
const findUnusedWords = defineStatement(
  'person.unused_words',
  `with page as materialized (
     select k.word, k.kind, k.value, k.copy from search_words k
      where k.group_id = :group and (k.word, k.kind, k.value, k.copy) > (cast(:word as text), cast(:kind as "char"), cast(:value as text), cast(:copy as bigint))
      order by k.word, k.kind, k.value, k.copy limit ${wordBatch})
   select (select to_jsonb(l) from (select k.word, k.kind, k.value, k.copy from page k order by k.word desc, k.kind desc, k.value desc, k.copy desc limit 1) l) as last,
          coalesce((select jsonb_agg(jsonb_build_array(k.word, k.copy)) from page k where ${buildUnusedWordCondition(':group')}), '[]') as unused`,
);
const lockWords = defineStatement('person.lock_words', 'select lock_search_words(:group)');
const removeWords = defineStatement(
  'person.remove_words',
  `with gone as (
     delete from search_words k using unnest(cast(:words as text[]), cast(:copies as bigint[])) u (word, copy)
      where k.group_id = :group and k.word = u.word and k.copy = u.copy and ${buildUnusedWordCondition(':group')} returning 1)
   select count(*) as count from gone`,
);

interface WordPage {
  last: { word: string; kind: string; value: string; copy: number } | null;
  unused: [word: string, copy: number][];
}

/**
 * Removes the words that no contact of the space has any more: those of this person, and those of earlier names, of which nothing else tells
 * whose they were.
 */
export const removeUnusedWords = async (tx: Space): Promise<number> => {
  const unused: WordPage['unused'] = [];
  let from: WordPage['last'] = { word: '', kind: ' ', value: '', copy: -1 };
  while (from) {
    const page: WordPage = (await tx.row<WordPage>(findUnusedWords, from))!;
    unused.push(...page.unused);
    from = page.last;
  }
  if (unused.length === 0) return 0;
  await tx.rows(lockWords);
  const values = { words: unused.map(([word]) => word), copies: unused.map(([, copy]) => copy) };
  return (await tx.row<{ count: number }>(removeWords, values))!.count;
};

const countSql = ({ table, condition }: PersonTable): string =>
  `select count(*) as count from ${table} t where t.group_id = :group and ${condition}`;
const deleteSql = ({ table, condition }: PersonTable): string =>
  `with gone as (delete from ${table} t where t.group_id = :group and ${condition} returning 1) select count(*) as count from gone`;

const runForEach = async (
  space: Space,
  contacts: readonly number[],
  tables: readonly PersonTable[],
  buildSql: (table: PersonTable) => string,
): Promise<RowCounts> => {
  const counts: RowCounts = {};
  for (const one of tables) {
    const { count } = (await space.row<{ count: number }>(defineStatement(null, buildSql(one)), { contacts }))!;
    if (count > 0) counts[one.table] = count;
  }
  return counts;
};

/** Counts the rows that erasing would delete, without words. Throws like `readPersonIds`. */
export const countPersonRows = async (space: Space, id: number): Promise<RowCounts> =>
  runForEach(
    space,
    await readPersonIds(space, id),
    [...shortLived, ...looseTables, ...(await readPersonTables(space)).owned],
    countSql,
  );

/** Deletes the rows of contacts that the transaction has locked. Rows without a foreign key go first, since some are found by the others. */
export const deletePersonRows = async (tx: Space, contacts: readonly number[]): Promise<RowCounts> => {
  const { owned, references } = await readPersonTables(tx);
  await tx.rows(keepOptOut, { contacts });
  // Teams that show a contact with its account learn it by a trigger.
  await tx.rows(unlinkAccount, { contacts });
  for (const { table, columns, condition } of references) {
    const cleared = columns.map((column) => `${column} = null`).join(', ');
    const sql = `update ${table} t set ${cleared} where t.group_id = :group and ${condition}`;
    await tx.rows(defineStatement(null, sql), { contacts });
  }
  const counts = await runForEach(tx, contacts, [...looseTables, ...owned], deleteSql);
  for (const statement of [...emptyChanges, deleteCopies, emptyDeliveries]) await tx.rows(statement, { contacts });
  return counts;
};

/**
 * Erases what lives for a short time and may show a person who is erased. Call it last in the transaction: nothing that those who wait for its lock have could
 * keep the transaction waiting then.
 */
export const eraseShortLived = async (tx: Space): Promise<RowCounts> => {
  for (const statement of [lockErasure, countErasure]) await tx.rows(statement);
  const answers = await eraseIdempotentAnswers(tx);
  const { count: places } = (await tx.row<{ count: number }>(deletePlaces))!;
  const { count: files } = (await tx.row<{ count: number }>(deleteFiles))!;
  return {
    ...(answers > 0 && { idempotency_keys: answers }),
    ...(places > 0 && { search_traversals: places }),
    ...(files > 0 && { import_files: files }),
  };
};

/**
 * Deletes a person for good, with the contacts that were merged into them, and yields the numbers of deleted rows. An account that is linked to
 * the contact stays. Throws 404 when the contact is missing, 409 when it was merged into another.
 */
export const erasePerson = (space: Space, id: number): Promise<RowCounts> =>
  space.transaction(async (tx) => {
    const contacts = await lockPerson(tx, id);
    const counts = await deletePersonRows(tx, contacts);
    const words = await removeUnusedWords(tx);
    return {
      ...(await eraseShortLived(tx)),
      ...counts,
      ...(words > 0 && { search_words: words }),
    };
  });
