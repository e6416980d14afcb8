// Money and sanctions of contacts: transactions, the donations and memberships that they paid, sanctions, and the settings lists of these (spec §2.7–§2.9, §4.9–§4.11, §4.13; decisions §4).

import { donations, memberships, sanctions, transactions } from '../../src/data/money/records.ts';
import {
  deletePriceGroup,
  donationPrices,
  membershipPriceGroups,
  membershipPrices,
  readMembershipPrices,
  readPricesOfGroups,
  transactionStatuses,
} from '../../src/data/money/settings.ts';
import type { PayloadBuilder } from '../graph/mutation.ts';
import { legacyId, registerNode } from '../graph/node.ts';
import { defineNounList, defineNounType } from '../graph/noun.ts';
import { defineLegacyPage } from '../graph/page.ts';
import { createLoaderByColumn } from '../graph/reference.ts';

/** The amount of a price, as legacy clients read it. */
const defineLegacyAmount = (t: PayloadBuilder<{ amount: number; currency: string }>) => ({
  legacyAmount: t.expose('amount', { ...legacyId, description: 'Amount in minor units of the currency (cents).' }),
  legacyCurrency: t.exposeString('currency', {
    extensions: { legacy: true },
    description: 'Currency, by its code of ISO 4217.',
  }),
});

const MembershipPrice = defineNounType(membershipPrices, {
  fields: (t) => ({
    ...defineLegacyAmount(t as never),
    membershipPriceGroupId: t.expose('membership_price_group_id', {
      ...legacyId,
      description: 'The group it belongs to.',
    }),
  }),
});
registerNode(MembershipPrice, { read: ({ space }, ids) => readMembershipPrices(space, ids) });

const pricesOf = createLoaderByColumn(readPricesOfGroups, 'membership_price_group_id');

const { type: MembershipPriceGroup } = defineNounList(membershipPriceGroups, {
  fields: (t) => ({
    membershipPrices: t.field({
      type: [MembershipPrice],
      description: 'The prices of the group.',
      resolve: ({ id }, _, context) => pricesOf(context, id),
    }),
  }),
  remove: deletePriceGroup,
  alsoDeletes: 'Its prices are deleted with it.',
});
const { type: DonationPrice } = defineNounList(donationPrices, { fields: (t) => defineLegacyAmount(t as never) });
const { type: TransactionStatus } = defineNounList(transactionStatuses);

defineLegacyPage({
  field: 'membershipPriceGroupsPage',
  type: MembershipPriceGroup,
  noun: 'membership price groups',
  read: ({ space }, slice) => membershipPriceGroups.readOffsetPage(space, slice),
});
defineLegacyPage({
  field: 'donationPricesPage',
  type: DonationPrice,
  noun: 'donation prices',
  read: ({ space }, slice) => donationPrices.readOffsetPage(space, slice),
});
defineLegacyPage({
  field: 'transactionStatusesPage',
  type: TransactionStatus,
  noun: 'transaction statuses',
  read: ({ space }, slice) => transactionStatuses.readOffsetPage(space, slice),
});

export const { type: Donation, connection: donationConnection } = defineNounList(donations);
export const { type: Membership, connection: membershipConnection } = defineNounList(memberships);
export const { type: Sanction, connection: sanctionConnection } = defineNounList(sanctions);
export const { type: Transaction, connection: transactionConnection } = defineNounList(transactions);
