// Traversals: the pages of a search that a token reads by number, one after the other, in whichever process. Each page begins where the one before it ended.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createPerDatabase } from '../../database/per-database.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits.ts';
import { comparePlaces, type Order, type Page, type SortPosition } from '../../search/order.ts';

/** A page by its number, counted from 0, and the token that asks for it. */
export interface Numbered {
  page: number;
  token: number;
}

/** Where a traversal stands: the page that was read last, after which contact it began, and after which it ended. */
export interface Traversal {
  traversal: string;
  page: number;
  /** Null where the page began at a count of contacts, not after one of them. */
  began: SortPosition | null;
  ended: SortPosition;
  /** Instants as PostgreSQL prints them in UTC: as texts they have the same order. */
  startedAt: string;
  readAt: string;
}

/** Where tokens stood when this process answered them last, which spares a look into the database as long as it is true there. */
export const getRememberedTraversals = createPerDatabase(
  () => new LRUCache<string, Traversal>({ max: 10_000, ttl: limits.search.traversalMinutes * 60_000 }),
);

/** How many contacts come before a page by number; one that JavaScript cannot count to is beyond any end. */
export const computePageOffset = (page: number, limit: number): number =>
  Math.min(page * limit, Number.MAX_SAFE_INTEGER);

/** A page that is about to be read. */
export interface Opened {
  page: Page;
  /** Remembers where the page ended. The next page may be asked for as soon as this is done. False when the page has to be read again, after a look. */
  close(found: readonly SortPosition[]): Promise<boolean>;
}

const placeSql = (name: string): string =>
  `case when ${name}_id is not null then json_build_object('part', ${name}_part, 'key', ${name}_key, 'id', ${name}_id) end as ${name}`;
const instants = `cast(started_at as text) as "startedAt", cast(read_at as text) as "readAt"`;
/** Whoever jumped to a page reads on from there at once, or not at all. */
const find = defineStatement(
  'traversal.find',
  `select traversal, page, ${placeSql('began')}, ${placeSql('ended')}, ${instants}
     from (select t.*, max(t.read_at) over () as last_at from search_traversals t
            where t.group_id = :group and t.token_id = :token and t.search = :search) t
    where page between cast(:page as integer) - 1 and cast(:page as integer)
      and read_at > now() - make_interval(mins => ${limits.search.traversalMinutes})
      and (page = 0 or began_id is not null or read_at = last_at)
    order by read_at desc`,
);

const places = {
  set: `began_part = :beganPart, began_key = :beganKey, began_id = :beganId, ended_part = :endedPart, ended_key = :endedKey, ended_id = :endedId`,
  columns: 'began_part, began_key, began_id, ended_part, ended_key, ended_id',
  values: ':beganPart, :beganKey, :beganId, :endedPart, :endedKey, :endedId',
};

/**
 * Changes nothing when the traversal went on in another request meanwhile. Nor when another one is there that may be meant, unless somebody `looked` at all of them.
 */
const goOn = defineStatement(
  'traversal.goOn',
  `update search_traversals t set page = :page, ${places.set}, read_at = now()
    where t.group_id = :group and t.token_id = :token and t.search = :search
      and t.traversal = cast(:traversal as uuid) and t.read_at = cast(:readAt as timestamptz)
      and (:looked or not exists (
        select from search_traversals o
         where o.group_id = :group and o.token_id = :token and o.search = :search and o.page between cast(:page as integer) - 1 and cast(:page as integer)
           and o.traversal <> t.traversal and o.read_at > t.started_at))
   returning traversal, ${instants}`,
);

/**
 * Most searches are read no further than their first page, again and again: of those that did not go on, the latest two of a search are kept,
 * or the latest one that was jumped to. A row is changed in place where there is one to spare.
 */
const start = defineStatement(
  'traversal.start',
  `with spared as (
     update search_traversals t set page = :page, ${places.set}, started_at = coalesce(cast(:startedAt as timestamptz), now()), read_at = now()
      where t.group_id = :group and t.token_id = :token and t.search = :search and t.traversal = (
        select old.traversal from search_traversals old
         where old.group_id = :group and old.token_id = :token and old.search = :search
           and cast(:beganId as bigint) is null and old.began_id is null and (old.page = 0) = (cast(:page as integer) = 0)
         order by old.read_at desc offset case cast(:page as integer) when 0 then 1 else 0 end limit 1 for update skip locked)
     returning t.traversal, t.started_at, t.read_at),
   forgotten as (
     delete from search_traversals t
      where t.group_id = :group and t.token_id = :token and not exists (select from spared) and (t.search, t.traversal) in (
        select old.search, old.traversal from search_traversals old where old.group_id = :group and old.token_id = :token
         order by old.read_at desc offset ${limits.search.traversals - 1} for update skip locked)),
   added as (
     insert into search_traversals (group_id, token_id, search, page, ${places.columns}, started_at)
     select :group, :token, :search, :page, ${places.values}, coalesce(cast(:startedAt as timestamptz), now())
      where not exists (select from spared)
     returning traversal, started_at, read_at)
   select traversal, ${instants} from (select * from spared union all select * from added) known`,
);

/** Where a page begins that is read in turn, or again, given who stands at it and at the page before it, the latest first; and whose row it changes. */
export const chooseContinuation = (
  standing: readonly Traversal[],
  page: number,
  order: Order,
): { after: SortPosition; by: Traversal } | undefined => {
  const candidates = standing.filter((one) => one.page < page || one.began);
  const [latest] = candidates;
  if (!latest) return undefined;
  // Who has gone on since the latest one started is another client, which reads at the same time. Who has not gave up, and has started anew.
  const active = candidates.filter(
    (one) => one === latest || (one.readAt > latest.startedAt && one.readAt > one.startedAt),
  );
  const next = active.filter((one) => one.page < page);
  // Nobody is due to read this page: an answer was lost, and the page is asked for again.
  const placeOf = ({ ended, began }: Traversal): SortPosition => (next.length > 0 ? ended : began!);
  // Nobody can tell which of several asks. All of them begin at the earliest place, so that none misses anybody.
  const sorted = (next.length > 0 ? next : active).sort((one, other) =>
    comparePlaces(order, placeOf(one), placeOf(other)),
  );
  return { after: placeOf(sorted[0]!), by: sorted.at(-1)! };
};

/**
 * Where a page by number begins: after the last contact of the page before it, if the token read that one last; where it began before, if it is
 * asked for again; else where it is at this moment, counted from the beginning. What cannot be remembered fails no page.
 * Where this process read the page before, what it remembers spares the look, unless this time it `looks` all the same.
 */
export const openNumberedPage = async (
  space: Space,
  { words, order }: { words: string; order: Order },
  { page, token }: Numbered,
  { limit, looks = false }: { limit: number; looks?: boolean },
): Promise<Opened> => {
  const search = hash('sha256', JSON.stringify([words, order, limit]), 'buffer');
  const key = `${space.id} ${token} ${search.toString('base64')}`;
  const remembered = looks ? undefined : getRememberedTraversals(space).get(key);
  // Whether a page that was jumped to is the latest one, only the database knows.
  const hint = remembered?.page === page - 1 && (page === 1 || remembered.began) ? remembered : undefined;
  const look = (): Promise<Traversal[]> => space.onPrimary<Traversal>(find, { token, search, page }).catch(() => []);
  const known = chooseContinuation(hint ? [hint] : page > 0 ? await look() : [], page, order);
  const began = known?.after;
  return {
    page: began ? { limit, after: began, offset: 0 } : { limit, after: null, offset: computePageOffset(page, limit) },
    async close(found) {
      // Nothing follows a page that is not full. A client that reads in turn may still ask for it again, or for who comes after.
      if (!known && found.length < limit) return true;
      const ended = found.at(-1) ?? began!;
      const values = {
        ...{ token, search, page, endedPart: ended.part, endedKey: ended.key, endedId: ended.id },
        ...{ beganPart: began?.part, beganKey: began?.key, beganId: began?.id },
      };
      const keep = async (): Promise<Pick<Traversal, 'traversal' | 'startedAt' | 'readAt'> | undefined> => {
        const [moved] = known ? await space.onPrimary<Traversal>(goOn, { ...known.by, ...values, looked: !hint }) : [];
        if (moved || hint) return moved;
        return (await space.onPrimary<Traversal>(start, { ...values, startedAt: known?.by.startedAt }))[0];
      };
      try {
        const row = await keep();
        if (row) {
          const place = { part: ended.part, key: ended.key, id: ended.id };
          getRememberedTraversals(space).set(key, { ...row, page, began: began ?? null, ended: place });
        } else getRememberedTraversals(space).delete(key);
        return row !== undefined || !hint;
      } catch {
        return true;
      }
    },
  };
};
