// The timeline of a contact: what is on them and what became of them, from all its tables, in one order and by one statement.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import type { ChangeRow } from './change.ts';
import { readableSql, type Visibility } from './visibility.ts';

interface TimelineSource {
  description: string;
  /** The type of its records in the graph: who may not read them does not see the entries. */
  type:
    | 'Answer'
    | 'Change'
    | 'ConsentChange'
    | 'Contact'
    | 'Donation'
    | 'Email'
    | 'Interaction'
    | 'Membership'
    | 'Note'
    | 'Sanction'
    | 'Transaction';
  from: string;
  /** Its column with the contact, where that is not `contact_id`. */
  contact?: string;
  at: string;
  /** The condition of a record beside its contact. */
  where: string;
}

const living = 'r.deleted_at is null';
const ofEmail = (column: string, what: string): TimelineSource => ({
  description: `An e-mail ${what}.`,
  type: 'Email',
  from: 'emails r',
  at: `r.${column}`,
  where: `${living} and r.${column} is not null`,
});
/** Changes are those of the feed, for as long as it keeps them. */
const ofFeed = (where: string, description: string): TimelineSource => ({
  description,
  type: 'Change',
  from: 'changes r',
  at: 'r.created_at',
  where,
});

/** The kinds of entries, each with its table `r`. */
const sources = {
  ANSWER: {
    description: 'They answered a form, other than one on consent.',
    type: 'Answer',
    from: 'answers r join forms f on f.group_id = :group and f.id = r.form_id',
    at: 'coalesce(r.date, r.created_at)',
    where: `f.deleted_at is null and f.kind <> 'consent'`,
  },
  CHANGED: ofFeed(
    `r.type = 'Contact' and r.operation <> 'created' and r.fields <> '{tags}'`,
    'Their own fields, actions or answers changed, or they were deleted or restored.',
  ),
  CONSENT: {
    description: 'They opted out or in, or their answer to a form on consent changed.',
    type: 'ConsentChange',
    from: 'consent_changes r',
    at: 'r.created_at',
    where: 'true',
  },
  CREATED: {
    description: 'The contact was created.',
    type: 'Contact',
    from: 'contacts r',
    contact: 'r.id',
    at: 'r.created_at',
    where: 'true',
  },
  DONATION: {
    description: 'They gave something.',
    type: 'Donation',
    from: 'donations r',
    at: 'r.transaction_date',
    where: living,
  },
  EMAIL_BOUNCED: ofEmail('bounced_at', 'bounced'),
  EMAIL_CLICKED: ofEmail('clicked_at', 'was clicked'),
  EMAIL_DELIVERED: ofEmail('delivered_at', 'was delivered'),
  EMAIL_OPENED: ofEmail('opened_at', 'was opened'),
  EMAIL_REPORTED: ofEmail('abuse_report_at', 'was reported as abuse'),
  EMAIL_SENT: ofEmail('created_at', 'was made for them'),
  EMAIL_UNSUBSCRIBED: ofEmail('unsubscribed_at', 'made them unsubscribe'),
  INTERACTION: {
    description: 'Something happened with them: a call, a visit, a meeting.',
    type: 'Interaction',
    from: 'interactions r',
    at: 'r.created_at',
    where: `${living} and (:seesAllInteractions or not r.only_super_admin)`,
  },
  MEMBERSHIP: {
    description: 'The first day of a membership.',
    type: 'Membership',
    from: 'memberships r',
    at: `r.start_date::timestamp at time zone 'UTC'`,
    where: living,
  },
  NOTE: {
    description: 'A note on them was written.',
    type: 'Note',
    from: 'notes r',
    at: 'r.created_at',
    where: living,
  },
  SANCTION: {
    description: 'The start of a sanction, or its record.',
    type: 'Sanction',
    from: 'sanctions r',
    at: 'coalesce(r.start_date, r.created_at)',
    where: living,
  },
  SEGMENT_ENTERED: ofFeed(`r.type = 'Segment' and r.operation = 'entered'`, 'They entered a segment that is watched.'),
  SEGMENT_LEFT: ofFeed(`r.type = 'Segment' and r.operation = 'left'`, 'They left a segment that is watched.'),
  TAGGED: ofFeed(`r.type = 'Contact' and r.operation = 'updated' and r.fields = '{tags}'`, 'Their tags changed.'),
  TRANSACTION: {
    description: 'They paid something.',
    type: 'Transaction',
    from: 'transactions r',
    at: 'r.date',
    where: living,
  },
} satisfies Record<string, TimelineSource>;

export type TimelineKind = keyof typeof sources;
export const timelineSources: Record<TimelineKind, TimelineSource> = sources;
export const timelineKinds = Object.keys(sources) as TimelineKind[];

/** The place of an entry in its timeline: microseconds since 1970 as digits, as those of far years are no exact numbers, its kind, and the id of its record. */
export type TimelinePlace = [micros: string, kind: string, id: number];

export interface TimelineEntry {
  contact_id: number;
  kind: TimelineKind;
  /** The id of the record, or the position of the change in the feed. */
  id: number;
  at: string;
  micros: string;
}

const buildSourceSql = ([kind, source]: [string, TimelineSource]): string => {
  const { type, from, contact = 'r.contact_id', at, where } = source;
  const id = type === 'Change' ? 'r.position' : 'r.id';
  const visible = type === 'Change' ? ` and ${readableSql.replaceAll(/\bs\./g, 'r.')}` : '';
  return `select '${kind}' as kind, ${id} as id, ${at} as at from ${from}
        where '${kind}' = any(cast(:kinds as text[])) and r.group_id = :group and ${contact} = p.id and ${where}${visible}`;
};

/** The entries of each contact between two places, from one end of the timeline on. */
const defineRead = (name: string, direction: 'asc' | 'desc') => {
  const orderBy = (row: string): string =>
    `${row}.micros ${direction}, ${row}.kind collate "C" ${direction}, ${row}.id ${direction}`;
  const isBeyond = (side: 'after' | 'before', operator: '<' | '>'): string =>
    `(cast(:${side}Micros as bigint) is null
          or (m.micros, m.kind collate "C", m.id) ${operator} (:${side}Micros, cast(:${side}Kind as text) collate "C", cast(:${side}Id as bigint)))`;
  return defineStatement(
    name,
    `select p.id as contact_id, e.kind, e.id, e.at, cast(e.micros as text) as micros from unnest(cast(:ids as bigint[])) p (id)
     cross join lateral (
       select m.* from (
         select u.*, cast(extract(epoch from u.at) * 1000000 as bigint) as micros from (
        ${Object.entries<TimelineSource>(sources).map(buildSourceSql).join('\n        union all ')}) u) m
        where ${isBeyond('after', '<')} and ${isBeyond('before', '>')}
        order by ${orderBy('m')} limit :limit) e
    order by p.id, ${orderBy('e')}`,
  );
};
const readLatest = defineRead('contact.timeline', 'desc');
const readOldest = defineRead('contact.timeline_backwards', 'asc');

interface TimelineOptions {
  kinds: readonly TimelineKind[];
  visibility: Visibility;
  after: TimelinePlace | null;
  before: TimelinePlace | null;
  /** Whether the limit counts from the oldest entry. */
  backwards: boolean;
  limit: number;
}

/** The entries of these contacts between two places, each contact's up to the limit; the latest first, also when they are read backwards. */
export const readTimelines = async (
  space: Space,
  ids: readonly number[],
  { kinds, visibility, after, before, backwards, limit }: TimelineOptions,
): Promise<TimelineEntry[]> => {
  const [afterMicros, afterKind, afterId] = after ?? [null, null, null];
  const [beforeMicros, beforeKind, beforeId] = before ?? [null, null, null];
  const places = { afterMicros, afterKind, afterId, beforeMicros, beforeKind, beforeId };
  const found = await space.rows<TimelineEntry>(backwards ? readOldest : readLatest, {
    ids,
    kinds,
    ...visibility,
    ...places,
    limit,
  });
  return backwards ? found.reverse() : found;
};

const readAt = defineStatement(
  'change.at',
  `select r.position, r.created_at, r.type, r.record_id, r.contact_id, r.operation, r.fields, r.before, r.after, f.epoch
     from changes r join change_feeds f on f.group_id = :group where r.group_id = :group and r.position = any(:positions)`,
);

/** The changes at these positions of the feed, which the caller may see. */
export const readChangesAt = (space: Space, positions: readonly number[]): Promise<(ChangeRow & { epoch: string })[]> =>
  space.rows(readAt, { positions });
