// Moves a space to another worker of a Citus cluster: it gets shards of its own, and these are moved.
import type pg from 'pg';
import { gatherShardStatistics, leader } from '../places.ts';
import type { NodeAddress } from './distribute.ts';
import { requireDistributed } from './status.ts';

/** The shard of the leading table that holds a space. The shards of the other tables are beside it. */
interface Place {
  shard: string;
  nodeId: number;
  node: string;
  /** Whether the shard holds no other space. */
  alone: boolean;
}

interface Worker {
  id: number;
  node: string;
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

const requireSpace = async (client: pg.Client, space: number): Promise<void> => {
  const { rows } = await client.query('select 1 from spaces where id = $1', [space]);
  if (rows.length === 0) throw new Error(`There is no space ${space}`);
};

const requireWorker = async (client: pg.Client, address: NodeAddress): Promise<Worker> => {
  const name = `${address.host}:${address.port}`;
  const workers = (await client.query<Worker>(workersSql)).rows;
  const found = workers.find(({ node }) => node === name);
  if (found) return found;
  const others = workers.map(({ node }) => node).join(', ');
  throw new Error(`${name} is no active worker of the cluster. Its workers are ${others}`);
};

const readPlace = async (client: pg.Client, space: number): Promise<Place> =>
  (await client.query<Place>(placeSql, [space])).rows[0]!;

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
  await requireSpace(client, space);
  const target = await requireWorker(client, to);
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
