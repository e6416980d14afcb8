// The workloads: their requests, concurrency and random values.
export const names = ['single', 'list50', 'filter', 'agg', 'bulk', 'note', 'mix', 'introspect'] as const;
export type Workload = (typeof names)[number];
/** A workload that is one kind of request. */
export type Kind = Exclude<Workload, 'mix'>;

export const connections: Record<Workload, number> = {
  single: 10,
  list50: 10,
  filter: 10,
  agg: 10,
  bulk: 4,
  note: 10,
  mix: 50,
  introspect: 4,
};

export const meanings: Record<Workload, string> = {
  single: 'a contact by id with address, tags and notes',
  list50: 'a page of 50 by surname, with tags and notes',
  filter: 'the first 50 of a city with one of two tags, with address and tags',
  agg: 'the first 50 of a first letter whose transactions add up to 100 euros',
  bulk: 'a page of 1000 with all fields, address, tags, notes and answers',
  note: 'write a note',
  mix: '60 % single, 20 % list50, 10 % filter, 10 % note',
  introspect: 'the standard introspection query',
};

/** The share of each request in the mix, in percent. */
const mix: [Kind, number][] = [
  ['single', 60],
  ['list50', 20],
  ['filter', 10],
  ['note', 10],
];
export const listRequestKinds = (workload: Workload): Kind[] =>
  workload === 'mix' ? mix.map(([kind]) => kind) : [workload];

/** The random values of one request, the same for all entries, all in space 1. */
export interface Draw {
  id: number;
  page: number;
  bulkPage: number;
  city: string;
  /** Their names are `tag` and the id. */
  tags: [number, number];
  letter: string;
  /** The position in the mix, from 0 to 99. */
  share: number;
}

/** Mulberry32: the same numbers for the same seed, everywhere. */
const random = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
  };
};

export const drawValues = (count: number, people: number, seed: number): Draw[] => {
  const next = random(seed);
  const below = (end: number): number => Math.floor(next() * end);
  return Array.from({ length: count }, () => {
    const first = below(20);
    return {
      id: 2 * (1 + below(people / 2)),
      page: below(Math.min(80, people / 2 / 50)),
      bulkPage: below(Math.min(10, people / 2 / 1000)),
      city: `City${below(50)}`,
      tags: [1 + 20 * first, 1 + 20 * ((first + 1 + below(19)) % 20)],
      letter: '0123456789ABCDEF'[below(16)]!,
      share: below(100),
    };
  });
};

/** The kind of request for a random value. */
export const pickRequestKind = (workload: Workload, { share }: Draw): Kind => {
  if (workload !== 'mix') return workload;
  let left = share;
  for (const [kind, part] of mix) {
    left -= part;
    if (left < 0) return kind;
  }
  return 'single';
};
