// Settings lists of a space: membership price groups with their prices, donation prices, transaction statuses.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { defineNoun } from '../noun/noun.ts';

/** The currency of amounts, by its code of ISO 4217. */
export const currency = {
  kind: 'currency',
  otherwise: `'EUR'`,
  description: 'Currency, by its code of ISO 4217; EUR unless another is given.',
  isGroup: true,
} as const;

const price = {
  name: { kind: 'text', required: true, description: 'Name of the price.', isOrder: true },
  amount: {
    kind: 'money',
    required: true,
    least: 0,
    description: 'How much it is.',
    input: 'Amount in minor units of the currency (cents).',
    isOrder: true,
  },
  currency,
  allow_custom_amount: {
    kind: 'flag',
    otherwise: 'false',
    description: 'Whether another amount may be paid.',
    isFiltered: false,
  },
  hidden: { kind: 'flag', otherwise: 'false', description: 'Whether it is no longer offered.', isGroup: true },
  kind: { kind: 'code', description: 'Kind of the price.', isGroup: true },
} as const;

export const membershipPriceGroups = defineNoun('MembershipPriceGroup', {
  table: 'membership_price_groups',
  of: 'space',
  description: 'Membership prices that are offered together.',
  columns: {
    name: { kind: 'text', required: true, description: 'Name of the group.', isOrder: true },
    hidden: { kind: 'flag', otherwise: 'false', description: 'Whether it is no longer offered.', isGroup: true },
  },
});

export const membershipPrices = defineNoun('MembershipPrice', {
  table: 'membership_prices',
  of: 'space',
  description: 'What a membership costs.',
  columns: {
    ...price,
    membership_price_group_id: {
      kind: 'id',
      refers: membershipPriceGroups,
      isShownThere: true,
      required: true,
      description: 'The group it belongs to.',
      field: 'group',
    },
    duration: { kind: 'code', description: 'How long the membership lasts.' },
    rolling_period: { kind: 'code', description: 'How its period rolls over.' },
  },
});

export const donationPrices = defineNoun('DonationPrice', {
  table: 'donation_prices',
  of: 'space',
  description: 'An amount that donors are offered.',
  columns: {
    ...price,
    allow_custom_amount: {
      ...price.allow_custom_amount,
      description: 'Whether another amount may be given.',
      input: 'Whether another amount may be paid.',
    },
  },
});

export const transactionStatuses = defineNoun('TransactionStatus', {
  table: 'transaction_statuses',
  of: 'space',
  description: 'A state that a transaction can be in.',
  columns: {
    name: { kind: 'text', required: true, description: 'Name of the status.', isOrder: true },
    color: { kind: 'code', description: 'Colour to show it in.', isFiltered: false },
    kind: { kind: 'code', description: 'Kind of the status.', isGroup: true },
    archived: { kind: 'flag', otherwise: 'false', description: 'Whether it is no longer used.', isGroup: true },
  },
});

const deletePrices = defineStatement(
  'membership_prices.delete_of_group',
  `update membership_prices set deleted_at = now(), updated_at = now()
    where group_id = :group and membership_price_group_id = :id and deleted_at is null`,
);

export const readMembershipPrices = membershipPrices.by('id');
/** The prices of these groups. */
export const readPricesOfGroups = membershipPrices.by('membership_price_group_id');

/**
 * Soft-deletes a price group with its prices. Throws 404 when it is missing. It takes two statements: a new price locks its group until it
 * is committed, and only the second statement sees the prices committed before the group was locked.
 */
export const deletePriceGroup = (space: Space, userId: number, id: number): Promise<number> =>
  space.transaction(async (tx) => {
    await membershipPriceGroups.remove(tx, userId, id);
    await tx.rows(deletePrices, { id });
    return id;
  });
