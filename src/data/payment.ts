// A payment: a transaction of the payer with the donations and memberships that it pays, for any contacts. All of it is written, or nothing.

import type { Space } from '../database/space.ts';
import { defineStatement } from '../database/statement.ts';
import { buildLockContactsSql } from './contact/lock.ts';
import { refuseMissingReferences } from './record/crud.ts';
import { listSelectedColumns } from './record/crud-sql.ts';
import { donationPrices, membershipPrices, transactionStatuses } from './settings.ts';
import { type TransactionRow, transactions } from './transaction.ts';

type Maybe<Value> = Value | null | undefined;

/** Amounts are in minor units of the currency. */
export interface Payment {
  /** The payer. */
  contactId: number;
  amount: number;
  currency?: Maybe<string>;
  date: string;
  codeCampaign?: Maybe<string>;
  paymentMethodKind?: Maybe<string>;
  statusId?: Maybe<number>;
  /** They belong to the payer when they name no contact. */
  donations: { contactId?: Maybe<number>; amount: number; donationPriceId?: Maybe<number> }[];
  memberships: {
    contactId?: Maybe<number>;
    amount: number;
    startDate: string;
    endDate?: Maybe<string>;
    membershipPriceId?: Maybe<number>;
  }[];
}

const settingThere = (name: string, table: string): string =>
  `${name}_there as (select t.id from ${table} t where t.group_id = :group and t.id = any(:${name}) and t.deleted_at is null order by t.id for share)`;

/**
 * Locks the contacts, then the settings; writes when all of them exist, and tells which do. The call that marks contacts reads them from
 * the written rows, so that it runs after the write.
 */
const create = defineStatement(
  'payment.create',
  `with locked as (${buildLockContactsSql('c.id = any(:contacts)', { select: 'c.group_id, c.id' })}),
   ${settingThere('statuses', transactionStatuses.table)},
   ${settingThere('donation_prices', donationPrices.table)},
   ${settingThere('membership_prices', membershipPrices.table)},
   known as (select array(select id from locked) as contacts, array(select id from statuses_there) as statuses,
      array(select id from donation_prices_there) as donation_prices, array(select id from membership_prices_there) as membership_prices),
   payer as (select l.group_id, l.id from known k join locked l on l.id = :payer
      where cast(:contacts as bigint[]) <@ k.contacts and cast(:statuses as bigint[]) <@ k.statuses
        and cast(:donation_prices as bigint[]) <@ k.donation_prices and cast(:membership_prices as bigint[]) <@ k.membership_prices),
   paid as (insert into transactions (group_id, contact_id, amount, currency, date, code_campaign, payment_method_kind, status_id)
      select p.group_id, p.id, g.amount, g.currency, g.date, g.code_campaign, g.payment_method_kind, g.status_id
        from payer p cross join jsonb_populate_record(cast(null as transactions), cast(:payment as jsonb)) g
      returning ${listSelectedColumns(transactions).join(', ')}),
   given as (insert into donations (group_id, contact_id, transaction_id, donation_price_id, amount, currency, transaction_date)
      select p.group_id, g.contact_id, p.id, g.donation_price_id, g.amount, p.currency, p.date
        from paid p cross join jsonb_populate_recordset(cast(null as donations), cast(:donations as jsonb)) with ordinality g
       order by g.ordinality returning contact_id),
   joined as (insert into memberships (group_id, contact_id, transaction_id, membership_price_id, amount, currency, start_date, end_date, transaction_date)
      select p.group_id, g.contact_id, p.id, g.membership_price_id, g.amount, p.currency, g.start_date, g.end_date, p.date
        from paid p cross join jsonb_populate_recordset(cast(null as memberships), cast(:memberships as jsonb)) with ordinality g
       order by g.ordinality returning contact_id),
   written as (select contact_id from paid union all select contact_id from given union all select contact_id from joined)
   select k.contacts, k.statuses, k.donation_prices, k.membership_prices, to_jsonb(p) as transaction,
          (select count(*) from touch_contacts(:group, array(select contact_id from written), :userId)) as touched
     from known k left join paid p on true`,
);

/** Ids by the list that must contain them. */
type Lists = Record<'contacts' | 'statuses' | 'donation_prices' | 'membership_prices', number[]>;

const nouns: Record<keyof Lists, string> = {
  contacts: 'contact',
  statuses: transactionStatuses.noun,
  donation_prices: donationPrices.noun,
  membership_prices: membershipPrices.noun,
};

/** Every id of a payment with its place in the input and the list that must contain it. */
const idsIn = (payment: Payment): { list: keyof Lists; location: string; value: number }[] =>
  [
    { list: 'contacts' as const, location: 'input.contactId', value: payment.contactId },
    { list: 'statuses' as const, location: 'input.statusId', value: payment.statusId },
    ...payment.donations.flatMap(({ contactId, donationPriceId }, index) => [
      { list: 'contacts' as const, location: `input.donations[${index}].contactId`, value: contactId },
      {
        list: 'donation_prices' as const,
        location: `input.donations[${index}].donationPriceId`,
        value: donationPriceId,
      },
    ]),
    ...payment.memberships.flatMap(({ contactId, membershipPriceId }, index) => [
      { list: 'contacts' as const, location: `input.memberships[${index}].contactId`, value: contactId },
      {
        list: 'membership_prices' as const,
        location: `input.memberships[${index}].membershipPriceId`,
        value: membershipPriceId,
      },
    ]),
  ].flatMap((one) => (one.value == null ? [] : [{ ...one, value: one.value }]));

/** Writes a payment in one statement, and yields its transaction. Throws 422 for every id that is not in the space, at its place. */
export const createPayment = async (space: Space, userId: number, payment: Payment): Promise<TransactionRow> => {
  const ids = idsIn(payment);
  const of = (list: keyof Lists): number[] => ids.filter((one) => one.list === list).map(({ value }) => value);
  const found = (await space.row<Lists & { transaction: TransactionRow | null }>(create, {
    payer: payment.contactId,
    userId,
    contacts: of('contacts'),
    statuses: of('statuses'),
    donation_prices: of('donation_prices'),
    membership_prices: of('membership_prices'),
    payment: JSON.stringify({
      amount: payment.amount,
      currency: payment.currency ?? 'EUR',
      date: payment.date,
      code_campaign: payment.codeCampaign,
      payment_method_kind: payment.paymentMethodKind,
      status_id: payment.statusId,
    }),
    donations: JSON.stringify(
      payment.donations.map(({ contactId, amount, donationPriceId }) => ({
        contact_id: contactId ?? payment.contactId,
        amount,
        donation_price_id: donationPriceId,
      })),
    ),
    memberships: JSON.stringify(
      payment.memberships.map(({ contactId, amount, startDate, endDate, membershipPriceId }) => ({
        contact_id: contactId ?? payment.contactId,
        amount,
        start_date: startDate,
        end_date: endDate,
        membership_price_id: membershipPriceId,
      })),
    ),
  }))!;
  const missing = ids.filter(({ list, value }) => !found[list].includes(value));
  if (missing.length > 0)
    throw refuseMissingReferences(missing.map(({ list, ...one }) => ({ ...one, noun: nouns[list] })));
  return found.transaction!;
};
