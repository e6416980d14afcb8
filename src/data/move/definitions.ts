// Writes what contacts of another server refer to: forms with their options, actions, prices, statuses, teams. Each keeps its id where that is free.
import type { Space } from '../../database/space.ts';
import { defineStatement, type Values } from '../../database/statement.ts';
import { bumpVersionsShowing } from '../contact/bump-versions.ts';
import {
  findMovedRecords,
  type KeepingTable,
  type MovedKind,
  type MoveRun,
  mostKeptId,
  rememberMovedRecords,
  reserveIds,
} from './source-ids.ts';

export type Outcome = 'created' | 'updated' | 'unchanged' | 'kept';

interface DefinitionTable {
  table: KeepingTable;
  /** Columns beside the keys and the times. */
  columns: readonly string[];
  /** Columns by which a record that is here already is the same as one of the source. */
  same?: readonly string[];
  /** Columns that are written once. */
  fixed?: readonly string[];
  /** Whether its records are soft-deleted. */
  isSoft: boolean;
}

const price = ['name', 'amount', 'currency', 'allow_custom_amount', 'hidden', 'kind'];
const tables = {
  form: {
    table: 'forms',
    columns: ['kind', 'label', 'type'],
    same: ['kind', 'label'],
    fixed: ['kind', 'type'],
    isSoft: true,
  },
  option: {
    table: 'form_refs',
    columns: ['form_id', 'label', 'value', 'position'],
    same: ['form_id', 'label'],
    fixed: ['form_id'],
    isSoft: false,
  },
  action: { table: 'actions', columns: ['name'], fixed: ['name'], isSoft: true },
  price_group: { table: 'membership_price_groups', columns: ['name', 'hidden'], same: ['name'], isSoft: true },
  membership_price: {
    table: 'membership_prices',
    columns: [...price, 'membership_price_group_id', 'duration', 'rolling_period'],
    same: ['membership_price_group_id', 'name', 'amount', 'currency'],
    isSoft: true,
  },
  donation_price: {
    table: 'donation_prices',
    columns: price,
    same: ['name', 'amount', 'currency'],
    isSoft: true,
  },
  transaction_status: {
    table: 'transaction_statuses',
    columns: ['name', 'color', 'kind', 'archived'],
    same: ['name'],
    isSoft: true,
  },
  team: {
    table: 'teams',
    columns: ['name', 'description', 'private', 'hide_users'],
    same: ['name'],
    // Whatever changes a team raises its version: replaceTeam does.
    fixed: ['name', 'description', 'private', 'hide_users'],
    isSoft: true,
  },
} as const satisfies Partial<Record<MovedKind, DefinitionTable>>;
export type DefinitionKind = keyof typeof tables;

const times = ['created_at', 'updated_at'];

const buildStatements = (kind: string, { table, columns, same = [], fixed = [], isSoft }: DefinitionTable) => {
  const all = [...columns, ...times];
  const changing = all.filter((column) => !fixed.includes(column));
  const given = `jsonb_populate_record(cast(null as ${table}), cast(:row as jsonb)) r`;
  const newValue = (column: string): string =>
    times.includes(column) ? `coalesce(r.${column}, now())` : `r.${column}`;
  const nextValue = (column: string): string =>
    times.includes(column) ? `coalesce(r.${column}, t.${column})` : `r.${column}`;
  const living = isSoft ? ' and t.deleted_at is null' : '';
  return {
    create: defineStatement(
      `move.create_${kind}`,
      `insert into ${table} (group_id, id, ${all.join(', ')})
       select :group, case when :sourceId > ${mostKeptId} or exists (select from ${table} t where t.group_id = :group and t.id = :sourceId)
                           then nextval('${table}_id_seq') else :sourceId end, ${all.map(newValue).join(', ')}
         from ${given} returning id`,
    ),
    read: defineStatement(
      `move.read_${kind}`,
      `select t.id from ${table} t where t.group_id = :group and t.id = :id${living} for no key update`,
    ),
    update: defineStatement(
      `move.update_${kind}`,
      `update ${table} t set ${changing.map((column) => `${column} = ${nextValue(column)}`).join(', ')}
         from ${given}
        where t.group_id = :group and t.id = :id${living}
          and row(${changing.map((column) => `t.${column}`).join(', ')}) is distinct from row(${changing.map(nextValue).join(', ')})
       returning t.id`,
    ),
    find:
      same.length === 0
        ? undefined
        : defineStatement(
            `move.same_${kind}`,
            `select t.id from ${table} t cross join ${given}
              where t.group_id = :group${living} and ${same.map((column) => `t.${column} = r.${column}`).join(' and ')}
                and not exists (select from moved_records m where m.group_id = :group and m.source = :source and m.kind = :kind and m.record_id = t.id)
              order by t.id limit 1`,
          ),
  };
};
const statements = new Map(
  (Object.keys(tables) as DefinitionKind[]).map((kind) => [kind, buildStatements(kind, tables[kind])]),
);

/** The contacts that show the definition are marked before it changes: their exports show its label. */
const markShowing = async (tx: Space, kind: DefinitionKind, id: number, row: Values): Promise<void> => {
  if (kind === 'form') await bumpVersionsShowing(tx, 'form', id);
  if (kind === 'option') await bumpVersionsShowing(tx, 'form', Number(row.form_id));
};

const differs = new Map(
  (['form', 'option'] as const).map((kind) => {
    const { table } = tables[kind];
    const shown = kind === 'form' ? ['label'] : ['label', 'value'];
    return [
      kind as DefinitionKind,
      defineStatement(
        `move.differs_${kind}`,
        `select t.id from ${table} t cross join jsonb_populate_record(cast(null as ${table}), cast(:row as jsonb)) r
          where t.group_id = :group and t.id = :id and row(${shown.map((column) => `t.${column}`).join(', ')}) is distinct from row(${shown.map((column) => `r.${column}`).join(', ')})`,
      ),
    ];
  }),
);

/**
 * Writes a definition of the source, and returns the id that it has here. One that was moved before is updated; one that was deleted here
 * since stays deleted, and has no id.
 */
export const writeDefinition = async (
  space: Space,
  run: MoveRun,
  kind: DefinitionKind,
  { sourceId, row }: { sourceId: number; row: Values },
): Promise<{ id: number | null; outcome: Outcome }> => {
  const { create, read, update, find } = statements.get(kind)!;
  await reserveIds(space, tables[kind].table, [sourceId]);
  return space.transaction(async (tx) => {
    const values = { row: JSON.stringify(row), source: run.source, kind, sourceId };
    const known = (await findMovedRecords(tx, run.source, kind, [sourceId])).get(sourceId);
    const id = known ?? (find && (await tx.row<{ id: number }>(find, values))?.id);
    if (id === undefined) {
      const made = (await tx.row<{ id: number }>(create, values))!;
      await rememberMovedRecords(tx, run, kind, [{ sourceId, recordId: made.id }]);
      return { id: made.id, outcome: 'created' };
    }
    await rememberMovedRecords(tx, run, kind, [{ sourceId, recordId: id }]);
    const shown = differs.get(kind);
    if (shown && (await tx.row(shown, { ...values, id }))) await markShowing(tx, kind, id, row);
    if (!(await tx.row(read, { id }))) return { id: null, outcome: 'kept' };
    const changed = await tx.row(update, { ...values, id });
    return { id, outcome: changed ? 'updated' : 'unchanged' };
  });
};
