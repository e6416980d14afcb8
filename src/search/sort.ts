// The order of a search as SQL: by the sort attribute, empty values last in both directions, then by id; and positions in that order.
import type { Where } from './compile.ts';

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

export interface Order {
  /** By id alone when it is null. */
  sort: SortName | null;
  ascending: boolean;
}

/** The position of a contact in an order: the part of the order, the sort key there (as text; null when the part is sorted by id alone), the id. */
export interface SortPosition {
  part: number;
  key: string | null;
  id: number;
}

/** A part of an order, which one index range has in the right order: the contacts that satisfy `test`, by a column or by id alone. */
export interface OrderPart {
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

/** The parts of an order. Descending reverses the parts with values; the part without values stays last. */
export const listOrderParts = ({ sort, ascending }: Order): OrderPart[] => {
  if (!sort) return [{ test: 'true', by: null }];
  const parts = sorts[sort];
  return ascending || parts.length < 3 ? parts : [...parts.slice(0, -1).reverse(), parts.at(-1)!];
};

/** The direction of the sort key. Ids ascend in every order. */
export const getSortDirection = ({ sort, ascending }: Order): 'asc' | 'desc' => (sort && !ascending ? 'desc' : 'asc');

/** Compares two positions in an order, as `Array.sort` wants it. Keys are compared byte by byte, as PostgreSQL compares them. */
export const comparePositions = (order: Order, one: SortPosition, other: SortPosition): number => {
  const keys = Buffer.compare(Buffer.from(one.key ?? ''), Buffer.from(other.key ?? ''));
  return one.part - other.part || (getSortDirection(order) === 'desc' ? -keys : keys) || one.id - other.id;
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

/** The rest of an order after a position, as index ranges that are each scanned from their beginning. Bounds that every match satisfies may exclude all parts but one. */
export const listRangesAfter = (
  order: Order,
  after: SortPosition | null,
  { bounds }: Pick<Where, 'bounds'>,
): OrderRange[] => {
  const direction = getSortDirection(order);
  const parts = listOrderParts(order);
  const satisfied = Object.values(bounds).flat();
  const [from, only] = [after?.part ?? 0, parts.findIndex(({ test }) => satisfied.includes(test))];
  return parts.flatMap(({ test, by }, part): OrderRange[] => {
    if (part < from || (only >= from && part !== only)) return [];
    const column = by?.column ?? null;
    const key = by ? `cast(${by.column} as text)` : 'null';
    const sorted = by ? `${by.column} ${direction}, s.contact_id` : 's.contact_id';
    if (!after || part > after.part) return [{ part, key, by: column, test, order: sorted }];
    const byId = 's.contact_id > :afterId';
    if (!by) return [{ part, key, by: column, test: `${test} and ${byId}`, order: sorted }];
    const value = `cast(:afterKey as ${by.type})`;
    // The index has pairs in this very order. The comparison comes first: of several lower bounds, a scan starts at the first.
    const beyond = `(${by.column}, s.contact_id) > (${value}, :afterId)`;
    if (direction === 'asc') return [{ part, key, by: column, test: `${beyond} and ${test}`, order: sorted }];
    return [
      { part, key, by: column, test: `${test} and ${by.column} = ${value} and ${byId}`, order: 's.contact_id' },
      { part, key, by: column, test: `${test} and ${by.column} < ${value}`, order: sorted },
    ];
  });
};
