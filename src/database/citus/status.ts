// Reads what the nodes of a Citus cluster hold and where its largest spaces are, and moves a space to another node.
import type pg from 'pg';
import { migrationLock } from '../migrate.ts';
import { gatherShardStatistics, isDistributed, leader } from '../places.ts';
import type { NodeAddress } from './distribute.ts';

export interface ClusterNode {
  /** `host:port`, as the coordinator knows it. */
  node: string;
  role: 'coordinator' | 'worker';
  /** Whether the cluster uses it. */
  active: boolean;
  /** Whether the coordinator can connect to it now. */
  reachable: boolean;
  /** Groups of shards. Each has a shard of every table by space, and they move together. */
  shards: number;
  /** Bytes of all its shards and copies, with their indexes; null when the node cannot be reached. */
  bytes: number | null;
  /** Spaces that are there, deleted ones included. */
  spaces: number;
}

export interface PlacedSpace {
  space: number;
  name: string;
  /** `host:port` of its node. */
  node: string;
  /** Whether its shards hold no other space. */
  alone: boolean;
  /** Contacts that are not deleted; null when the node cannot be reached. */
  contacts: number | null;
  /** Bytes of its shards, or its part of shared ones by its contacts. Null when the node cannot be reached. */
  bytes: number | null;
}

/** Longer than a connection within a cluster takes. Without it a node that drops packets would hold the command for half a minute. */
const connectionTimeout = 'set citus.node_connection_timeout = 5000';

const nodesSql = `
  with groups as (
    select p.groupid, count(*) as shards
      from pg_dist_shard d join pg_dist_placement p using (shardid) where d.logicalrelid = '${leader}'::regclass group by 1),
  homes as (
    select p.groupid, count(*) as spaces
      from spaces s join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('${leader}', s.id) group by 1),
  sizes as (
    select nodename, nodeport, sum(shard_size) as bytes from citus_shards group by 1, 2),
  nodes as materialized (
    select *, citus_check_connection_to_node(nodename, nodeport) as reachable from pg_dist_node where noderole = 'primary')
  select n.nodename || ':' || n.nodeport as node, case n.groupid when 0 then 'coordinator' else 'worker' end as role,
         n.isactive as active, n.reachable, coalesce(g.shards, 0)::int as shards,
         case when n.reachable then coalesce(z.bytes, 0)::float8 end as bytes, coalesce(h.spaces, 0)::int as spaces
    from nodes n left join groups g using (groupid) left join homes h using (groupid) left join sizes z using (nodename, nodeport)
   order by n.groupid`;

/** A shard that cannot be reached has an error in place of its counts. */
const spacesSql = `
  with counted as materialized (
    select shardid, case when success then result::jsonb end as counts
      from run_command_on_shards('${leader}',
        'select coalesce(json_object_agg(group_id, n), ''{}'') from (select group_id, count(*) as n from %s where deleted_at is null group by 1) of_space')),
  sizes as (
    select own.shardid, sum(c.shard_size) as bytes
      from pg_dist_shard own
      join pg_dist_partition led on led.logicalrelid = own.logicalrelid
      join pg_dist_partition t on t.colocationid = led.colocationid
      join pg_dist_shard d on d.logicalrelid = t.logicalrelid and d.shardminvalue = own.shardminvalue
      join citus_shards c on c.shardid = d.shardid
     where own.logicalrelid = '${leader}'::regclass
     group by 1),
  shards as materialized (
    select d.shardid, n.nodename || ':' || n.nodeport as node, d.shardminvalue = d.shardmaxvalue as alone, c.counts,
           case when c.counts is not null then z.bytes end as bytes,
           (select sum(value::float8) from jsonb_each_text(c.counts)) as contacts
      from pg_dist_shard d join pg_dist_placement p using (shardid) join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
      join counted c using (shardid) left join sizes z using (shardid)),
  placed as (
    select s.id, s.name, d.node, d.alone, d.bytes, d.contacts as together,
           case when d.counts is not null then coalesce((d.counts ->> s.id::text)::int, 0) end as contacts
      from spaces s join shards d on d.shardid = get_shard_id_for_distribution_column('${leader}', s.id))
  select id::float8 as space, name, node, alone, contacts,
         case when alone then bytes::float8 else coalesce(round(bytes * contacts / nullif(together, 0)), bytes * 0)::float8 end as bytes
    from placed order by contacts desc nulls last, id limit $1`;

/** Throws for a database without a cluster, or before its tables have their places. */
export const requireDistributed = async (client: pg.Client): Promise<void> => {
  if (!(await isDistributed(client)))
    throw new Error('This database is not distributed over a cluster: run "muster distribute" first');
};

/** The nodes, the coordinator first. A node that is down is listed as unreachable. Throws for a database that is not distributed. */
export const listNodes = async (client: pg.Client): Promise<ClusterNode[]> => {
  await requireDistributed(client);
  await client.query(connectionTimeout);
  return (await client.query<ClusterNode>(nodesSql)).rows;
};

/** Up to `limit` spaces, those with the most contacts first, those on unreachable nodes last. Throws for a database that is not distributed. */
export const listLargestSpaces = async (client: pg.Client, limit: number): Promise<PlacedSpace[]> => {
  await requireDistributed(client);
  await client.query(connectionTimeout);
  return (await client.query<PlacedSpace>(spacesSql, [limit])).rows;
};

/** The shard of the leading table that holds a space. The shards of the other tables are beside it. */
interface Place {
  shard: string;
  nodeId: number;
  node: string;
  /** Whether the shard holds no other space. */
  alone: boolean;
}

const placeSql = `
  select d.shardid as shard, n.nodeid as "nodeId", n.nodename || ':' || n.nodeport as node, d.shardminvalue = d.shardmaxvalue as alone
    from pg_dist_shard d join pg_dist_placement p using (shardid) join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
   where d.shardid = get_shard_id_for_distribution_column('${leader}', $1::bigint)`;
const workersSql = `
  select nodeid as id, nodename || ':' || nodeport as node
    from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards order by nodeid`;

/** Writers wait while rows are copied. The other way copies by logical replication, which refuses unlogged tables, and some of ours are. */
const mode = 'block_writes';

const requireWorker = async (client: pg.Client, address: NodeAddress) => {
  const name = `${address.host}:${address.port}`;
  const workers = (await client.query<{ id: number; node: string }>(workersSql)).rows;
  const found = workers.find(({ node }) => node === name);
  if (found) return found;
  const others = workers.map(({ node }) => node).join(', ');
  throw new Error(`${name} is no active worker of the cluster. Its workers are ${others}`);
};

const readPlace = async (client: pg.Client, space: number): Promise<Place> =>
  (await client.query<Place>(placeSql, [space])).rows[0]!;

/** Waits for other commands that move rows or migrate, also for one whose process was killed, until the server has noticed. The session keeps the lock. */
const lockPlaces = async (client: pg.Client, onStep: (text: string) => void): Promise<void> => {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [migrationLock]);
  if (rows[0]!.taken) return;
  onStep('another command that moves rows or migrates is under way: waiting for it');
  await client.query('select pg_advisory_lock($1)', [migrationLock]);
};

/**
 * Moves all rows of a space to a worker, and returns the `host:port` of the node that had them: that of `to` when nothing was left to do. Both
 * steps are transactions of Citus. When it is stopped between them, the space has shards of its own on the former node, and the next call only
 * moves these. Throws for a database that is not distributed, a missing space, and a node that is no active worker.
 */
export const moveSpace = async (
  client: pg.Client,
  space: number,
  to: NodeAddress,
  onStep: (text: string) => void = () => {},
): Promise<string> => {
  await requireDistributed(client);
  const { rows: found } = await client.query('select 1 from spaces where id = $1', [space]);
  if (found.length === 0) throw new Error(`There is no space ${space}`);
  const target = await requireWorker(client, to);
  await lockPlaces(client, onStep);
  const before = await readPlace(client, space);
  if (before.nodeId === target.id) {
    // A former call may have been stopped after the move.
    await gatherShardStatistics(client);
    return before.node;
  }
  if (!before.alone) {
    onStep(`space ${space} gets shards of its own on ${before.node}`);
    await client.query(
      `select isolate_tenant_to_new_shard('${leader}', $1::bigint, 'CASCADE', shard_transfer_mode => '${mode}')`,
      [space],
    );
  }
  const { shard, nodeId, node } = await readPlace(client, space);
  onStep(`the shards of space ${space} move from ${node} to ${target.node}`);
  await client.query(`select citus_move_shard_placement($1, $2::int, $3::int, '${mode}')`, [shard, nodeId, target.id]);
  onStep('statistics of the new shards are gathered');
  await gatherShardStatistics(client);
  return before.node;
};
