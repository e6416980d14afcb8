// Counts of what a search finds by city, tag, age or month of the last change: one statement groups all matches.
import { takesLong } from '../../database/search-pool.ts';
import type { Space } from '../../database/space.ts';
import { prepareStatement } from '../../database/statement.ts';
import { buildFromClause } from '../../search/from-clause.ts';
import { runSearch } from './find.ts';
import type { SearchPlan } from './search-plan.ts';

const facetNames = ['city', 'tag', 'age', 'month_of_last_change'] as const;
export type FacetName = (typeof facetNames)[number];

/** Contacts by value. Contacts with several tags count for each of them. */
export interface Facets {
  total: number;
  withoutValue: number;
  distinctValues: number;
  values: { value: string; count: number }[];
}

/** The age at which each group of ages begins. */
const ageBounds = [0, 18, 25, 35, 50, 65];
const lastAges = `${ageBounds.at(-1)}+`;
/** The groups of ages, the youngest first: `18-24`. */
export const ageGroups = ageBounds.map((from, index) =>
  ageBounds[index + 1] === undefined ? lastAges : `${from}-${ageBounds[index + 1]! - 1}`,
);

interface FacetSql {
  /** The value of a contact as it is grouped, null without one. */
  key: string;
  /** A join beside the tables of the search. */
  join?: string;
  /** How many contacts a row stands for: a contact with three tags has three rows, the first of which counts. */
  contacts?: string;
  /** The value as it is answered, of a row `t` with `key` and `example`, the least id of its contacts. */
  value: string;
  order: string;
}

/** Days of birth, ascending, after which a contact is younger than each bound. */
const birthBounds = ageBounds
  .slice(1)
  .reverse()
  .map((age) => `cast(cast(:facetDay as date) - interval '${age} years' as date) + 1`)
  .join(', ');

const facetSqls: Record<FacetName, FacetSql> = {
  city: {
    key: `nullif(s.city, '')`,
    // Search rows have folded texts, so the spelling is that of a contact.
    value: `(select trim(a.city) from addresses a where a.group_id = :group and a.contact_id = t.example)`,
    order: 'count desc, key',
  },
  tag: {
    key: 'tag.id',
    join: `cross join lateral unnest(case when s.tag_ids = '{}' then array[null::bigint] else s.tag_ids end) with ordinality tag (id, place)`,
    contacts: 'tag.place = 1',
    value: '(select g.name from tags g where g.group_id = :group and g.id = t.key)',
    order: 'count desc, key',
  },
  age: {
    key: `case when s.birthdate < 'infinity' then width_bucket(s.birthdate, array[${birthBounds}]) end`,
    value: `(array['${ageGroups.toReversed().join("', '")}'])[t.key + 1]`,
    order: 'key desc',
  },
  month_of_last_change: {
    key: `date_trunc('month', m.lastchange at time zone 'UTC')`,
    value: `to_char(t.key, 'YYYY-MM')`,
    order: 'key desc',
  },
};

/** Counts the contacts of a search by value: the most frequent cities and tags first, all ages from the youngest, the latest months first. */
export const countFacets = (
  space: Space,
  plan: SearchPlan,
  { by, first, now }: { by: FacetName; first: number; now: string },
): Promise<Facets> =>
  runSearch(space, takesLong, async (rows) => {
    const { where, values } = (await plan.bind(rows)).getFind();
    const { key, join = '', contacts = 'true', value, order } = facetSqls[by];
    const tables = buildFromClause([where.sql, key, join], where.emails);
    const sql = `with grouped as materialized (
      select ${key} as key, count(*) as count, count(*) filter (where ${contacts}) as contacts, min(s.contact_id) as example
        from ${tables.from} ${join} where ${tables.space} and ${where.sql} group by 1),
    top as (select * from grouped where key is not null order by ${order} limit :facetFirst),
    named as (select ${value} as value, count, row_number() over (order by ${order}) as place from top t)
    select coalesce((select sum(contacts) from grouped), 0) as total,
           coalesce((select sum(count) from grouped where key is null), 0) as without_value,
           (select count(*) from grouped where key is not null) as distinct_values,
           coalesce((select json_agg(json_build_object('value', value, 'count', count) order by place) from named), '[]') as values`;
    const [found] = await rows<{
      total: string;
      without_value: string;
      distinct_values: number;
      values: Facets['values'];
    }>(prepareStatement('search.facets', sql), {
      ...values,
      facetFirst: first,
      ...(by === 'age' && { facetDay: now.slice(0, 10) }),
    });
    return {
      total: Number(found!.total),
      withoutValue: Number(found!.without_value),
      distinctValues: Number(found!.distinct_values),
      values: found!.values,
    };
  });
