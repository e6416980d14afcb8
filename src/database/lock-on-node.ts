// Locks and reads rows of the tables that all nodes of a cluster have: spaces, members, roles.
import { defineStatement } from './statement.ts';

/** A condition that is always true. It reads a table of the space, so that a cluster runs the statement on the node of the space. */
export const onNode = 'not exists (select 1 from teams where group_id = :group and id < 0)';

/**
 * SQL that returns the rows of a locking select. A cluster locks the copy on the node of the space, which foreign keys are checked with. Otherwise the
 * lock would wait for those of all other spaces.
 */
export const buildLockOnNodeSql = (select: string): string =>
  `with locked as (${select}) select l.* from locked l where ${onNode}`;

/** Writers that take it wait for each other. Writers of records do not wait, since their foreign keys need a weaker lock. */
export const lockSpace = defineStatement(
  'space.lock',
  buildLockOnNodeSql('select id from spaces where id = :group and deleted_at is null for no key update'),
);
