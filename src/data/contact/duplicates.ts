// Finds contacts that may be one person: groups of those that share a mail, a phone, a name and a birthdate, or an address and about a name.
import { takesLong } from '../../database/search-pool.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { listKeptApart } from './kept-apart.ts';

export const duplicateReasons = [
  'same_email',
  'same_phone',
  'same_name_and_birthdate',
  'similar_name_same_address',
] as const;
export type DuplicateReason = (typeof duplicateReasons)[number];

/** The place of a group in the order of its reason: what its contacts share, and the smallest id of them. */
export interface Place {
  reason: DuplicateReason;
  shared: [string, string, string];
  id: number;
}

export interface DuplicateGroup {
  place: Place;
  /** By id. */
  ids: number[];
  /** From 0 to 1. */
  score: number;
}

export interface DuplicatePage {
  groups: DuplicateGroup[];
  /** The next page begins behind it: it is the last group, or how far the contacts were looked at. */
  place: Place | undefined;
  hasMore: boolean;
}

/** Contacts that one statement looks at, or a few more: reading and folding their addresses takes longest. */
const countRows = (reason: DuplicateReason): number => (reason === 'similar_name_same_address' ? 500 : 5000);
/** In milliseconds. A page that has taken as long is answered as it is: it should come soon also where nobody has a duplicate. */
const patience = 100;
/** The least similarity of two names, by their trigrams. */
const leastSimilarity = 0.5;
/** The next text in the order of code points. */
const findNextText = (text: string): string => `${text}\u0001`;

const firstRows = 'fetch first :rows rows with ties';
/** The next contacts of each reason in the order of an index, all of those that share the last place of the order: what they share is `a`, `b` and `c`. */
const scans: Record<DuplicateReason, string> = {
  same_email: `
    select mail as a, '' as b, '' as c, contact_id from contact_search where group_id = :group and mail >= :a and mail <> '' order by mail ${firstRows}`,
  same_phone: `
    select p.a, '' as b, '' as c, p.contact_id from (
      (select mobile as a, contact_id from contact_search where group_id = :group and mobile <> '' and mobile >= :a order by mobile ${firstRows})
      union all
      (select phone, contact_id from contact_search where group_id = :group and phone <> '' and phone >= :a order by phone ${firstRows})) p
     order by p.a ${firstRows}`,
  same_name_and_birthdate: `
    select surname as a, firstname as b, case when isfinite(birthdate) and firstname <> '' then birthdate::text else '' end as c, contact_id
      from contact_search where group_id = :group and (surname, firstname) >= (:a, :b) and surname <> '' order by surname, firstname ${firstRows}`,
  similar_name_same_address: `
    select s.postal_code as a, coalesce(fold(d.street), '') as b, coalesce(fold(d.house_number), '') as c, s.contact_id
      from (select postal_code, contact_id from contact_search where group_id = :group and postal_code >= :a and postal_code <> ''
             order by postal_code ${firstRows}) s
      left join addresses d on d.group_id = :group and d.contact_id = s.contact_id`,
};

/** Whether what they share means something: an address without a street, and a name without a birthdate, do not. */
const meaningful: Record<DuplicateReason, string> = {
  same_email: 'true',
  same_phone: 'true',
  same_name_and_birthdate: `c <> ''`,
  similar_name_same_address: `b <> ''`,
};

const defineScan = (reason: DuplicateReason) =>
  defineStatement(
    `duplicates.${reason}`,
    `with scanned as materialized (${scans[reason]}),
     found as (
       select a, b, c, array_agg(distinct contact_id order by contact_id) as ids from scanned
        where ${meaningful[reason]} and (a, b, c) >= (:a, :b, :c)
        group by a, b, c having count(distinct contact_id) > 1 order by a, b, c limit :limit)
     select (select row_to_json(s) from (select a, b from scanned order by a desc, b desc limit 1) s where (select count(*) from scanned) >= :rows) as reached,
            coalesce((select json_agg(f order by f.a, f.b, f.c) from found f), '[]') as found`,
  );
const statements = Object.fromEntries(duplicateReasons.map((reason) => [reason, defineScan(reason)])) as Record<
  DuplicateReason,
  ReturnType<typeof defineScan>
>;

const names = defineStatement(
  'duplicates.names',
  `select contact_id as id, surname, firstname from contact_search where group_id = :group and contact_id = any(:ids)`,
);
const similarNames = defineStatement(
  'duplicates.similar_names',
  `select x.contact_id as one, y.contact_id as other, similarity(x.firstname || ' ' || x.surname, y.firstname || ' ' || y.surname) as score
     from unnest(cast(:ids as bigint[]), cast(:groups as int[])) g (id, household)
     join unnest(cast(:ids as bigint[]), cast(:groups as int[])) h (id, household) on h.household = g.household and h.id > g.id
     join contact_search x on x.group_id = :group and x.contact_id = g.id
     join contact_search y on y.group_id = :group and y.contact_id = h.id
    where similarity(x.firstname || ' ' || x.surname, y.firstname || ' ' || y.surname) >= ${leastSimilarity}`,
);

interface Candidate {
  a: string;
  b: string;
  c: string;
  ids: number[];
}

/** The scores of groups whose contacts have one name, and of the others: couples share a mail and a phone. */
const scores: Record<Exclude<DuplicateReason, 'similar_name_same_address'>, [oneName: number, several: number]> = {
  same_email: [0.95, 0.6],
  same_phone: [0.9, 0.4],
  same_name_and_birthdate: [0.9, 0.9],
};

const scoreByName = async (
  space: Space,
  reason: keyof typeof scores,
  candidates: readonly Candidate[],
): Promise<DuplicateGroup[]> => {
  const rows = await space.rows<{ id: number; surname: string; firstname: string }>(names, {
    ids: candidates.flatMap(({ ids }) => ids),
  });
  const nameOf = new Map(rows.map(({ id, surname, firstname }) => [id, JSON.stringify([surname, firstname])]));
  return candidates.map(({ a, b, c, ids }) => {
    const isOneName = new Set(ids.map((id) => nameOf.get(id))).size === 1;
    return { place: { reason, shared: [a, b, c], id: ids[0]! }, ids, score: scores[reason][isOneName ? 0 : 1] };
  });
};

/** Divides the people of each address into those whose names are similar, directly or by the names of others. */
const groupSimilarNames = async (space: Space, candidates: readonly Candidate[]): Promise<DuplicateGroup[]> => {
  const households = candidates.filter(({ ids }) => ids.length <= limits.duplicates.household);
  const values = {
    ids: households.flatMap(({ ids }) => ids),
    groups: households.flatMap(({ ids }, index) => ids.map(() => index)),
  };
  const pairs = await space.runSlow((run) => run<{ one: number; other: number; score: number }>(similarNames, values), {
    expectedMs: takesLong,
  });
  const groupOf = new Map<number, { ids: Set<number>; score: number }>();
  for (const { one, other, score } of pairs) {
    const [known, joined] = [groupOf.get(one), groupOf.get(other)];
    const group = {
      ids: new Set([one, other, ...(known?.ids ?? []), ...(joined?.ids ?? [])]),
      score: Math.max(score, known?.score ?? 0, joined?.score ?? 0),
    };
    for (const id of group.ids) groupOf.set(id, group);
  }
  return households.flatMap(({ a, b, c, ids }) =>
    [...new Set(ids.flatMap((id) => groupOf.get(id) ?? []))].map((group): DuplicateGroup => {
      const sorted = ids.filter((id) => group.ids.has(id));
      const place: Place = { reason: 'similar_name_same_address', shared: [a, b, c], id: sorted[0]! };
      return { place, ids: sorted, score: Math.round(group.score * 80) / 100 };
    }),
  );
};

/** Groups without those whose contacts are all kept apart from each other. */
const leaveOutKeptApart = async (space: Space, groups: readonly DuplicateGroup[]): Promise<DuplicateGroup[]> => {
  if (groups.length === 0) return [];
  const kept = await listKeptApart(space, [...new Set(groups.flatMap(({ ids }) => ids))]);
  return groups.filter(({ ids }) => {
    const members = new Set(ids);
    const apart = kept.filter(({ contact_id, other_id }) => members.has(contact_id) && members.has(other_id));
    return apart.length < (ids.length * (ids.length - 1)) / 2;
  });
};

const isSame = (one: Place['shared'], other: Place['shared']): boolean =>
  one.every((part, index) => part === other[index]);

interface Scanned {
  /** The last place of the order, if more contacts may stand behind it. */
  reached: { a: string; b: string } | null;
  found: Candidate[];
}

/** Looks at some contacts of a reason from a place on. */
const scan = async (
  space: Space,
  from: Place,
  { first, atOnce }: { first: number; atOnce: number | undefined },
): Promise<{ groups: DuplicateGroup[]; next: Place | undefined }> => {
  const { reason, shared, id } = from;
  const [a, b, c] = shared;
  const rows = atOnce ?? countRows(reason);
  // Few of those at one address have similar names.
  const limit = reason === 'similar_name_same_address' ? null : first + 1;
  const values = { a, b, c, rows, limit };
  const [scanned] = await space.runSlow((run) => run<Scanned>(statements[reason], values), { expectedMs: takesLong });
  const { reached, found } = scanned!;
  const all =
    reason === 'similar_name_same_address'
      ? await groupSimilarNames(space, found)
      : await scoreByName(space, reason, found);
  const isBehind = ({ place }: DuplicateGroup): boolean => place.id > id || !isSame(place.shared, shared);
  const groups = await leaveOutKeptApart(space, all.filter(isBehind));
  const lastFound = found.length === limit ? found.at(-1) : undefined;
  if (lastFound)
    return { groups, next: { reason, shared: [lastFound.a, lastFound.b, lastFound.c], id: Number.MAX_SAFE_INTEGER } };
  if (!reached) return { groups, next: undefined };
  const next: Place['shared'] =
    reason === 'same_name_and_birthdate' ? [reached.a, findNextText(reached.b), ''] : [findNextText(reached.a), '', ''];
  return { groups, next: { reason, shared: next, id: -1 } };
};

/** A page of groups by these reasons, one after the other. It may have fewer groups than asked for, or none, when many contacts have no duplicate. */
export const findDuplicates = async (
  space: Space,
  {
    reasons,
    first,
    after,
    atOnce,
  }: { reasons: readonly DuplicateReason[]; first: number; after: Place | undefined; atOnce?: number },
): Promise<DuplicatePage> => {
  const begin = (reason: DuplicateReason | undefined): Place | undefined =>
    reason && { reason, shared: ['', '', ''], id: -1 };
  const groups: DuplicateGroup[] = [];
  let place = after ?? begin(reasons[0]);
  const end = performance.now() + patience;
  while (place && groups.length < first && performance.now() < end) {
    const some = await scan(space, place, { first, atOnce });
    groups.push(...some.groups);
    place = some.next ?? begin(reasons[reasons.indexOf(place.reason) + 1]);
  }
  if (groups.length <= first)
    return { groups, place: place ?? groups.at(-1)?.place ?? after, hasMore: place !== undefined };
  const page = groups.slice(0, first);
  return { groups: page, place: page.at(-1)?.place ?? after, hasMore: true };
};
