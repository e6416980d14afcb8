// The order of a search as SQL: by the sort attribute, empty values last in both directions, then by id; and positions in that order.
import type { Where } from './compile.ts';
import { buildDistanceSql, type Origin } from './places.ts';

export const sortNames = [
  'surname',
  'firstname',
  'birthdate',
  'gender',
  'lastchange',
  'mail',
  'married_name',
  'city',
] as const;
export type SortName = (typeof sortNames)[number];

export type Direction = 'asc' | 'desc';

export interface Order {
  /** By id alone when it is null; by how well a text matches, the best first, when it is `relevance`; by the distance from its origin, when it is `distance`. */
  sort: SortName | 'relevance' | 'distance' | null;
  ascending: boolean;
  /** The conditions of the ranks of a text, each without the ranks before it. */
  ranks?: readonly string[];
  /** The circle that all matches are in. */
  origin?: Origin;
}

/** The ranks of a text: a cursor of another one has as many. */
export const rankCount = 7;

/** The position of a contact in an order: the part of the order, the sort key there (as text; null when the part is sorted by id alone), the id. */
export interface SortPosition {
  part: number;
  key: string | null;
  id: number;
}

/** A part of an order, which one index range has in the right order: the contacts that satisfy `test`, by a column or by id alone. */
interface OrderPart {
  test: string;
  by: { column: string; type: string } | null;
}

const splitByPresence = (column: string): OrderPart[] => [
  { test: `s.${column} > ''`, by: { column: `s.${column}`, type: 'text' } },
  { test: `s.${column} = ''`, by: null },
];

/** In ascending order. Descending, the parts with values change places. */
const sorts: Record<SortName, OrderPart[]> = {
  surname: splitByPresence('surname'),
  firstname: splitByPresence('firstname'),
  married_name: splitByPresence('married_name'),
  mail: splitByPresence('mail'),
  city: splitByPresence('city'),
  birthdate: [
    { test: `s.birthdate < 'infinity'`, by: { column: 's.birthdate', type: 'date' } },
    { test: `s.birthdate = 'infinity'`, by: null },
  ],
  // Each value is a part of its own: an index gives the contacts of one value by id, where a sort would take half a space.
  gender: ['F', 'M', 'O', ''].map((value) => ({ test: `s.gender = '${value}'`, by: null })),
  lastchange: [{ test: 'true', by: { column: 'm.lastchange', type: 'timestamptz' } }],
};

const distance = buildDistanceSql('home', ':originLatitude', ':originLongitude');

/** The parts of an order. Descending reverses the parts with values; the part without values stays last. */
export const listOrderParts = ({ sort, ascending, ranks = [] }: Order): OrderPart[] => {
  if (!sort) return [{ test: 'true', by: null }];
  if (sort === 'relevance')
    return Array.from({ length: rankCount }, (_, rank) => ({ test: ranks[rank] ?? 'false', by: null }));
  if (sort === 'distance') return [{ test: 'true', by: { column: distance, type: 'double precision' } }];
  const parts = sorts[sort];
  return ascending || parts.length < 3 ? parts : [...parts.slice(0, -1).reverse(), parts.at(-1)!];
};

/** The direction of the sort key. */
const getSortDirection = ({ ascending }: Order): Direction => (ascending ? 'asc' : 'desc');
/** The direction of ids: beside a sort key they ascend in every order. */
const getIdDirection = ({ sort, ascending }: Order): Direction => (sort || ascending ? 'asc' : 'desc');

/** The directions in which a page is read: backwards, both are reversed. */
export const getReadingDirections = (order: Order, backwards = false): { key: Direction; id: Direction } => {
  const turn = (direction: Direction): Direction => ((direction === 'asc') === backwards ? 'desc' : 'asc');
  return { key: turn(getSortDirection(order)), id: turn(getIdDirection(order)) };
};

/** Compares two positions in an order, as `Array.sort` wants it. Keys are compared byte by byte, as PostgreSQL compares them. */
export const comparePositions = (order: Order, one: SortPosition, other: SortPosition): number => {
  const keys =
    order.sort === 'distance'
      ? Number(one.key) - Number(other.key)
      : Buffer.compare(Buffer.from(one.key ?? ''), Buffer.from(other.key ?? ''));
  const ids = one.id - other.id;
  return (
    one.part - other.part ||
    (getSortDirection(order) === 'desc' ? -keys : keys) ||
    (getIdDirection(order) === 'desc' ? -ids : ids)
  );
};

/** How many parts an order has: the bound of a part that a client sends. */
export const countOrderParts = (order: Order): number => listOrderParts(order).length;
export const getKeyType = (order: Order, part: number): string | null => listOrderParts(order)[part]?.by?.type ?? null;

/** Conditions that every match satisfies, on the column of the sort key: they narrow the index range that an order scans. */
export const listOrderBounds = (order: Order, { bounds }: Where): string[] =>
  bounds[listOrderParts(order)[0]!.by?.column ?? 's.contact_id'] ?? [];

/** An index range: the part of the order that it belongs to, the contacts in it, and their order. */
export interface OrderRange {
  part: number;
  /** The sort key as text, in SQL. */
  key: string;
  /** The column that the range is sorted by before the id. */
  by: string | null;
  test: string;
  order: string;
}

/** The contacts of an order between two positions, neither of which is included; `backwards`, the last of them are read first. */
export interface Span {
  after: SortPosition | null;
  before?: SortPosition | null;
  backwards?: boolean;
}

/** The operator for a value beyond a bound, in the order. */
const getBeyondOperator = (side: 'after' | 'before', direction: Direction): '>' | '<' =>
  (side === 'after') === (direction === 'asc') ? '>' : '<';

/** The conditions of a bound in the part of its position: one condition, and the same as two ranges, in the order of the part, where an index has no pairs in that order. */
const buildBound = (order: Order, { by }: OrderPart, side: 'after' | 'before'): { test: string; ranges: string[] } => {
  const [key, id] = [getSortDirection(order), getIdDirection(order)].map((one) => getBeyondOperator(side, one));
  const byId = `s.contact_id ${id} :${side}Id`;
  if (!by) return { test: byId, ranges: [byId] };
  const value = `cast(:${side}Key as ${by.type})`;
  if (key === id) {
    const pair = `(${by.column}, s.contact_id) ${key} (${value}, :${side}Id)`;
    return { test: pair, ranges: [pair] };
  }
  const ranges = [`${by.column} = ${value} and ${byId}`, `${by.column} ${key} ${value}`];
  return { test: `(${ranges.join(' or ')})`, ranges };
};

/** A span of an order as index ranges, in the order of reading, each of which is scanned from its beginning. Bounds that every match satisfies may exclude all parts but one. */
export const listRanges = (
  order: Order,
  { after, before = null, backwards = false }: Span,
  { bounds }: Pick<Where, 'bounds'>,
): OrderRange[] => {
  const parts = listOrderParts(order);
  const satisfied = Object.values(bounds).flat();
  const [first, last] = [after?.part ?? 0, before?.part ?? parts.length - 1];
  const only = parts.findIndex(({ test }) => satisfied.includes(test));
  const isOnly = only >= first && only <= last;
  const direction = getReadingDirections(order, backwards);
  const byId = `s.contact_id${direction.id === 'desc' ? ' desc' : ''}`;
  const ranges = parts.map((one, part): OrderRange[] => {
    if (part < first || part > last || (isOnly && part !== only)) return [];
    const { test, by } = one;
    const [start, end] = backwards ? ([before, after] as const) : ([after, before] as const);
    const [startSide, endSide] = backwards ? (['before', 'after'] as const) : (['after', 'before'] as const);
    // The start comes first: of several bounds on one side, a scan begins at the first.
    const starts = start?.part === part ? buildBound(order, one, startSide).ranges : [];
    const rest = [...(end?.part === part ? [buildBound(order, one, endSide).test] : []), test];
    const range = {
      part,
      key: by ? `cast(${by.column} as text)` : 'null',
      by: by?.column ?? null,
      test: rest.join(' and '),
      order: by ? `${by.column} ${direction.key}, ${byId}` : byId,
    };
    if (starts.length === 0) return [range];
    return starts.map((begin, index) => ({
      ...range,
      test: [begin, ...rest].join(' and '),
      // Contacts with the key of the position are in the order of their ids.
      order: starts.length > 1 && index === 0 ? byId : range.order,
    }));
  });
  return (backwards ? ranges.reverse() : ranges).flat();
};
