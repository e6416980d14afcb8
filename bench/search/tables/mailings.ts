// Fills e-mails and their events.
import type { Job } from '../build/lanes.ts';
import { ids, sizes } from './settings.ts';

/** A hash instead of a random value: all parts of the campaigns are built separately and must agree. */
const campaignOf = `(hashint8(p.id * 64 + nth) & 2147483647) % ${sizes.campaigns}`;

/** The range of ids of one part, which never overlaps with the next. */
const room = 1_000_000_000;

/**
 * The e-mails of some campaigns in the order of sending, so that those of one contact are far from each other, as in real life.
 * The sort uses narrow rows; the events of an e-mail are drawn after it.
 */
export const fillEmails = (part: number, parts: number, seed: number): Job => ({
  name: 'emails',
  seed,
  sql: `insert into emails (group_id, id, contact_id, campaign_id, user_id, type, clicked_urls, delivered_at, opened_at, clicked_at, bounced_at,
      unsubscribed_at, blacklisted_at, abuse_report_at, created_at)
    select space, ${part * room} + row_number() over (), contact, ${ids.campaign('space', 'campaign')}, ${ids.user('space', 'campaign % 10')},
      (array['campaign', 'automatic', 'transactional'])[1 + campaign % 3],
      case when luck < engagement * 0.2 then
        array['https://exemple.org/' || (array['don', 'adhesion', 'agenda', 'petition'])[1 + campaign % 4] || '/' || campaign % 40] end,
      case when luck < 0.96 then at + interval '2 minutes' end,
      case when luck < engagement then at + luck * interval '2 days' end,
      case when luck < engagement * 0.2 then at + luck * interval '2 days' + interval '1 minute' end,
      case when luck >= 0.96 then at + interval '1 minute' end,
      case when luck < 0.004 then at + interval '1 day' end,
      case when luck > 0.999 then at + interval '1 day' end,
      case when luck between 0.9 and 0.9003 then at + interval '1 day' end, at
    from (
      select *, bench.sent(campaign) + random() * interval '1 hour' as at, random() as luck
      from (
        select space, contact, engagement, campaign
        from (
          select space, p.id as contact, engagement, ${campaignOf} as campaign
          from bench.people p, generate_series(1, mails) nth where has_mail
        ) drawn
        where campaign >= ${Math.floor((part * sizes.campaigns) / parts)} and campaign < ${Math.floor(((part + 1) * sizes.campaigns) / parts)}
        order by campaign, contact offset 0
      ) sorted offset 0
    ) x`,
});
