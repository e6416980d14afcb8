// Writes what contacts of another server refer to: forms with their options, actions, prices, statuses, teams. Each keeps its id where that is free.
import type { Space } from '../../database/space.ts';
import { defineStatement, oneRowOfSpace, type Values } from '../../database/statement.ts';
import { Problem } from '../../problem.ts';
import { replaceTeam, type TeamContent } from '../access/team-write.ts';
import { bumpVersionsShowing } from '../noun/lock-contacts.ts';
import {
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
  /** Its records are deleted for good. */
  isHard?: true;
}

const price = ['name', 'amount', 'currency', 'allow_custom_amount', 'hidden', 'kind'];
const tables = {
  form: { table: 'forms', columns: ['kind', 'label', 'type'], same: ['kind', 'label'], fixed: ['kind', 'type'] },
  option: {
    table: 'form_refs',
    columns: ['form_id', 'label', 'value', 'position'],
    same: ['form_id', 'label'],
    fixed: ['form_id'],
    isHard: true,
  },
  action: { table: 'actions', columns: ['name'], fixed: ['name'] },
  price_group: { table: 'membership_price_groups', columns: ['name', 'hidden'], same: ['name'] },
  membership_price: {
    table: 'membership_prices',
    columns: [...price, 'membership_price_group_id', 'duration', 'rolling_period'],
    same: ['membership_price_group_id', 'name', 'amount', 'currency'],
  },
  donation_price: { table: 'donation_prices', columns: price, same: ['name', 'amount', 'currency'] },
  transaction_status: {
    table: 'transaction_statuses',
    columns: ['name', 'color', 'kind', 'archived'],
    same: ['name'],
  },
  team: {
    table: 'teams',
    columns: ['name', 'description', 'private', 'hide_users'],
    same: ['name'],
    // Changes of a team raise its version: replaceTeam writes them.
    fixed: ['name', 'description', 'private', 'hide_users'],
  },
} as const satisfies Partial<Record<MovedKind, DefinitionTable>>;
export type DefinitionKind = keyof typeof tables;

const times = ['created_at', 'updated_at'];
/** In this transaction, a price does not move the time of its group, which the source has told. */
const keepGroupTimes = defineStatement(
  'move.keep_group_times',
  `select set_config('muster.keeps_times', 'on', true) from ${oneRowOfSpace}`,
);

const buildStatements = (kind: string, { table, columns, same = [], fixed = [], isHard }: DefinitionTable) => {
  const all = [...columns, ...times];
  const changing = all.filter((column) => !fixed.includes(column));
  const given = `jsonb_populate_record(cast(null as ${table}), cast(:row as jsonb)) r`;
  const newValue = (column: string): string =>
    times.includes(column) ? `coalesce(r.${column}, now())` : `r.${column}`;
  const nextValue = (column: string): string =>
    times.includes(column) ? `coalesce(r.${column}, t.${column})` : `r.${column}`;
  const living = isHard ? '' : ' and t.deleted_at is null';
  const differs = (some: readonly string[]): string =>
    `row(${some.map((column) => `t.${column}`).join(', ')}) is distinct from row(${some.map(nextValue).join(', ')})`;
  const isMoved = `m.group_id = :group and m.source = :source and m.kind = '${kind}'`;
  const findSame =
    same.length === 0
      ? 'cast(null as bigint)'
      : `(select t.id from ${table} t where t.group_id = :group${living} and ${same.map((column) => `t.${column} = r.${column}`).join(' and ')}
           and not exists (select 1 from moved_records m where ${isMoved} and m.record_id = t.id) order by t.id limit 1)`;
  return {
    locate: defineStatement(
      `move.locate_${kind}`,
      `select m.record_id as known, t.id as living, coalesce(${differs(changing)}, false) as changes,
              case when m.record_id is null then ${findSame} end as same
         from ${given}
         left join moved_records m on ${isMoved} and m.source_id = :sourceId
         left join ${table} t on t.group_id = :group and t.id = m.record_id${living}`,
    ),
    /** Another process that moves the same source meets the key of moved_records. */
    create: defineStatement(
      `move.create_${kind}`,
      `with made as (
         insert into ${table} (group_id, id, ${all.join(', ')})
         select :group, case when :sourceId > ${mostKeptId} or exists (select 1 from ${table} t where t.group_id = :group and t.id = :sourceId)
                             then nextval('${table}_id_seq') else :sourceId end, ${all.map(newValue).join(', ')}
           from ${given} returning id)
       insert into moved_records (group_id, source, kind, source_id, record_id, import_id)
       select :group, :source, '${kind}', :sourceId, m.id, :import from made m returning record_id as id`,
    ),
    differs: defineStatement(
      `move.differs_${kind}`,
      `select t.id from ${table} t cross join ${given}
        where t.group_id = :group and t.id = :id and ${differs(columns.filter((column) => !fixed.includes(column)))}`,
    ),
    update: defineStatement(
      `move.update_${kind}`,
      `update ${table} t set ${changing.map((column) => `${column} = ${nextValue(column)}`).join(', ')}
         from ${given}
        where t.group_id = :group and t.id = :id${living} and ${differs(changing)}
       returning t.id`,
    ),
  };
};
const statements = new Map(
  (Object.keys(tables) as DefinitionKind[]).map((kind) => [kind, buildStatements(kind, tables[kind])]),
);

/** The form whose contacts are marked when it changes, since exports show its labels and values. */
const getShownForm = (kind: DefinitionKind, id: number, row: Values): number | undefined => {
  if (kind === 'form') return id;
  return kind === 'option' ? Number(row.form_id) : undefined;
};

interface Located {
  known: number | null;
  living: number | null;
  changes: boolean;
  same: number | null;
}

/** A definition of the source: its id there, and its row. */
interface Definition {
  sourceId: number;
  row: Values;
}

const updateDefinition = async (
  space: Space,
  run: MoveRun,
  kind: DefinitionKind,
  { id, sourceId, row }: Definition & { id: number },
): Promise<boolean> =>
  space.transaction(async (tx) => {
    const { differs, update } = statements.get(kind)!;
    const values = { row: JSON.stringify(row), id };
    const form = getShownForm(kind, id, row);
    if (form !== undefined && (await tx.row(differs, values))) await bumpVersionsShowing(tx, 'form', form);
    if (kind === 'membership_price') await tx.rows(keepGroupTimes);
    const changed = await tx.row(update, values);
    await rememberMovedRecords(tx, run, kind, [{ sourceId, recordId: id }]);
    return changed !== undefined;
  });

const tryDefinition = async (
  space: Space,
  run: MoveRun,
  kind: DefinitionKind,
  definition: Definition,
): Promise<{ id: number | null; outcome: Outcome }> => {
  const { locate, create } = statements.get(kind)!;
  const { sourceId, row } = definition;
  const values = { row: JSON.stringify(row), source: run.source, sourceId };
  const { known, living, changes, same } = (await space.row<Located>(locate, values))!;
  if (known !== null && living === null) return { id: null, outcome: 'kept' };
  if (known !== null && !changes) return { id: known, outcome: 'unchanged' };
  const id = known ?? same;
  if (id !== null) {
    const isChanged = await updateDefinition(space, run, kind, { ...definition, id });
    return { id, outcome: isChanged ? 'updated' : 'unchanged' };
  }
  await reserveIds(space, tables[kind].table, [sourceId]);
  // A refused row must not end the transaction of a dry run.
  const made = await space.transaction(async (tx) => {
    if (kind === 'membership_price') await tx.rows(keepGroupTimes);
    return tx.row<{ id: number }>(create, { ...values, import: run.id });
  });
  return { id: made!.id, outcome: 'created' };
};

/**
 * Writes a definition of the source, and returns the id that it has here. One that was moved before is updated; one that was deleted here
 * since stays deleted, and has no id. Throws a problem for one that the database refuses.
 */
export const writeDefinition = async (
  space: Space,
  run: MoveRun,
  kind: DefinitionKind,
  definition: Definition,
): Promise<{ id: number | null; outcome: Outcome }> => {
  try {
    return await tryDefinition(space, run, kind, definition);
  } catch (error) {
    // Another process may have written it meanwhile.
    if (error instanceof Problem && error.code === 'conflict') return tryDefinition(space, run, kind, definition);
    throw error;
  }
};

const readVersion = defineStatement(
  'move.team_version',
  'select version from teams where group_id = :group and id = :id',
);
const keepTimes = defineStatement(
  'move.team_times',
  `update teams t set created_at = coalesce(r.created_at, t.created_at), updated_at = coalesce(r.updated_at, t.updated_at)
     from jsonb_populate_record(cast(null as teams), cast(:row as jsonb)) r where t.group_id = :group and t.id = :id`,
);

/** Writes a team, whose users are members of the space. */
export const writeMovedTeam = async (
  space: Space,
  run: MoveRun,
  { sourceId, row, content }: { sourceId: number; row: Values; content: TeamContent },
): Promise<Outcome> => {
  const { id, outcome } = await writeDefinition(space, run, 'team', { sourceId, row });
  if (id === null) return outcome;
  return space.transaction(async (tx) => {
    const before = await tx.row<{ version: number }>(readVersion, { id });
    const { version } = await replaceTeam(tx, id, content, { userId: -1, seesAll: true });
    await tx.rows(keepTimes, { id, row: JSON.stringify(row) });
    return outcome === 'unchanged' && version !== before?.version ? 'updated' : outcome;
  });
};
