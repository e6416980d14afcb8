// Gives the tables of a database their places on a Citus cluster, as their comments say (migrations/0020_places_on_a_cluster.sql).
import type pg from 'pg';

export interface Step {
  name: string;
  sql: string;
}

/** The table that the others of a space are colocated with. */
export const leader = 'contacts';

export const hasCitus = async (client: pg.Client): Promise<boolean> =>
  (await client.query(`select 1 from pg_extension where extname = 'citus'`)).rows.length > 0;

/** Whether the database is on a cluster, and its tables are distributed. */
export const isDistributed = async (client: pg.Client): Promise<boolean> => {
  if (!(await hasCitus(client))) return false;
  const found = await client.query('select 1 from pg_dist_partition where logicalrelid = to_regclass($1)', [leader]);
  return found.rows.length > 0;
};

/** Tables with a place that they do not have yet, each after those that it refers to. Before the extension exists, all of them. Those of the coordinator stay where every table begins. */
const buildTablesSql = (isInstalled: boolean): string => `
  with recursive own as (
    select c.oid, c.relname::text as name, c.relkind = 'p' as partitioned, obj_description(c.oid, 'pg_class') as place
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and obj_description(c.oid, 'pg_class') ~ '^Cluster: (?!on the coordinator$)'
       ${isInstalled ? 'and c.oid not in (select logicalrelid from pg_dist_partition)' : ''}),
  edges as (
    select distinct conrelid as child, confrelid as parent from pg_constraint where contype = 'f' and conrelid <> confrelid),
  ranked as (
    select oid, 0 as rank from own
    union
    select e.child, r.rank + 1 from ranked r join edges e on e.parent = r.oid)
  select o.name, o.partitioned, o.place
    from own o join ranked r using (oid)
   group by 1, 2, 3
   order by o.place <> 'Cluster: on all nodes', o.name <> '${leader}', max(r.rank), o.name`;

interface Table {
  name: string;
  partitioned: boolean;
  place: string;
}

/** A shard is what a partition was: the same table without partitions, with its indexes and statistics. Functions that return its rows are dropped with it. */
const buildUnpartitionSql = (name: string): string => `do $do$
declare
  first regclass := (select inhrelid from pg_inherits where inhparent = '${name}'::regclass order by inhrelid limit 1);
  options text := (select array_to_string(reloptions, ', ') from pg_class where oid = first);
  place text := obj_description('${name}'::regclass, 'pg_class');
  indexes text[] := array(
    select replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') from pg_index i where i.indrelid = '${name}'::regclass and not i.indisprimary);
  expressions text[] := array(select pg_get_statisticsobjdef_expressions(s.oid)::text from pg_statistic_ext s where s.stxrelid = first);
  definition text;
begin
  execute format('create table whole (like ${name} including defaults including constraints including comments) with (%s)', options);
  insert into whole select * from ${name};
  drop table ${name} cascade;
  alter table whole rename to ${name};
  alter table ${name} add primary key (group_id, contact_id);
  execute format('comment on table ${name} is %L', place);
  foreach definition in array indexes loop execute definition; end loop;
  foreach definition in array expressions loop
    execute format('create statistics ${name}_%s on %s from ${name}', array_position(expressions, definition), (definition::text[])[1]);
  end loop;
end $do$`;

/** Rows that are copied to the nodes are no change, and a trigger of the coordinator would fire beside those of the shards. triggers.sql creates them again. */
const dropTriggers: Step = {
  name: 'triggers, until the tables have their places',
  sql: `do $do$
declare
  one record;
begin
  for one in
    select t.tgname, t.tgrelid::regclass as name
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgparentid = 0
       and obj_description(c.oid, 'pg_class') ~ '^Cluster: '
  loop execute format('drop trigger %I on %s', one.tgname, one.name); end loop;
end $do$`,
};

/** The steps that give tables their places, in order; none when all have them. The first distribution also drops the triggers. */
export const planPlaces = async (client: pg.Client): Promise<Step[]> => {
  const tables = (await client.query<Table>(buildTablesSql(await hasCitus(client)))).rows;
  if (tables.length === 0) return [];
  return [
    ...(tables.some(({ name }) => name === leader) ? [dropTriggers] : []),
    ...tables
      .filter(({ partitioned }) => partitioned)
      .map(({ name }) => ({ name: `${name}, without partitions`, sql: buildUnpartitionSql(name) })),
    ...tables.map(({ name, place }) => {
      switch (place) {
        case 'Cluster: on all nodes':
          return { name: `${name}, a copy on every node`, sql: `select create_reference_table('${name}')` };
        case 'Cluster: by space':
          return {
            name: `${name}, by space`,
            sql: `select create_distributed_table('${name}', 'group_id', colocate_with => '${name === leader ? 'none' : leader}')`,
          };
        default:
          throw new Error(`The comment of table ${name} names no place on a cluster: ${place}`);
      }
    }),
  ];
};

/** Settings of the transaction that gives tables their places: it takes as long as the rows take, one shard after the other. */
export const placingSettings: readonly string[] = [
  'set local statement_timeout = 0',
  'set local citus.enable_unsafe_triggers = on',
  `set local citus.multi_shard_modify_mode = 'sequential'`,
  'set local citus.enable_local_reference_table_foreign_keys = off',
];

const analyzeShards = `do $do$
  declare
    shard regclass;
  begin
    perform set_config('citus.override_table_visibility', 'off', true);
    for shard in
      select c.oid from pg_dist_shard s join pg_class c on c.oid = to_regclass(shard_name(s.logicalrelid, s.shardid)) where c.reltuples < 0
    loop
      execute 'analyze ' || shard;
    end loop;
  end $do$`;

/**
 * Gathers the statistics of all shards that have none, on all nodes: a plan without them may read all rows of a space for each one. It leaves out
 * those that have some, and so can be repeated after an interruption.
 */
export const gatherShardStatistics = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query('select result from run_command_on_all_nodes($1) where not success', [
    analyzeShards,
  ]);
  if (rows.length > 0) throw new Error(`The statistics of a node could not be gathered: ${rows[0].result}`);
};
