// The order of a search as SQL: by the sort attribute with empty values last in both directions, then by id; and the page that begins after a place in it.
import type { Clause, Where } from './compile.ts';
import { buildFromClause, scanRange, type Tables } from './from-clause.ts';

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
  /** By id when there is none. */
  sort: SortName | null;
  ascending: boolean;
}

/** Where a contact stands in an order: its part of it, what it is sorted by there (as text, null when by id alone), its id. */
export interface SortPosition {
  part: number;
  key: string | null;
  id: number;
}

/** A page: how many contacts, from which place on, and how many to skip there. */
export interface Page {
  limit: number;
  after: SortPosition | null;
  offset: number;
}

/** What is walked in turn, each along its own stretch of an index: contacts that pass the test, by a column or by id alone. */
interface OrderPart {
  test: string;
  by: { column: string; type: string } | null;
}

const text = (column: string): OrderPart[] => [
  { test: `s.${column} > ''`, by: { column: `s.${column}`, type: 'text' } },
  { test: `s.${column} = ''`, by: null },
];

/** In ascending order; descending, the parts with values change places. */
const sorts: Record<SortName, OrderPart[]> = {
  surname: text('surname'),
  firstname: text('firstname'),
  married_name: text('married_name'),
  mail: text('mail'),
  city: text('city'),
  birthdate: [
    { test: `s.birthdate < 'infinity'`, by: { column: 's.birthdate', type: 'date' } },
    { test: `s.birthdate = 'infinity'`, by: null },
  ],
  // Of three values each is a part of its own: to sort half a space by id within one value is what an index is for.
  gender: ['F', 'M', 'O', ''].map((value) => ({ test: `s.gender = '${value}'`, by: null })),
  lastchange: [{ test: 'true', by: { column: 'm.lastchange', type: 'timestamptz' } }],
};

/** Those with values turn round, the one without stays last. */
const partsOf = ({ sort, ascending }: Order): OrderPart[] => {
  if (!sort) return [{ test: 'true', by: null }];
  const parts = sorts[sort];
  return ascending || parts.length < 3 ? parts : [...parts.slice(0, -1).reverse(), parts.at(-1)!];
};

/** Which of two places comes first in an order, as `sort` wants it. Keys are compared as PostgreSQL compares them: byte by byte. */
export const comparePlaces = ({ sort, ascending }: Order, one: SortPosition, other: SortPosition): number => {
  const keys = Buffer.compare(Buffer.from(one.key ?? ''), Buffer.from(other.key ?? ''));
  return one.part - other.part || (sort && !ascending ? -keys : keys) || one.id - other.id;
};

/** How many parts an order has, for whoever reads a place from outside. */
export const countOrderParts = (order: Order): number => partsOf(order).length;
export const getKeyType = (order: Order, part: number): string | null => partsOf(order)[part]?.by?.type ?? null;

/** What every match satisfies of the column that an order walks along. */
export const listOrderBounds = (order: Order, { bounds }: Where): string[] =>
  bounds[partsOf(order)[0]!.by?.column ?? 's.contact_id'] ?? [];

/** A stretch of the order: which part it belongs to, which contacts are in it, and how it is ordered. */
interface OrderStretch {
  part: number;
  key: string;
  /** The column that it is ordered by, before the id. */
  by: string | null;
  test: string;
  order: string;
}

/** What follows a place, as stretches that an index walks each from its beginning. What every match satisfies may leave but one part. */
const stretchesAfter = (
  order: Order,
  after: SortPosition | null,
  { bounds }: Pick<Where, 'bounds'>,
): OrderStretch[] => {
  const direction = order.sort && !order.ascending ? 'desc' : 'asc';
  const parts = partsOf(order);
  const known = Object.values(bounds).flat();
  const [from, only] = [after?.part ?? 0, parts.findIndex(({ test }) => known.includes(test))];
  return parts.flatMap(({ test, by }, part): OrderStretch[] => {
    if (part < from || (only >= from && part !== only)) return [];
    const column = by?.column ?? null;
    const key = by ? `cast(${by.column} as text)` : 'null';
    const sorted = by ? `${by.column} ${direction}, s.contact_id` : 's.contact_id';
    if (!after || part > after.part) return [{ part, key, by: column, test, order: sorted }];
    const byId = 's.contact_id > :afterId';
    if (!by) return [{ part, key, by: column, test: `${test} and ${byId}`, order: sorted }];
    const value = `cast(:afterKey as ${by.type})`;
    // An index has them in just this order. It stands first: of several lower bounds a scan begins at the first.
    const beyond = `(${by.column}, s.contact_id) > (${value}, :afterId)`;
    if (direction === 'asc') return [{ part, key, by: column, test: `${beyond} and ${test}`, order: sorted }];
    return [
      { part, key, by: column, test: `${test} and ${by.column} = ${value} and ${byId}`, order: 's.contact_id' },
      {
        part,
        key,
        by: column,
        test: `${test} and ${by.column} < ${value}`,
        order: sorted,
      },
    ];
  });
};

/**
 * Walks the order and takes what passes; for searches that find often enough. Stretches are appended one after the other, so
 * that a page which the first fills never touches the others; an ORDER BY over all of them could not use the index.
 */
const walkOn = (order: Order, page: Page, { sql, mailed, bounds }: Where): string => {
  const arms = stretchesAfter(order, page.after, { bounds }).map(({ part, key, test, order: by }) => {
    const { from, space } = buildFromClause([test, sql, by], mailed);
    return `(select s.contact_id, ${part} as part, ${key} as key from ${from} where ${space} and ${test} and ${sql} order by ${by} limit :reach)`;
  });
  return appended(arms);
};

const appended = (arms: string[]): string =>
  `select contact_id, part, key from (${arms.join('\nunion all\n')}) walked limit :limit offset :offset`;

/**
 * The same with patience: it keeps to one part of the order and gives up in it after so many contacts, so that a page which
 * is not full is no answer. Only contacts of one and the same key are walked to their end, or what follows would not follow.
 * What the search says of the sort attribute itself narrows the walk instead of wearing it out.
 */
const walk = (order: Order, page: Page, { sql, bounds }: Where): string => {
  const stretches = stretchesAfter(order, page.after, { bounds });
  const [first] = stretches as [OrderStretch];
  const walked = stretches.filter(({ part }) => part === first.part);
  const arms = walked.map(({ part, key, by, test, order: sorted }, index) => {
    const narrow = [test, ...(bounds[by ?? 's.contact_id'] ?? [])].join(' and ');
    const limit = index < walked.length - 1 ? '' : ' limit :steps';
    return `(select s.contact_id, ${part} as part, ${key} as key
        from ${scanRange(by, `${narrow} order by ${sorted}${limit}`, sql)} where ${sql} order by ${sorted} limit :reach)`;
  });
  return appended(arms);
};

/** Finds all, then sorts; for searches that find little. The inner OFFSET keeps the planner from walking the order after all. */
const sort = (
  order: Order,
  page: Pick<Page, 'after'>,
  { sql, mailed }: Clause,
  over = (texts: string[]): Pick<Tables, 'from' | 'space'> => buildFromClause(texts, mailed),
): string => {
  const parts = partsOf(order);
  const direction = order.sort && !order.ascending ? 'desc' : 'asc';
  const by = parts[0]!.by;
  const part =
    parts.length > 1 ? `case ${parts.map(({ test }, index) => `when ${test} then ${index}`).join(' ')} end` : '0';
  const key = by ? `case when ${parts[0]!.test} then ${by.column} end` : 'null';
  const { from, space } = over([part, key, sql]);
  const found = `select s.contact_id, ${part} as part, ${key} as key from ${from} where ${space} and ${sql} offset 0`;
  const sorted = by ? `part, key ${direction}, contact_id` : 'part, contact_id';
  const beyond = by
    ? `(part > :afterPart or (part = :afterPart and (key ${direction === 'asc' ? '>' : '<'} cast(:afterKey as ${by.type}) or (key is not distinct from cast(:afterKey as ${by.type}) and contact_id > :afterId))))`
    : '(part > :afterPart or (part = :afterPart and contact_id > :afterId))';
  return `select contact_id, part, cast(key as text) as key from (${found}) found ${page.after ? `where ${beyond}` : ''} order by ${sorted} limit :limit offset :offset`;
};

/**
 * Finds those whom one condition leads to, as long as they are few, and sorts whoever of them matches: nobody else is looked at,
 * whatever the plan. Where they are not few nobody is found, so that an empty page is no answer.
 */
export const buildGatherSql = (order: Order, page: Page, { sql, leading }: Where): string => {
  const led = `(select ${buildMatchesSql({ sql: leading!, mailed: 'none' })} limit ${shortWalkRows + 1}) led`;
  return sort(
    order,
    page,
    { sql: `(select count(*) from ${led}) <= ${shortWalkRows} and ${sql}`, mailed: 'none' },
    (texts) => ({ from: scanRange(null, `${leading} offset 0`, texts.join(' ')), space: 's.group_id = :group' }),
  );
};

/** How a page is found: by a walk with patience, by a walk to the end, or by sorting all that is found. */
export type Way = 'walk' | 'walk on' | 'sort';

/** In contacts: no walk goes on for longer without having filled its page, and none is given up sooner. The shortest is over in a moment, whatever it meets. */
const maxWalkedRows = 25_000;
export const shortWalkRows = 2000;

/** How many contacts are expected to match, of how many in the space, and of how many that the order leads along. */
export interface Expected {
  matches: number;
  total: number;
  along: number;
}

/** How far a walk to the end of a page should go, if matches lay evenly. */
const lengthOf = ({ limit, offset }: Page, { matches, along }: Expected): number =>
  ((offset + limit) * along) / Math.max(matches, 1);

/** Three times what it should take: then they do not. */
const stepsFor = (length: number): number => Math.min(maxWalkedRows, Math.max(shortWalkRows, Math.ceil(length * 3)));

/** Whether the shortest walk should fill a page, along an index that has what follows in just this order. */
export const isShortWalk = (order: Order, page: Page, where: Where, expected: Expected): boolean => {
  const { test, by } = partsOf(order)[stretchesAfter(order, page.after, where)[0]!.part]!;
  const isOrdered = by ? order.ascending : test === 'true';
  return (
    isOrdered && expected.matches >= page.offset + page.limit && stepsFor(lengthOf(page, expected)) === shortWalkRows
  );
};

/**
 * The way to a page, and the other one for a walk that gives up, by how many contacts are expected to match; `guessed`, when
 * no statistics tell. The planner itself would trust that matches lie evenly along the order, and walk all of it when they all stand at its end.
 */
export const choosePageWay = (
  page: Page,
  expected: Expected,
  guessed = false,
): { first: Way; otherwise: Way; steps?: number } => {
  const { matches, total } = expected;
  if (matches >= total) return { first: 'walk on', otherwise: 'walk on' };
  const otherwise = guessed || matches * 5 <= total || total <= maxWalkedRows ? 'sort' : 'walk on';
  const length = lengthOf(page, expected);
  // What nobody knows may be frequent after all.
  if (length * 2 > maxWalkedRows) return { first: guessed ? 'walk' : otherwise, otherwise, steps: shortWalkRows };
  return { first: 'walk', otherwise, steps: stepsFor(length) };
};

/** The contacts of a page with their places in the order: `contact_id`, `part`, `key`. A walk probes, any other way finds. */
export const buildPageSql = (order: Order, page: Page, where: Where, way: Way): string =>
  ({ walk, 'walk on': walkOn, sort })[way](order, page, where);

/** Ids in one row of `allSql`: few enough to be read in a moment. */
const idsOfRow = 10_000;

/** The ids of all that match, in their order: rows of lists, so that a million ids are a hundred rows. It binds what a page binds. */
export const buildAllIdsSql = (order: Order, where: Where): string => {
  const all = `select array_agg(contact_id) as ids from (${sort(order, { after: null }, where)}) sorted`;
  return `select ids[n : n + ${idsOfRow - 1}] as ids from (${all}) a, generate_series(1, cardinality(ids), ${idsOfRow}) n order by n`;
};
/** PostgreSQL takes a limit of null for none. */
export const allValues = { limit: null, offset: 0 };

/** The values that a page binds, beside those of its condition. */
export const bindPageValues = ({ limit, after, offset }: Page, steps = maxWalkedRows): Record<string, unknown> => ({
  limit,
  offset,
  reach: offset + limit,
  steps,
  ...(after && { afterPart: after.part, afterKey: after.key, afterId: after.id }),
});

/** Whether nearly all match, so that it is less work to find those who do not. */
export const matchesNearlyAll = ({ matches, total }: Expected): boolean =>
  total > maxWalkedRows && matches * 5 > total * 4;

/** Whether so many match that to count them is to read whole tables. */
export const matchesMany = ({ matches, total }: Expected): boolean => matches * 100 > total;

/** The contacts that match, `s`, as what follows `select …`. */
export const buildMatchesSql = ({ sql, mailed }: Clause): string => {
  const { from, space } = buildFromClause([sql], mailed);
  return `from ${from} where ${space} and ${sql}`;
};
