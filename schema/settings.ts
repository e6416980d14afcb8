// Settings lists: membership price groups and prices, donation prices, transaction statuses (spec §2.7–§2.9, §4.9–§4.11).
import {
  type DonationPriceRow,
  donationPrices,
  type MembershipPriceGroupRow,
  type MembershipPriceRow,
  membershipPriceGroups,
  pricesOfGroups,
  type TransactionStatusRow,
  transactionStatuses,
} from '../src/data/settings.ts';
import { builder } from './builder.ts';
import { related } from './loader.ts';
import { pageType, sliceArgs } from './page.ts';

const pricesOf = related(
  (context, ids) => pricesOfGroups(context.space, ids),
  (price) => price.membership_price_group_id,
);

const MembershipPrice = builder.objectRef<MembershipPriceRow>('MembershipPrice').implement({
  description: 'What a membership costs.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the price.' }),
    name: t.exposeString('name', { description: 'Name of the price.' }),
    membershipPriceGroupId: t.expose('membership_price_group_id', {
      type: 'Id',
      description: 'The group it belongs to.',
    }),
    amount: t.expose('amount', { type: 'Amount', description: 'Amount in minor units of the currency (cents).' }),
    currency: t.exposeString('currency', { description: 'Currency, by its code of ISO 4217.' }),
    allowCustomAmount: t.exposeBoolean('allow_custom_amount', { description: 'Whether another amount may be paid.' }),
    hidden: t.exposeBoolean('hidden', { description: 'Whether it is no longer offered.' }),
    kind: t.exposeString('kind', { nullable: true, description: 'Kind of the price.' }),
    duration: t.exposeString('duration', { nullable: true, description: 'How long the membership lasts.' }),
    rollingPeriod: t.exposeString('rolling_period', { nullable: true, description: 'How its period rolls over.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

const MembershipPriceGroup = builder.objectRef<MembershipPriceGroupRow>('MembershipPriceGroup').implement({
  description: 'Membership prices that are offered together.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the group.' }),
    name: t.exposeString('name', { description: 'Name of the group.' }),
    hidden: t.exposeBoolean('hidden', { description: 'Whether it is no longer offered.' }),
    membershipPrices: t.field({
      type: [MembershipPrice],
      description: 'The prices of the group.',
      resolve: ({ id }, _, context) => pricesOf(context, id),
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

const DonationPrice = builder.objectRef<DonationPriceRow>('DonationPrice').implement({
  description: 'An amount that donors are offered.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the price.' }),
    name: t.exposeString('name', { description: 'Name of the price.' }),
    amount: t.expose('amount', { type: 'Amount', description: 'Amount in minor units of the currency (cents).' }),
    currency: t.exposeString('currency', { description: 'Currency, by its code of ISO 4217.' }),
    allowCustomAmount: t.exposeBoolean('allow_custom_amount', { description: 'Whether another amount may be given.' }),
    hidden: t.exposeBoolean('hidden', { description: 'Whether it is no longer offered.' }),
    kind: t.exposeString('kind', { nullable: true, description: 'Kind of the price.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

const TransactionStatus = builder.objectRef<TransactionStatusRow>('TransactionStatus').implement({
  description: 'A state that a transaction can be in.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the status.' }),
    name: t.exposeString('name', { description: 'Name of the status.' }),
    color: t.exposeString('color', { nullable: true, description: 'Colour to show it in.' }),
    kind: t.exposeString('kind', { nullable: true, description: 'Kind of the status.' }),
    archived: t.exposeBoolean('archived', { description: 'Whether it is no longer used.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

const MembershipPriceGroupList = pageType(MembershipPriceGroup, 'membership price groups');
const DonationPriceList = pageType(DonationPrice, 'donation prices');
const TransactionStatusList = pageType(TransactionStatus, 'transaction statuses');

builder.queryFields((t) => ({
  membershipPriceGroups: t.field({
    type: MembershipPriceGroupList,
    description: 'The membership price groups of the space.',
    args: sliceArgs(t),
    resolve: (_, slice, { space }) => membershipPriceGroups(space, slice),
  }),
  donationPrices: t.field({
    type: DonationPriceList,
    description: 'The donation prices of the space.',
    args: sliceArgs(t),
    resolve: (_, slice, { space }) => donationPrices(space, slice),
  }),
  transactionStatuses: t.field({
    type: TransactionStatusList,
    description: 'The transaction statuses of the space.',
    args: sliceArgs(t),
    resolve: (_, slice, { space }) => transactionStatuses(space, slice),
  }),
}));
