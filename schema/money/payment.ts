// Payments: a transaction written together with the donations and memberships that it pays.
import { z } from 'zod';
import { createPayment, type Payment } from '../../src/data/money/payment.ts';
import { donations, memberships, transactions } from '../../src/data/money/records.ts';
import { describeAudited } from '../../src/data/noun/audit.ts';
import { replaceBlanks } from '../../src/input/blank.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { builder } from '../graph/builder.ts';
import { defineMutation, type InputBuilder } from '../graph/mutation.ts';
import { acceptId } from '../graph/node.ts';
import { defineInputFields } from '../graph/noun.ts';
import { currencyCode } from '../graph/validators.ts';
import { Transaction } from './records.ts';

const partFields = (t: InputBuilder, whose: string) => ({
  contactId: t.field({ ...acceptId('Contact'), description: `${whose} The payer when it is left out.` }),
  currency: t.string({
    validate: currencyCode,
    description: 'Currency, by its code of ISO 4217; that of the payment, which it must be.',
  }),
});

const PaidDonation = builder.inputType('PaidDonationInput', {
  description: 'A donation that a payment pays.',
  fields: (t) => ({
    ...partFields(t, 'The contact who gives it.'),
    ...defineInputFields(t, donations, true, ['amount', 'donation_price_id']),
  }),
});

const PaidMembership = builder.inputType('PaidMembershipInput', {
  description: 'A membership that a payment pays.',
  fields: (t) => ({
    ...partFields(t, 'The contact who is to be a member.'),
    ...defineInputFields(t, memberships, true, ['amount', 'start_date', 'end_date', 'membership_price_id']),
  }),
  // Days as text of one form compare as the days do.
  validate: z
    .looseObject({ startDate: z.string(), endDate: z.string().nullish() })
    .refine(({ startDate, endDate }) => !endDate || endDate >= startDate, {
      path: ['endDate'],
      message: 'must not be before startDate',
    }),
});

interface Parts {
  amount: number;
  currency?: string | null;
  donations?: PaymentPart[] | null;
  memberships?: PaymentPart[] | null;
}
type PaymentPart = Pick<Parts, 'amount' | 'currency'>;

/** The parts are of the currency of the whole, and together between nothing and all of it: of a refund, that is negative. */
const partsWithinWhole = z.unknown().superRefine((input, check) => {
  const { amount, currency, donations, memberships } = input as Parts;
  const parts = Object.entries({ donations: donations ?? [], memberships: memberships ?? [] }).flatMap(([list, all]) =>
    all.map((part, index) => ({ ...part, path: [list, index, 'currency'] })),
  );
  for (const part of parts)
    if (part.currency && part.currency !== (currency ?? 'EUR'))
      check.addIssue({ code: 'custom', path: part.path, message: `must be that of the payment, ${currency ?? 'EUR'}` });
  // Beyond 2^53 a sum of numbers would be rounded.
  const sum = parts.reduce((total, part) => total + BigInt(part.amount), 0n);
  if (amount < 0 ? sum > 0n || sum < amount : sum < 0n || sum > amount)
    check.addIssue({
      code: 'custom',
      path: ['amount'],
      message: `must cover its donations and memberships, which add up to ${sum}`,
    });
});

const parts = limitListLength([0, 100], '');

defineMutation('createPayment', {
  description:
    'Records a payment: a transaction of the payer, and the donations and memberships that it pays, for whichever contacts. All of it is written, or nothing.',
  about: 'A transaction with the donations and memberships that it pays. Their sum must not exceed its amount.',
  input: (t) => ({
    contactId: t.field({ ...acceptId('Contact'), required: true, description: 'The payer.' }),
    ...defineInputFields(t, transactions, true),
    donations: t.field({ type: [PaidDonation], validate: parts, description: 'The donations, at most 100.' }),
    memberships: t.field({ type: [PaidMembership], validate: parts, description: 'The memberships, at most 100.' }),
  }),
  validate: partsWithinWhole,
  resolve: async (input, { space, caller }) => ({
    transaction: await createPayment(space, caller.userId, {
      ...(replaceBlanks(input, 'null') as unknown as Payment),
      donations: (input.donations ?? []) as Payment['donations'],
      memberships: (input.memberships ?? []) as Payment['memberships'],
    }),
  }),
  audit: ({ transaction }) => describeAudited('Transaction', transaction),
  payload: (t) => ({
    transaction: t.expose('transaction', { type: Transaction, description: 'The transaction of the payer.' }),
  }),
});
