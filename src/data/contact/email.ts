// E-mails of mailings and their events. They never change a contact: a mailing to half a million must not rewrite half a million contacts.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { defineList } from '../noun/define-list.ts';
import { buildLockContactsSql } from '../noun/lock-contacts.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';
import { type Reference, requireKnownReferences } from '../noun/references.ts';

export const emailColumns = describeRecordColumns({
  id: { kind: 'id' },
  group_id: { kind: 'id' },
  contact_id: { kind: 'id' },
  campaign_id: { kind: 'id', nullable: true },
  user_id: { kind: 'id', nullable: true },
  type: { kind: 'code', nullable: true, description: 'What kind of e-mail it is.' },
  clicked_urls: { kind: 'texts', nullable: true },
  delivered_at: { kind: 'instant', nullable: true, description: 'When it was delivered.' },
  opened_at: { kind: 'instant', nullable: true, description: 'When it was opened last.' },
  clicked_at: { kind: 'instant', nullable: true, description: 'When a link in it was clicked last.' },
  bounced_at: { kind: 'instant', nullable: true, description: 'When it bounced.' },
  unsubscribed_at: { kind: 'instant', nullable: true, description: 'When the contact unsubscribed by it.' },
  blacklisted_at: { kind: 'instant', nullable: true, description: 'When the address was blacklisted for it.' },
  abuse_report_at: { kind: 'instant', nullable: true, description: 'When it was reported as abuse.' },
  created_at: { kind: 'instant', description: 'When it was made.' },
});
export type EmailRow = RowOf<typeof emailColumns.columns>;

/** Events of an e-mail: the column of each, and which of several times it keeps. */
const emailEvents = {
  DELIVERED: ['delivered_at', 'least'],
  OPENED: ['opened_at', 'greatest'],
  CLICKED: ['clicked_at', 'greatest'],
  BOUNCED: ['bounced_at', 'least'],
  UNSUBSCRIBED: ['unsubscribed_at', 'least'],
  BLACKLISTED: ['blacklisted_at', 'least'],
  ABUSE_REPORT: ['abuse_report_at', 'least'],
} as const;

export type EmailEventKind = keyof typeof emailEvents;
export const emailEventColumns = Object.values(emailEvents).map(([column]) => column);

interface EmailContent {
  contactId: number;
  campaignId?: number | null;
  type?: string | null;
  createdAt?: string | null;
}

interface EmailEvent {
  emailId: number;
  kind: EmailEventKind;
  at: string;
  /** The address that was clicked. */
  url?: string | null;
}

/** Rows that summarize e-mails are derived from the rows written here: the call reads their contacts from these, and so runs after the write. */
const derived = (written: string, refresh: 'refresh_emails' | 'refresh_email_events'): string =>
  `derived as materialized (select ${refresh}(:group, array(select distinct contact_id from ${written})) is null as is_done)`;

/** Locks the contacts, then the campaigns, and tells which of them exist. */
const lockReferences = defineStatement(
  'email.lock_references',
  `with locked as (
     ${buildLockContactsSql('c.id = any(:contacts)')}),
   mailings as (
     select c.id from campaigns c where c.group_id = :group and c.id = any(:campaigns) and c.deleted_at is null for share)
   select array(select id from locked) as contacts, array(select id from mailings) as campaigns`,
);
const create = defineStatement(
  'email.create',
  `with made as (
     insert into emails (group_id, contact_id, campaign_id, user_id, type, created_at)
     select :group, g.contact_id, g.campaign_id, :userId, g.type, coalesce(g.created_at, now())
       from unnest(cast(:contacts as bigint[]), cast(:campaigns as bigint[]), cast(:types as text[]), cast(:times as timestamptz[]))
         with ordinality g (contact_id, campaign_id, type, created_at, nth)
      order by g.nth returning ${emailColumns.list}),
   ${derived('made', 'refresh_emails')}
   select m.* from made m cross join derived order by m.id`,
);

const summedTimes = Object.entries(emailEvents).map(
  ([kind, [column, choice]]) =>
    `${choice === 'least' ? 'min' : 'max'}(at) filter (where kind = '${kind}') as ${column}`,
);
const merged = Object.values(emailEvents).map(([column, choice]) => `${choice}(e.${column}, s.${column})`);
/** In the order of the first clicks; null without any. */
const urls = `nullif(coalesce(e.clicked_urls, '{}') || array(
      select u.url from unnest(s.urls) with ordinality u (url, nth) where u.url <> all (coalesce(e.clicked_urls, '{}'))
       group by u.url order by min(u.nth)), '{}')`;
/**
 * Locks the contacts in place of their e-mails, so that batches never wait for each other in a circle: the second merges with the result of
 * the first. Unchanged e-mails are not written.
 */
const record = defineStatement(
  'email.record_events',
  `with given as materialized (
     select * from unnest(cast(:emails as bigint[]), cast(:kinds as text[]), cast(:times as timestamptz[]), cast(:urls as text[]))
       with ordinality g (email_id, kind, at, url, nth)),
   locked as materialized (
     ${buildLockContactsSql('e.id = any(:emails) and e.deleted_at is null', {
       select: 'e.id',
       join: 'join emails e on e.group_id = :group and e.contact_id = c.id',
     })}),
   summed as materialized (
     select email_id, ${summedTimes.join(', ')},
            array_agg(url order by at, nth) filter (where kind = 'CLICKED' and url is not null) as urls
       from given where (select count(*) from locked) = :many group by email_id),
   changed as (
     update emails e set (${emailEventColumns.join(', ')}, clicked_urls) = row(${merged.join(', ')}, ${urls})
       from summed s where e.group_id = :group and e.id = s.email_id and e.deleted_at is null
        and (${merged.join(', ')}, ${urls}) is distinct from (${emailEventColumns.map((column) => `e.${column}`).join(', ')}, e.clicked_urls)
     returning e.contact_id),
   ${derived('changed', 'refresh_email_events')}
   select array(select id from locked) as known, (select count(*) from changed) as changed from derived`,
);

/** Records e-mails sent by this user, all or none, in the given order. Throws 422 for missing contacts and campaigns. */
export const recordSentEmails = (space: Space, userId: number, emails: readonly EmailContent[]): Promise<EmailRow[]> =>
  space.transaction(async (tx) => {
    const contacts = emails.map(({ contactId }) => contactId);
    const campaigns = emails.map(({ campaignId }) => campaignId ?? null);
    const found = (await tx.row<{ contacts: number[]; campaigns: number[] }>(lockReferences, { contacts, campaigns }))!;
    const places = (field: 'contactId' | 'campaignId'): Reference[] =>
      emails.flatMap((email, index) => {
        const id = email[field];
        return id == null ? [] : [{ id, location: `input.emails[${index}].${field}` }];
      });
    requireKnownReferences('contact', places('contactId'), found.contacts);
    requireKnownReferences('campaign', places('campaignId'), found.campaigns);
    return tx.rows<EmailRow>(create, {
      userId,
      contacts,
      campaigns,
      types: emails.map(({ type }) => type ?? null),
      times: emails.map(({ createdAt }) => createdAt ?? null),
    });
  });

/**
 * Records events of e-mails, all or none: the earliest time of each kind, but the latest of openings and clicks, and every clicked address
 * once. Repeated events change nothing. Yields how many e-mails changed. Throws 422 for missing e-mails, among them those of deleted
 * contacts.
 */
export const recordEmailEvents = async (space: Space, events: readonly EmailEvent[]): Promise<number> => {
  const emails = events.map(({ emailId }) => emailId);
  const many = new Set(emails).size;
  const values = {
    emails,
    kinds: events.map(({ kind }) => kind),
    times: events.map(({ at }) => at),
    urls: events.map(({ url }) => url ?? null),
    many,
  };
  const write = async () => (await space.row<{ known: number[]; changed: number }>(record, values))!;
  const first = await write();
  // The contact of one may have been merged meanwhile: the e-mail is found with the survivor then.
  const { known, changed } = first.known.length === many ? first : await write();
  requireKnownReferences(
    'e-mail',
    emails.map((id, index) => ({ id, location: `input.events[${index}].emailId` })),
    known,
  );
  return changed;
};

export const emailList = defineList<EmailRow>()({
  noun: 'email',
  from: 'emails r',
  scoped: ['r'],
  columns: emailColumns.qualify('r'),
  living: 'r.deleted_at is null',
  contact: 'r.contact_id',
  fields: emailColumns.listFields(['id', 'contact_id', 'campaign_id', 'type', ...emailEventColumns, 'created_at'], {
    sentById: 'user_id',
  }),
  orders: ['id', 'createdAt', 'openedAt', 'clickedAt', 'bouncedAt', 'unsubscribedAt'],
  indexed: ['id', 'createdAt', 'openedAt', 'clickedAt', 'bouncedAt', 'unsubscribedAt'],
  groups: ['contactId', 'campaignId', 'sentById', 'type'],
});
