// Traversals: a token reads the pages of a search by number, one after the other, from any process. Each page begins where the one before it ended.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createPerDatabase, type Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { createCacheKey } from '../../limits/cache-key.ts';
import { limits } from '../../limits/limits.ts';
import type { Page } from '../../search/page-plan.ts';
import { comparePositions, type Order, type SortPosition } from '../../search/sort.ts';

/** A page by its number, counted from 0, and the token that asks for it. */
export interface NumberedPage {
  page: number;
  token: number;
}

/** The state of a traversal: the page that was read last, and the contacts after which it began and ended. */
interface Traversal {
  traversal: string;
  page: number;
  /** Null where the page began at an offset, not after a contact. */
  began: SortPosition | null;
  ended: SortPosition;
  /** Instants as PostgreSQL prints them in UTC: sorted as texts they are in order. */
  startedAt: string;
  readAt: string;
}

/** The states that this process wrote last. As long as the database has the same, they save a statement. */
export const getRememberedTraversals = createPerDatabase(
  () => new LRUCache<string, Traversal>({ max: 10_000, ttl: limits.search.traversalMinutes * 60_000 }),
);

/** How many contacts come before a page by number. A number that JavaScript cannot represent is beyond any end. */
export const computePageOffset = (page: number, limit: number): number =>
  Math.min(page * limit, Number.MAX_SAFE_INTEGER);

/** A page that is about to be read. */
interface OpenedPage {
  page: Page;
  /** Stores where the page ended; only then may the next page be requested. False when the page must be read again, from the state in the database. */
  close(found: readonly SortPosition[]): Promise<boolean>;
}

const selectPosition = (name: string): string =>
  `case when ${name}_id is not null then json_build_object('part', ${name}_part, 'key', ${name}_key, 'id', ${name}_id) end as ${name}`;
const instants = `cast(started_at as text) as "startedAt", cast(read_at as text) as "readAt"`;
/** A traversal that began at a later page counts only while it is the latest of its search. */
const findTraversals = defineStatement(
  'traversal.find',
  `select traversal, page, ${selectPosition('began')}, ${selectPosition('ended')}, ${instants}
     from (select t.*, max(t.read_at) over () as last_at from search_traversals t
            where t.group_id = :group and t.token_id = :token and t.search = :search) t
    where page between cast(:page as integer) - 1 and cast(:page as integer)
      and read_at > now() - make_interval(mins => ${limits.search.traversalMinutes})
      and (page = 0 or began_id is not null or read_at = last_at)
    order by read_at desc`,
);

const positionColumns = {
  set: `began_part = :beganPart, began_key = :beganKey, began_id = :beganId, ended_part = :endedPart, ended_key = :endedKey, ended_id = :endedId`,
  columns: 'began_part, began_key, began_id, ended_part, ended_key, ended_id',
  values: ':beganPart, :beganKey, :beganId, :endedPart, :endedKey, :endedId',
};

/**
 * Changes nothing when another request has continued the traversal meanwhile, or when another traversal may be meant, unless all of them were read (`readAll`).
 */
const continueTraversal = defineStatement(
  'traversal.continue',
  `with continued as (
     update search_traversals t set page = :page, ${positionColumns.set}, read_at = now()
      where t.group_id = :group and t.token_id = :token and t.search = :search
        and t.traversal = cast(:traversal as uuid) and t.read_at = cast(:readAt as timestamptz)
        and (:readAll or not exists (
          select 1 from search_traversals o
           where o.group_id = :group and o.token_id = :token and o.search = :search and o.page between cast(:page as integer) - 1 and cast(:page as integer)
             and o.traversal <> t.traversal and o.read_at > t.started_at))
     returning t.traversal, t.started_at, t.read_at)
   select traversal, ${instants} from continued`,
);

/** Traversals that were not continued, whose row another one may take over. Written twice: the insert may not read the update. */
const spareSql = `from search_traversals old
         where old.group_id = :group and old.token_id = :token and old.search = :search
           and cast(:beganId as bigint) is null and old.began_id is null and (old.page = 0) = (cast(:page as integer) = 0)
         order by old.read_at desc offset case cast(:page as integer) when 0 then 1 else 0 end limit 1`;
const buildAddSql = (condition = 'true'): string =>
  `insert into search_traversals (group_id, token_id, search, page, ${positionColumns.columns}, started_at)
     select :group, :token, :search, :page, ${positionColumns.values}, least(cast(:startedAt as timestamptz), now()) where ${condition}
     returning traversal, started_at, read_at`;
/**
 * Most clients read only the first page of a search, again and again. If traversals of a search were not continued, only the latest two are
 * kept, or the latest one that began at a later page. An old row is updated in place if there is one. Yields no row when another request has just taken that row.
 */
const startTraversal = defineStatement(
  'traversal.start',
  `with spared as (
     update search_traversals t set page = :page, ${positionColumns.set}, started_at = least(cast(:startedAt as timestamptz), now()), read_at = now()
      where t.group_id = :group and t.token_id = :token and t.search = :search and t.traversal = (select old.traversal ${spareSql} for update skip locked)
     returning t.traversal, t.started_at, t.read_at),
   forgotten as (
     delete from search_traversals t
      where t.group_id = :group and t.token_id = :token and not exists (select 1 from spared) and (t.search, t.traversal) in (
        select old.search, old.traversal from search_traversals old where old.group_id = :group and old.token_id = :token
         order by old.read_at desc offset ${limits.search.traversals - 1} for update skip locked)),
   added as (${buildAddSql(`not exists (select 1 ${spareSql})`)})
   select traversal, ${instants} from (select * from spared union all select * from added) known`,
);
const addTraversal = defineStatement(
  'traversal.add',
  `with added as (${buildAddSql()}) select traversal, ${instants} from added`,
);

/**
 * Finds the start of a page that continues or repeats a traversal, and that traversal. `states` are the traversals at this page and at the
 * page before it, the latest first.
 */
const chooseContinuation = (
  states: readonly Traversal[],
  page: number,
  order: Order,
): { after: SortPosition; by: Traversal } | undefined => {
  const candidates = states.filter((one) => one.page < page || one.began);
  const [latest] = candidates;
  if (!latest) return undefined;
  // A traversal that continued since the latest one started is of another client. One that did not was given up and started anew.
  const active = candidates.filter(
    (one) => one === latest || (one.readAt > latest.startedAt && one.readAt > one.startedAt),
  );
  const next = active.filter((one) => one.page < page);
  // If no traversal stands at the page before, an answer was lost, and the page is requested again.
  const getPosition = ({ ended, began }: Traversal): SortPosition => (next.length > 0 ? ended : began!);
  // Several traversals cannot be told apart here. The page begins at the earliest of their positions, so that none misses a contact.
  const sorted = (next.length > 0 ? next : active).sort((one, other) =>
    comparePositions(order, getPosition(one), getPosition(other)),
  );
  return { after: getPosition(sorted[0]!), by: sorted.at(-1)! };
};

/**
 * Finds the start of a page by number: after the last contact of the page before it, if the token read that page last; where it began before, if it is
 * requested again; else at its offset in the order of this moment. A page whose state can be neither read nor stored fails: the next one would be wrong.
 * A process that read the page before needs no statement for that, unless it `ignoresMemory`.
 */
export const openNumberedPage = async (
  space: Space,
  { words, order }: { words: string; order: Order },
  { page, token }: NumberedPage,
  { limit, ignoresMemory = false }: { limit: number; ignoresMemory?: boolean },
): Promise<OpenedPage> => {
  const search = hash('sha256', JSON.stringify([words, order, limit]), 'buffer');
  const key = createCacheKey(space.id, token, search.toString('base64'));
  const remembered = ignoresMemory ? undefined : getRememberedTraversals(space).get(key);
  // Only the database knows whether a traversal that began at a later page is the latest one.
  const hint = remembered?.page === page - 1 && (page === 1 || remembered.began) ? remembered : undefined;
  const readStates = (): Promise<Traversal[]> => space.onPrimary<Traversal>(findTraversals, { token, search, page });
  const continued = chooseContinuation(hint ? [hint] : page > 0 ? await readStates() : [], page, order);
  const began = continued?.after;
  return {
    page: began ? { limit, after: began, offset: 0 } : { limit, after: null, offset: computePageOffset(page, limit) },
    async close(found) {
      // Nothing follows a page that is not full, but a traversal may repeat it, or ask for contacts that come later.
      if (!continued && found.length < limit) return true;
      const ended = found.at(-1) ?? began!;
      const values = {
        token,
        search,
        page,
        endedPart: ended.part,
        endedKey: ended.key,
        endedId: ended.id,
        beganPart: began?.part,
        beganKey: began?.key,
        beganId: began?.id,
      };
      const store = async (): Promise<Pick<Traversal, 'traversal' | 'startedAt' | 'readAt'> | undefined> => {
        const [moved] = continued
          ? await space.onPrimary<Traversal>(continueTraversal, { ...continued.by, ...values, readAll: !hint })
          : [];
        if (moved || hint) return moved;
        const fresh = { ...values, startedAt: continued?.by.startedAt };
        const [started] = await space.onPrimary<Traversal>(startTraversal, fresh);
        return started ?? (await space.onPrimary<Traversal>(addTraversal, fresh))[0];
      };
      const row = await store();
      if (row) {
        const position = { part: ended.part, key: ended.key, id: ended.id };
        getRememberedTraversals(space).set(key, { ...row, page, began: began ?? null, ended: position });
      } else getRememberedTraversals(space).delete(key);
      return row !== undefined || !hint;
    },
  };
};
