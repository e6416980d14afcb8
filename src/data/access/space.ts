// The space itself: the organisation whose data it has.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';

export interface SpaceRow {
  id: number;
  name: string;
  created_at: string;
  updated_at: string;
}

export const spaceSql = 'select id, name, created_at, updated_at from spaces where id = :group and deleted_at is null';
const read = defineStatement('space.read', spaceSql);

/** The space of the request; undefined when it was deleted meanwhile. */
export const readSpace = (space: Space): Promise<SpaceRow | undefined> => space.row(read);
