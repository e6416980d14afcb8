// The records of a population's contacts: money, mailings and sanctions, with the settings they point at.
import * as pools from './pools.ts';
import { drawCount, drawDeletion, drawOrNull, drawTextOrNone, userIds } from './population-draws.ts';
import type { Chance } from './random.ts';
import type { ContactRow, EmailRow, RecordRow, Tables } from './rows.ts';

/** The last of the prices, statuses, templates and campaigns is deleted, and records still refer to it. */
export const settingIds = [1, 2, 3, 4];
export const campaignIds = pools.campaignNames.map((_, index) => index + 1);
export const templateIds = pools.templateNames.map((_, index) => index + 1);
export const ratings = [0, 1, 49, 50, 51, 99, 100];

const mortal = (group: number, id: number, last: number) => ({
  group_id: group,
  id,
  deleted_at: id === last ? pools.now : null,
});

export const generateSettingsRows = (group: number): Partial<Tables> => ({
  membership_price_groups: [{ group_id: group, id: 1, name: 'Members' }],
  membership_prices: settingIds.map((id) => ({
    ...mortal(group, id, 4),
    membership_price_group_id: 1,
    name: `Price ${id}`,
    amount: 1000 * id,
  })),
  donation_prices: settingIds.map((id) => ({ ...mortal(group, id, 4), name: `Gift ${id}`, amount: 500 * id })),
  transaction_statuses: settingIds.map((id) => ({ ...mortal(group, id, 4), name: `Status ${id}` })),
  templates: pools.templateNames.map((name, index) => ({ ...mortal(group, index + 1, templateIds.length), name })),
  campaigns: pools.campaignNames.map((name, index) => ({
    ...mortal(group, index + 1, campaignIds.length),
    // The names wander between the spaces, so that a look-up in the wrong one is seen.
    name: pools.campaignNames[(index + group - 1) % campaignIds.length] ?? name,
    template_id: index === 2 ? null : templateIds[(index * 5) % templateIds.length]!,
    subject: [null, '', ...pools.subjects][(index + 1) % (pools.subjects.length + 2)]!,
    sender: [...pools.senders, null, '  '][index % 6]!,
    goal: [...pools.goals, null, ''][index % 7]!,
    is_successful: [true, false, null][index % 3]!,
    performance_rating: [null, ...ratings][index % 8]!,
  })),
});

/** The records of one kind: `make` adds what is particular to the ids and dates that all have. */
const family = <T extends object>(
  draw: Chance,
  group: number,
  contacts: readonly ContactRow[],
  make: () => T,
): (RecordRow & T)[] => {
  let id = 0;
  return contacts.flatMap((contact) =>
    Array.from({ length: drawCount(draw) }, () => ({
      group_id: group,
      id: ++id,
      contact_id: contact.id,
      created_at: draw.pick(pools.instants),
      deleted_at: drawDeletion(draw),
      ...make(),
    })),
  );
};

const email = (draw: Chance): Omit<EmailRow, keyof RecordRow> => {
  const moment = () => drawOrNull(draw, 0.45, () => draw.pick(pools.instants));
  return {
    campaign_id: drawOrNull(draw, 0.8, () => draw.pick(campaignIds)),
    user_id: drawOrNull(draw, 0.6, () => draw.pick(userIds)),
    type: drawTextOrNone(draw, pools.emailTypes),
    clicked_urls: drawOrNull(draw, 0.7, () => draw.some(pools.urls, draw.whole(4))),
    delivered_at: moment(),
    opened_at: moment(),
    clicked_at: moment(),
    bounced_at: moment(),
    unsubscribed_at: moment(),
    blacklisted_at: moment(),
    abuse_report_at: moment(),
  };
};

export const drawRecords = (draw: Chance, group: number, contacts: readonly ContactRow[]): Partial<Tables> => {
  const transactions = family(draw, group, contacts, () => ({
    updated_at: draw.pick(pools.instants),
    amount: draw.odds(0.01) ? pools.hugeAmount : draw.pick(pools.amounts),
    currency: draw.pick(pools.currencies),
    date: draw.pick(pools.instants),
    code_campaign: drawTextOrNone(draw, pools.codes),
    payment_method_kind: drawTextOrNone(draw, pools.payments),
    status_id: drawOrNull(draw, 0.8, () => draw.pick(settingIds)),
  }));
  const paid = () => (transactions.length ? drawOrNull(draw, 0.4, () => draw.pick(transactions).id) : null);
  return {
    transactions,
    donations: family(draw, group, contacts, () => ({
      updated_at: draw.pick(pools.instants),
      transaction_id: paid(),
      donation_price_id: drawOrNull(draw, 0.7, () => draw.pick(settingIds)),
      amount: draw.odds(0.01) ? pools.hugeAmount : draw.pick(pools.amounts),
      currency: draw.pick(pools.currencies),
      transaction_date: draw.pick(pools.instants),
    })),
    memberships: family(draw, group, contacts, () => {
      const [start_date, end_date] = draw.pick(pools.spans);
      return {
        transaction_id: paid(),
        membership_price_id: drawOrNull(draw, 0.7, () => draw.pick(settingIds)),
        amount: draw.pick(pools.amounts),
        currency: draw.pick(pools.currencies),
        updated_at: draw.pick(pools.instants),
        start_date,
        end_date,
        transaction_date: drawOrNull(draw, 0.7, () => draw.pick(pools.instants)),
      };
    }),
    emails: family(draw, group, contacts, () => email(draw)),
    notes: family(draw, group, contacts, () => ({
      updated_at: draw.pick(pools.instants),
      content: drawTextOrNone(draw, pools.subjects, 0.9) ?? '',
      pinned: draw.odds(0.4),
      user_id: drawOrNull(draw, 0.7, () => draw.pick(userIds)),
    })),
    interactions: family(draw, group, contacts, () => ({
      updated_at: draw.pick(pools.instants),
      type: draw.pick(pools.emailTypes),
      sub_type: drawTextOrNone(draw, pools.goals),
      title: drawTextOrNone(draw, pools.subjects),
      comments: drawTextOrNone(draw, pools.subjects, 0.6),
      user_id: drawOrNull(draw, 0.7, () => draw.pick(userIds)),
      only_super_admin: draw.odds(0.3),
    })),
    sanctions: family(draw, group, contacts, () => ({
      updated_at: draw.pick(pools.instants),
      status: drawTextOrNone(draw, pools.sanctionStatuses),
      start_date: drawOrNull(draw, 0.7, () => draw.pick([...pools.instants, '9999-12-31T23:59:59.999999Z'])),
      end_date: drawOrNull(draw, 0.7, () => draw.pick([...pools.instants, '0001-01-01T00:00:00.000000Z'])),
    })),
  };
};
