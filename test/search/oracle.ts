// An independent reading of the search language: who matches a query, and which ids a page of it holds, worked out over plain objects.
import { type Condition, compileCondition, type Holds } from './oracle-conditions.ts';
import { parseMicros } from './oracle-dates.ts';
import { compareText } from './oracle-text.ts';
import { getView, type Person, type Text, type View } from './oracle-view.ts';
import type { Population } from './rows.ts';
import { segmentTrees } from './segments.ts';

export type { Condition } from './oracle-conditions.ts';

export type Group = { $all: { $condition: Condition }[] } | { $at_least_one: { $condition: Condition }[] };
export type Query = { $all: Group[] } | { $at_least_one: Group[] };

export interface AdvancedSearch {
  per_page: number;
  page?: number;
  sort_attr?: string;
  sort_asc?: boolean;
  include_interactions?: boolean;
  query?: Query;
}

const joined = <T>(node: { $all: T[] } | { $at_least_one: T[] }, hold: (child: T) => Holds): Holds => {
  const all = '$all' in node;
  const children = (all ? node.$all : node.$at_least_one).map(hold);
  return (person) => (all ? children.every((holds) => holds(person)) : children.some((holds) => holds(person)));
};

const queryHolds = (query: Query | undefined, view: View, now: bigint): Holds =>
  query === undefined
    ? () => true
    : joined(query, (group: Group) => joined(group, ({ $condition }) => partHolds($condition, view, now)));

/** A contact is in a segment when its query holds; a segment may name others. */
const partHolds = (condition: Condition, view: View, now: bigint): Holds => {
  if (condition.attr !== 'segment') return compileCondition(condition, view, now);
  const ids = [condition.value]
    .flat()
    .flatMap((one) => String(one).split(','))
    .map(Number);
  const within = ids.map((id) => queryHolds(segmentTrees.get(id)!, view, now));
  return (person) => within.some((holds) => holds(person)) !== (condition.ope === 'none_of');
};

/** Those who match, in no order. `group` is the space that is searched. */
export const findMatches = (
  population: Population,
  query: Query | undefined,
  now: string = population.now,
  group = 1,
): Set<number> => {
  const view = getView(population, group);
  return new Set(view.people.filter(queryHolds(query, view, parseMicros(now))).map(({ id }) => id));
};

type Key = string | bigint | null;

const keyOf = (person: Person, attr: string): Key => {
  const value = person.own[attr === 'city' ? 'address.city' : attr];
  if (value === undefined) throw new Error(`No order by ${attr}`);
  return value === null || typeof value === 'bigint' ? value : (value as Text).folded;
};

const compareKeys = (left: Key, right: Key): number => {
  if (typeof left === 'string') return compareText(left, right as string);
  const [earlier, later] = [left as bigint, right as bigint];
  return earlier < later ? -1 : earlier > later ? 1 : 0;
};

/** By the attribute, who has none of it last whichever the direction; then by id, ascending whichever the direction. */
const inOrder = (people: Person[], { sort_attr, sort_asc = false }: AdvancedSearch): number[] => {
  if (sort_attr === undefined) return people.map(({ id }) => id).sort((left, right) => left - right);
  return people
    .map((person) => ({ id: person.id, key: keyOf(person, sort_attr) }))
    .sort((left, right) => {
      if (left.key === null || right.key === null)
        return Number(left.key === null) - Number(right.key === null) || left.id - right.id;
      return (sort_asc ? 1 : -1) * compareKeys(left.key, right.key) || left.id - right.id;
    })
    .map(({ id }) => id);
};

/** The ids of the page that was asked for, in order. */
export const findMatchingPage = (
  population: Population,
  advancedSearch: AdvancedSearch,
  now: string = population.now,
  group = 1,
): number[] => {
  const view = getView(population, group);
  const found = view.people.filter(queryHolds(advancedSearch.query, view, parseMicros(now)));
  const start = (advancedSearch.page ?? 0) * advancedSearch.per_page;
  return inOrder(found, advancedSearch).slice(start, start + advancedSearch.per_page);
};
