// Memories of a process, one for each database that is open.
import type { Space } from './space.ts';

/** Returns a function that gives the memory of a space's database; `create` makes it when it is first asked for. */
export const createPerDatabase = <Memory>(create: () => Memory): ((space: Space) => Memory) => {
  const memories = new WeakMap<object, Memory>();
  return ({ database }) => {
    const known = memories.get(database);
    if (known !== undefined) return known;
    const fresh = create();
    memories.set(database, fresh);
    return fresh;
  };
};
