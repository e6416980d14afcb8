// Memberships of contacts (decisions §4: searched by what they say).
import { type MembershipRow, membershipList, memberships } from '../../src/data/money/membership.ts';
import { membershipPrices } from '../../src/data/money/settings.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { Money, ofSameRow } from '../graph/money.ts';
import type { InputBuilder } from '../graph/mutation.ts';
import { acceptId, defineNodeFields, Node } from '../graph/node.ts';
import { createReference } from '../graph/reference.ts';
import { defineCurrencyField, defineRecordMutations } from './record.ts';
import { MembershipPrice } from './settings.ts';

const priceOf = createReference(membershipPrices.ever);

export const Membership = builder.objectRef<MembershipRow>('Membership').implement({
  interfaces: [Node],
  description: 'That a contact is a member, for some days.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Membership'),
    membershipPrice: t.field({
      type: MembershipPrice,

      description: 'The price that was chosen, even one that has been deleted since.',
      ...priceOf.find('membership_price_id'),
    }),
    amount: t.field({ type: Money, description: 'How much; negative when it was paid back.', ...ofSameRow }),
    startDate: t.expose('start_date', { type: 'Date', description: 'First day of the membership.' }),
    endDate: t.expose('end_date', {
      type: 'Date',
      nullable: true,
      description: 'Last day of the membership; null when it does not end.',
    }),
    transactionDate: t.expose('transaction_date', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was paid.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was recorded.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

/** The fields of a membership that say from when until when, and for how much of what. */
export const defineFeeFields = <Required extends boolean>(t: InputBuilder, required: Required) => ({
  amount: t.field({
    type: 'SafeInt',
    required,
    description: 'Amount in minor units of the currency (cents); negative when it was paid back.',
  }),
  startDate: t.field({ type: 'Date', required, description: 'First day of the membership.' }),
  endDate: t.field({ type: 'Date', description: 'Last day of the membership, not before the first.' }),
  membershipPriceId: t.field({ ...acceptId('MembershipPrice'), description: 'Id of the price that was chosen.' }),
});

defineRecordMutations({
  type: Membership,
  verbs: memberships,
  fields: (t, required) => ({
    ...defineFeeFields(t, required),
    currency: defineCurrencyField(t),
    transactionDate: t.field({ type: 'DateTime', description: 'When it was paid.' }),
    transactionId: t.field({
      ...acceptId('Transaction'),
      description: 'The transaction that paid it, which may be of another contact.',
    }),
  }),
  mandatory: ['amount', 'startDate'],
});

export const membershipConnection = defineListConnection({
  field: 'memberships',
  type: Membership,
  list: membershipList,
  description: 'The memberships of the space.',
});
