// Settings lists: membership price groups and prices, donation prices, transaction statuses (spec §2.7–§2.9, §4.9–§4.11).
import { z } from 'zod';
import {
  type DonationPriceRow,
  deletePriceGroup,
  donationPriceList,
  donationPrices,
  type MembershipPriceGroupRow,
  type MembershipPriceRow,
  membershipPriceGroupList,
  membershipPriceGroups,
  membershipPrices,
  pricesOfGroups,
  type TransactionStatusRow,
  transactionStatuses,
  transactionStatusList,
} from '../../src/data/money/settings.ts';
import { createRelationLoader } from '../../src/plan/loader.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { Money, ofSameRow } from '../graph/money.ts';
import type { InputBuilder } from '../graph/mutation.ts';
import { acceptId, defineNodeFields, legacyId, Node, registerNode } from '../graph/node.ts';
import { defineLegacyPage } from '../graph/page.ts';
import { createReference } from '../graph/reference.ts';
import { nonBlank, shortText } from '../graph/validators.ts';
import { defineCurrencyField, defineRecordMutations } from './record.ts';

const pricesOf = createRelationLoader(
  (context, ids) => pricesOfGroups(context.space, ids),
  (price) => price.membership_price_group_id,
);

const groupOf = createReference(membershipPriceGroups.ever);

export const MembershipPrice = builder.objectRef<MembershipPriceRow>('MembershipPrice').implement({
  interfaces: [Node],
  description: 'What a membership costs.',
  fields: (t) => ({
    ...defineNodeFields(t, 'MembershipPrice'),
    name: t.exposeString('name', { description: 'Name of the price.' }),
    membershipPriceGroupId: t.expose('membership_price_group_id', {
      ...legacyId,
      description: 'The group it belongs to.',
    }),
    amount: t.field({ type: Money, description: 'How much it is.', ...ofSameRow }),
    legacyAmount: t.expose('amount', {
      ...legacyId,
      description: 'Amount in minor units of the currency (cents).',
    }),
    legacyCurrency: t.exposeString('currency', {
      extensions: { legacy: true },
      description: 'Currency, by its code of ISO 4217.',
    }),
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
  interfaces: [Node],
  description: 'Membership prices that are offered together.',
  fields: (t) => ({
    ...defineNodeFields(t, 'MembershipPriceGroup'),
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

builder.objectField(MembershipPrice, 'group', (t) =>
  t.field({
    type: MembershipPriceGroup,
    description: 'The group it belongs to.',
    ...groupOf.require('membership_price_group_id'),
  }),
);

export const DonationPrice = builder.objectRef<DonationPriceRow>('DonationPrice').implement({
  interfaces: [Node],
  description: 'An amount that donors are offered.',
  fields: (t) => ({
    ...defineNodeFields(t, 'DonationPrice'),
    name: t.exposeString('name', { description: 'Name of the price.' }),
    amount: t.field({ type: Money, description: 'How much it is.', ...ofSameRow }),
    legacyAmount: t.expose('amount', {
      ...legacyId,
      description: 'Amount in minor units of the currency (cents).',
    }),
    legacyCurrency: t.exposeString('currency', {
      extensions: { legacy: true },
      description: 'Currency, by its code of ISO 4217.',
    }),
    allowCustomAmount: t.exposeBoolean('allow_custom_amount', { description: 'Whether another amount may be given.' }),
    hidden: t.exposeBoolean('hidden', { description: 'Whether it is no longer offered.' }),
    kind: t.exposeString('kind', { nullable: true, description: 'Kind of the price.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

export const TransactionStatus = builder.objectRef<TransactionStatusRow>('TransactionStatus').implement({
  interfaces: [Node],
  description: 'A state that a transaction can be in.',
  fields: (t) => ({
    ...defineNodeFields(t, 'TransactionStatus'),
    name: t.exposeString('name', { description: 'Name of the status.' }),
    color: t.exposeString('color', { nullable: true, description: 'Colour to show it in.' }),
    kind: t.exposeString('kind', { nullable: true, description: 'Kind of the status.' }),
    archived: t.exposeBoolean('archived', { description: 'Whether it is no longer used.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

const priceFields = (t: InputBuilder, required: boolean) => ({
  name: t.string({ required, validate: nonBlank, description: 'Name of the price; not blank.' }),
  amount: t.field({
    type: 'SafeInt',
    required,
    validate: z.number().min(0, 'must be at least 0'),
    description: 'Amount in minor units of the currency (cents).',
  }),
  currency: defineCurrencyField(t),
  allowCustomAmount: t.boolean({ description: 'Whether another amount may be paid.' }),
  hidden: t.boolean({ description: 'Whether it is no longer offered.' }),
  kind: t.string({ validate: shortText, description: 'Kind of the price.' }),
});

defineRecordMutations({
  type: MembershipPriceGroup,
  verbs: { ...membershipPriceGroups, remove: deletePriceGroup },
  fields: (t, required) => ({
    name: t.string({ required, validate: nonBlank, description: 'Name of the group; not blank.' }),
    hidden: t.boolean({ description: 'Whether it is no longer offered.' }),
  }),
  mandatory: ['name'],
  alsoDeletes: ' Its prices are deleted with it.',
});
defineRecordMutations({
  type: MembershipPrice,
  verbs: membershipPrices,
  fields: (t, required) => ({
    ...priceFields(t, required),
    membershipPriceGroupId: t.field({
      ...acceptId('MembershipPriceGroup'),
      required,
      description: 'The group it belongs to.',
    }),
    duration: t.string({ validate: shortText, description: 'How long the membership lasts.' }),
    rollingPeriod: t.string({ validate: shortText, description: 'How its period rolls over.' }),
  }),
  mandatory: ['name', 'amount', 'membershipPriceGroupId'],
});
defineRecordMutations({
  type: DonationPrice,
  verbs: donationPrices,
  fields: priceFields,
  mandatory: ['name', 'amount'],
});
defineRecordMutations({
  type: TransactionStatus,
  verbs: transactionStatuses,
  fields: (t, required) => ({
    name: t.string({ required, validate: nonBlank, description: 'Name of the status; not blank.' }),
    color: t.string({ validate: shortText, description: 'Colour to show it in.' }),
    kind: t.string({ validate: shortText, description: 'Kind of the status.' }),
    archived: t.boolean({ description: 'Whether it is no longer used.' }),
  }),
  mandatory: ['name'],
});

defineListConnection({
  field: 'membershipPriceGroups',
  type: MembershipPriceGroup,
  list: membershipPriceGroupList,
  description: 'The membership price groups of the space.',
});
defineListConnection({
  field: 'donationPrices',
  type: DonationPrice,
  list: donationPriceList,
  description: 'The donation prices of the space.',
});
defineListConnection({
  field: 'transactionStatuses',
  type: TransactionStatus,
  list: transactionStatusList,
  description: 'The transaction statuses of the space.',
});
defineLegacyPage({
  field: 'membershipPriceGroupsPage',
  type: MembershipPriceGroup,
  noun: 'membership price groups',
  read: ({ space }, slice) => membershipPriceGroups.list(space, slice),
});
defineLegacyPage({
  field: 'donationPricesPage',
  type: DonationPrice,
  noun: 'donation prices',
  read: ({ space }, slice) => donationPrices.list(space, slice),
});
defineLegacyPage({
  field: 'transactionStatusesPage',
  type: TransactionStatus,
  noun: 'transaction statuses',
  read: ({ space }, slice) => transactionStatuses.list(space, slice),
});

registerNode(MembershipPrice, { read: ({ space }, ids) => membershipPrices.byIds(space, ids) });
