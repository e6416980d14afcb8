// A seeded source of chance for the population and the generator: the same seed gives the same draws on every machine.

export interface Chance {
  /** From 0 up to but not including `below`. */
  whole(below: number): number;
  pick<T>(pool: readonly T[]): T;
  /** True in `share` of the draws. */
  odds(share: number): boolean;
  some<T>(pool: readonly T[], count: number): T[];
  shuffle<T>(items: readonly T[]): T[];
}

/** Mulberry32: 32 bits of state are plenty for some thousand draws. */
export const createChance = (seed: number): Chance => {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const whole = (below: number): number => Math.floor(next() * below);
  const pick = <T>(pool: readonly T[]): T => {
    if (pool.length === 0) throw new Error('Nothing to pick from');
    return pool[whole(pool.length)]!;
  };
  const shuffle = <T>(items: readonly T[]): T[] => {
    const mixed = [...items];
    for (let index = mixed.length - 1; index > 0; index--) {
      const other = whole(index + 1);
      [mixed[index], mixed[other]] = [mixed[other]!, mixed[index]!];
    }
    return mixed;
  };
  return {
    whole,
    pick,
    odds: (share) => next() < share,
    some: (pool, count) => shuffle(pool).slice(0, count),
    shuffle,
  };
};

/** A seed made of a text and a number, so that every cell draws its own values. */
export const seedOf = (text: string, seed: number): number => {
  let hash = 2166136261 ^ seed;
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0)!, 16777619);
  return hash >>> 0;
};
