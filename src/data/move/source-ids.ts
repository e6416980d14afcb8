// Remembers which record here each record of another server has become, and keeps its id where that is free.
import { createPerDatabase, type Space } from '../../database/space.ts';
import { defineStatement, type Statement } from '../../database/statement.ts';

export type MovedKind =
  | 'form'
  | 'option'
  | 'action'
  | 'price_group'
  | 'membership_price'
  | 'donation_price'
  | 'transaction_status'
  | 'team'
  | 'contact'
  | 'note'
  | 'interaction';

/** The run of an import that writes: its id, the source that it reads, and the author of its changes. */
export interface MoveRun {
  id: number;
  source: string;
  by: number | null;
}

/** Ids above it are not kept: the ids that the database assigns come after the highest one, and must never end. */
export const mostKeptId = 2 ** 52;
/** Assigned ids begin this far above a kept one, so that sessions that draw ids at the same moment stay below it. */
const idGap = 100_000;

const settings = ['membership_price_groups', 'membership_prices', 'donation_prices', 'transaction_statuses'] as const;
const keepingTables = [
  ...(['contacts', 'notes', 'interactions', 'actions', 'forms', 'form_refs', 'teams'] as const),
  ...settings,
];
export type KeepingTable = (typeof keepingTables)[number];

const advance = new Map<KeepingTable, Statement>(
  keepingTables.map((table) => [
    table,
    defineStatement(
      `move.advance_${table}`,
      `select case when coalesce(pg_sequence_last_value(cast('${table}_id_seq' as regclass)), 0) < :most + ${idGap / 10}
                   then setval(cast('${table}_id_seq' as regclass), :most + ${idGap}) end as ids, cast(:group as bigint) as space`,
    ),
  ]),
);

/** The highest id that was reserved in each table of a database. */
const reserved = createPerDatabase(() => new Map<KeepingTable, number>());

/** Makes the database assign only ids above these from now on. It has to run before these ids are written. */
export const reserveIds = async (space: Space, table: KeepingTable, ids: readonly number[]): Promise<void> => {
  const most = ids.reduce((highest, id) => (id <= mostKeptId ? Math.max(highest, id) : highest), -1);
  const known = reserved(space);
  if (most <= (known.get(table) ?? -1)) return;
  await space.rows(advance.get(table)!, { most });
  known.set(table, most);
};

export const listSourceIds = (records: readonly { sourceId: number }[]): number[] =>
  records.map(({ sourceId }) => sourceId);

const find = defineStatement(
  'move.find',
  `select m.source_id as "sourceId", m.record_id as "recordId" from moved_records m
    where m.group_id = :group and m.source = :source and m.kind = :kind and m.source_id = any(cast(:ids as bigint[]))`,
);

/** The records here that these records of the source have become. */
export const findMovedRecords = async (
  space: Space,
  source: string,
  kind: MovedKind,
  ids: readonly number[],
): Promise<Map<number, number>> => {
  const rows = await space.rows<{ sourceId: number; recordId: number }>(find, { source, kind, ids });
  return new Map(rows.map(({ sourceId, recordId }) => [sourceId, recordId]));
};

const remember = defineStatement(
  'move.remember',
  `insert into moved_records (group_id, source, kind, source_id, record_id, import_id)
   select :group, :source, :kind, g.source_id, g.record_id, :id
     from unnest(cast(:sourceIds as bigint[]), cast(:recordIds as bigint[])) g (source_id, record_id)
   on conflict (group_id, source, kind, source_id) do update set record_id = excluded.record_id, import_id = excluded.import_id`,
);

/** Remembers what records of the source have become. */
export const rememberMovedRecords = async (
  tx: Space,
  { id, source }: MoveRun,
  kind: MovedKind,
  pairs: readonly { sourceId: number; recordId: number }[],
): Promise<void> => {
  if (pairs.length === 0) return;
  await tx.rows(remember, {
    id,
    source,
    kind,
    sourceIds: listSourceIds(pairs),
    recordIds: pairs.map(({ recordId }) => recordId),
  });
};
