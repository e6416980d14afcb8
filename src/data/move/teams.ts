// Writes a team of another server: its row, its users and its address, with the times of the source.
import type { Space } from '../../database/space.ts';
import { defineStatement, type Values } from '../../database/statement.ts';
import { replaceTeam, type TeamContent } from '../access/team-write.ts';
import { type Outcome, writeDefinition } from './definitions.ts';
import type { MoveRun } from './source-ids.ts';

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
