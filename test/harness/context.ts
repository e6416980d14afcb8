// The context of a request that a test executes itself, past the doors.
import type { Context } from '../../src/context.ts';
import type { Space } from '../../src/database/space.ts';
import { getCurrentMicros } from '../../src/search/datetime.ts';

/** Of a superadmin of the space: its user 1. */
export const createContext = (space: Space): Context => ({
  caller: {
    tokenId: 1,
    userId: 1,
    groupId: space.id,
    roleId: 1,
    roleType: 'superadmin',
    scope: 'admin',
    permissions: null,
  },
  requestId: null,
  bucket: { tokens: 1, cost: 1, capacity: 100, refill: 10 },
  now: getCurrentMicros(),
  space,
});
