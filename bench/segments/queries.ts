// The queries of the measured segments: ten kinds, each with other values in turn.

type Query = (ids: readonly number[]) => object;

const letters = ['Dé', 'Le', 'Ma', 'B', 'Sa'];
const cities = ['Lyon', 'Paris', 'Marseille', 'Lille', 'Nantes'];
const words = ['climat', 'logement', 'école', 'santé', 'justice'];

const kinds: ((turn: number) => Query)[] = [
  (turn) => () => ({ lastName: { startsWith: letters[turn % 5] } }),
  (turn) => () => ({ tags: { in: [`tag-0${turn % 10}`] } }),
  (turn) => () => ({ and: [{ tags: { notIn: ['tag-00', `tag-0${1 + (turn % 9)}`] } }, { email: { exists: true } }] }),
  (turn) => () => ({ donations: { total: { gte: 1000 * (turn + 1) } } }),
  (turn) => () => ({
    and: [
      { birthDate: { between: { from: 'now-35y', to: 'now-18y' } } },
      { address: { city: { equals: cities[turn % 5] } } },
    ],
  }),
  (turn) => () => ({ emails: { openedAt: { gte: `now-${30 * (turn + 1)}d` } } }),
  (turn) => () => ({ memberships: { year: { equals: 2021 + (turn % 5) } } }),
  (turn) => () => ({
    and: [{ gender: { equals: turn % 2 ? 'F' : 'M' } }, { optedOut: { equals: false } }, { mobile: { exists: true } }],
  }),
  (turn) => () => ({ emails: { campaignName: { contains: words[turn % 5] } } }),
  (turn) => (ids) => ({
    and: [
      { segment: { in: [ids[10 * turn], ids[10 * turn + 3]] } },
      { not: { segment: { in: [ids[10 * turn + 1]] } } },
    ],
  }),
];

/** As many queries as segments; one may name the segments before it. */
export const listQueries = (count: number): Query[] =>
  Array.from({ length: count }, (_, index) => kinds[index % kinds.length]!(Math.floor(index / kinds.length)));
