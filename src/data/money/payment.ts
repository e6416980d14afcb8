// A payment: a transaction of the payer with the donations and memberships that it pays, for any contacts. All of it is written, or nothing.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { listSelectedColumns } from '../noun/crud-sql.ts';
import { buildLockContactsSql } from '../noun/lock-contacts.ts';
import type { NounRow } from '../noun/noun.ts';
import { refuseMissingReferences } from '../noun/references.ts';
import { transactions } from './records.ts';
import { donationPrices, membershipPrices, transactionStatuses } from './settings.ts';

type TransactionRow = NounRow<typeof transactions>;
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

/** Locks the contacts, then the settings, and tells which of them exist. */
const lockReferences = defineStatement(
  'payment.lock_references',
  `with locked as (${buildLockContactsSql('c.id = any(:contacts)')}),
   ${settingThere('statuses', transactionStatuses.table)},
   ${settingThere('donation_prices', donationPrices.table)},
   ${settingThere('membership_prices', membershipPrices.table)}
   select array(select id from locked) as contacts, array(select id from statuses_there) as statuses,
          array(select id from donation_prices_there) as donation_prices, array(select id from membership_prices_there) as membership_prices`,
);
const createTransaction = defineStatement(
  'payment.create_transaction',
  `insert into transactions (group_id, contact_id, amount, currency, date, code_campaign, payment_method_kind, status_id)
   select :group, :payer, g.amount, g.currency, g.date, g.code_campaign, g.payment_method_kind, g.status_id
     from jsonb_populate_record(cast(null as transactions), cast(:payment as jsonb)) g
   returning ${listSelectedColumns(transactions).join(', ')}`,
);
/** The call that marks contacts reads them from the written rows, so that it runs after the write. */
const createParts = defineStatement(
  'payment.create_parts',
  `with given as (insert into donations (group_id, contact_id, transaction_id, donation_price_id, amount, currency, transaction_date)
      select :group, g.contact_id, :transactionId, g.donation_price_id, g.amount, :currency, cast(:date as timestamptz)
        from jsonb_populate_recordset(cast(null as donations), cast(:donations as jsonb)) with ordinality g
       order by g.ordinality returning contact_id),
   joined as (insert into memberships (group_id, contact_id, transaction_id, membership_price_id, amount, currency, start_date, end_date, transaction_date)
      select :group, g.contact_id, :transactionId, g.membership_price_id, g.amount, :currency, g.start_date, g.end_date, cast(:date as timestamptz)
        from jsonb_populate_recordset(cast(null as memberships), cast(:memberships as jsonb)) with ordinality g
       order by g.ordinality returning contact_id),
   written as (select cast(:payer as bigint) as contact_id union select contact_id from given union select contact_id from joined)
   select count(*) as touched from touch_contacts(:group, array(select contact_id from written), :userId)`,
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

/** Writes a payment, and yields its transaction. Throws 422 for every id that is not in the space, at its place. */
export const createPayment = (space: Space, userId: number, payment: Payment): Promise<TransactionRow> =>
  space.transaction(async (tx) => {
    const payer = payment.contactId;
    const ids = idsIn(payment);
    const of = (list: keyof Lists): number[] => ids.filter((one) => one.list === list).map(({ value }) => value);
    const lists = Object.fromEntries((Object.keys(nouns) as (keyof Lists)[]).map((list) => [list, of(list)]));
    const found = (await tx.row<Lists>(lockReferences, lists))!;
    const missing = ids.filter(({ list, value }) => !found[list].includes(value));
    if (missing.length > 0)
      throw refuseMissingReferences(missing.map(({ list, ...one }) => ({ ...one, noun: nouns[list] })));
    const transaction = (await tx.row<TransactionRow>(createTransaction, {
      payer,
      payment: JSON.stringify({
        amount: payment.amount,
        currency: payment.currency ?? 'EUR',
        date: payment.date,
        code_campaign: payment.codeCampaign,
        payment_method_kind: payment.paymentMethodKind,
        status_id: payment.statusId,
      }),
    }))!;
    await tx.rows(createParts, {
      payer,
      userId,
      transactionId: transaction.id,
      currency: transaction.currency,
      date: transaction.date,
      donations: JSON.stringify(
        payment.donations.map(({ contactId, amount, donationPriceId }) => ({
          contact_id: contactId ?? payer,
          amount,
          donation_price_id: donationPriceId,
        })),
      ),
      memberships: JSON.stringify(
        payment.memberships.map(({ contactId, amount, startDate, endDate, membershipPriceId }) => ({
          contact_id: contactId ?? payer,
          amount,
          start_date: startDate,
          end_date: endDate,
          membership_price_id: membershipPriceId,
        })),
      ),
    });
    return transaction;
  });
