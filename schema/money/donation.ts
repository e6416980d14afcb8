// Donations of contacts (decisions §4: searched by what they say).
import { type DonationRow, donationList, donations } from '../../src/data/money/donation.ts';
import { donationPrices } from '../../src/data/money/settings.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { Money, ofSameRow } from '../graph/money.ts';
import type { InputBuilder } from '../graph/mutation.ts';
import { acceptId, defineNodeFields, Node } from '../graph/node.ts';
import { createReference } from '../graph/reference.ts';
import { defineCurrencyField, defineRecordMutations } from './record.ts';
import { DonationPrice } from './settings.ts';

const priceOf = createReference(donationPrices.ever);

export const Donation = builder.objectRef<DonationRow>('Donation').implement({
  interfaces: [Node],
  description: 'What a contact gave.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Donation'),
    donationPrice: t.field({
      type: DonationPrice,

      description: 'The price that was chosen, even one that has been deleted since.',
      ...priceOf.find('donation_price_id'),
    }),
    amount: t.field({ type: Money, description: 'How much; negative when it was given back.', ...ofSameRow }),
    transactionDate: t.expose('transaction_date', { type: 'DateTime', description: 'When it was given.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was recorded.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

/** The fields of a donation that say how much of what. */
export const defineGiftFields = <Required extends boolean>(t: InputBuilder, required: Required) => ({
  amount: t.field({
    type: 'SafeInt',
    required,
    description: 'Amount in minor units of the currency (cents); negative when it was given back.',
  }),
  donationPriceId: t.field({ ...acceptId('DonationPrice'), description: 'Id of the price that was chosen.' }),
});

defineRecordMutations({
  type: Donation,
  verbs: donations,
  fields: (t, required) => ({
    ...defineGiftFields(t, required),
    currency: defineCurrencyField(t),
    transactionDate: t.field({ type: 'DateTime', required, description: 'When it was given.' }),
    transactionId: t.field({
      ...acceptId('Transaction'),
      description: 'The transaction that paid it, which may be of another contact.',
    }),
  }),
  mandatory: ['amount', 'transactionDate'],
});

export const donationConnection = defineListConnection({
  field: 'donations',
  type: Donation,
  list: donationList,
  description: 'The donations of the space.',
});
