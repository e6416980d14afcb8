// What a process remembers of each database that it works on, held as long as that database is open.
import type { Space } from './space.ts';

/** A function that gives the memory of a space's database, made by `create` when it is first asked for. */
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
