// The statistics of the shards on all nodes of a cluster: whether there are some, and a way to lose them.
import type pg from 'pg';

/** Runs a statement on each node, for those of its shards that have no statistics, or have some. Returns the errors of the nodes. */
const runOnShards = async (client: pg.Client, statistics: 'none' | 'some', statement: string): Promise<string[]> => {
  const { rows } = await client.query('select result from run_command_on_all_nodes($1) where not success', [
    `do $do$ declare shard record; begin
       perform set_config('citus.override_table_visibility', 'off', true), set_config('allow_system_table_mods', 'on', true);
       for shard in select c.oid, c.relname as name from pg_dist_shard s join pg_class c on c.oid = to_regclass(shard_name(s.logicalrelid, s.shardid))
         where (c.reltuples < 0) = ${statistics === 'none'} loop ${statement}; end loop; end $do$`,
  ]);
  return rows.map(({ result }) => result);
};

/** An error for each node that has shards without statistics. */
export const findMissingStatistics = (client: pg.Client): Promise<string[]> =>
  runOnShards(client, 'none', `raise exception '%', shard.name`);

export const removeStatistics = (client: pg.Client): Promise<string[]> =>
  runOnShards(client, 'some', 'update pg_class set reltuples = -1 where pg_class.oid = shard.oid');
