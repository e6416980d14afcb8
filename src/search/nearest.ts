// Pages in the order of the distance from a centre: rings around it, each wider than the one before, are read until the page is full.
import type { Where } from './compile.ts';
import { buildFromClause } from './from-clause.ts';
import { buildBandSql, listStripsOfRing, type Strip } from './places.ts';
import { getReadingDirections, listOrderParts, type Order, type Span } from './sort.ts';

/** How far the rings reach from where the page begins, in kilometres; the last one reaches as far as the circle. */
const reaches = [1, 4, 16, 64, 256, 1024];

/** The rings of a page, in the order of reading. */
const listRings = ({ km }: { km: number }, { after, before, backwards }: Span): [from: number, to: number][] => {
  const from = after ? Number(after.key) : 0;
  const to = before ? Number(before.key) : km;
  const inner = reaches.map((reach) => (backwards ? to - reach : from + reach)).filter((at) => at > from && at < to);
  const bounds = [from, ...inner, to].sort((one, other) => one - other);
  const rings = bounds.slice(1).map((end, index): [number, number] => [bounds[index]!, end]);
  return backwards ? rings.reverse() : rings;
};

/** The values that an order by distance binds, and its rings where a span of it is read by rings; none of any other order. */
export const bindOrderValues = ({ origin }: Order, span: Span | undefined): Record<string, unknown> => {
  if (!origin) return {};
  const { latitude: originLatitude, longitude: originLongitude } = origin;
  if (!span) return { originLatitude, originLongitude };
  const rings = listRings(origin, span);
  const end = Math.max(...rings.map(([, to]) => to));
  const strips = rings.flatMap(([from, to], index) =>
    listStripsOfRing(origin, from, to).map((strip) => ({ ...strip, ring: index + 1 })),
  );
  const listStrips = (name: keyof Strip | 'ring') => strips.map((strip) => strip[name]);
  return {
    originLatitude,
    originLongitude,
    ringFrom: rings.map(([from]) => from),
    // The condition of the search, or the position of the page, decides where it ends.
    ringTo: rings.map(([, to]) => (to === end ? Infinity : to)),
    stripRing: listStrips('ring'),
    stripBand: listStrips('band'),
    stripWest: listStrips('west'),
    stripEast: listStrips('east'),
  };
};

/**
 * The contacts of the rings, one ring after the other, each sorted; a later ring is not read once the page is full. At most `rowBudget` contacts are
 * tested, so that a page that is not full is no answer where there is such a budget. The test is a subquery: a join might change the order.
 */
export const buildNearestSql = (order: Order, span: Span, { sql, emails }: Where, rowBudget: string): string => {
  const distance = listOrderParts(order)[0]!.by!.column;
  const { key, id } = getReadingDirections(order, span.backwards);
  const sides = (['after', 'before'] as const).filter((side) => span[side]);
  const bounds = sides.map(
    (side) =>
      `and (n.distance, n.contact_id) ${side === 'after' ? '>' : '<'} (cast(:${side}Key as double precision), cast(:${side}Id as bigint))`,
  );
  const { from, space } = buildFromClause([sql], emails);
  return `select n.contact_id, 0 as part, cast(n.distance as text) as key
    from (select r.contact_id, r.distance
            from unnest(cast(:ringFrom as double precision[]), cast(:ringTo as double precision[])) with ordinality ring (near, far, number)
                 cross join lateral (
                   select n.contact_id, n.distance
                     from (select home.contact_id, ${distance} as distance
                             from unnest(cast(:stripRing as integer[]), cast(:stripBand as double precision[]), cast(:stripWest as double precision[]), cast(:stripEast as double precision[]))
                                    strip (ring, band, west, east)
                                  join addresses home on home.group_id = :group and ${buildBandSql('home')} = strip.band and home.longitude between strip.west and strip.east
                            where strip.ring = ring.number offset 0) n
                    where n.distance >= ring.near and n.distance < ring.far ${bounds.join(' ')}
                    order by n.distance ${key}, n.contact_id ${id}) r
           limit ${rowBudget}) n
   where coalesce((select true from ${from} where ${space} and s.contact_id = n.contact_id and ${sql} limit 1), false)
   limit :limit offset :offset`;
};
