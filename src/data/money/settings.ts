// Settings lists of a space: membership price groups with their prices, donation prices, transaction statuses.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { defineRecordsOfSpace } from '../noun/crud.ts';
import { defineRecordList } from '../noun/record-list.ts';

interface Setting {
  id: number;
  group_id: number;
  name: string;
  created_at: string;
  updated_at: string;
}

interface Price extends Setting {
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  allow_custom_amount: boolean;
  hidden: boolean;
  kind: string | null;
}

export interface MembershipPriceGroupRow extends Setting {
  hidden: boolean;
}

export interface MembershipPriceRow extends Price {
  membership_price_group_id: number;
  duration: string | null;
  rolling_period: string | null;
}

export type DonationPriceRow = Price;

export interface TransactionStatusRow extends Setting {
  color: string | null;
  kind: string | null;
  archived: boolean;
}

const no = { otherwise: 'false' };
const price = {
  name: {},
  amount: {},
  currency: { otherwise: `'EUR'` },
  allow_custom_amount: no,
  hidden: no,
  kind: {},
};

export const membershipPriceGroups = defineRecordsOfSpace<MembershipPriceGroupRow>({
  table: 'membership_price_groups',
  noun: 'membership price group',
  columns: { name: {}, hidden: no },
});
export const membershipPrices = defineRecordsOfSpace<MembershipPriceRow>({
  table: 'membership_prices',
  noun: 'membership price',
  columns: {
    ...price,
    membership_price_group_id: { refers: membershipPriceGroups },
    duration: {},
    rolling_period: {},
  },
});
export const donationPrices = defineRecordsOfSpace<DonationPriceRow>({
  table: 'donation_prices',
  noun: 'donation price',
  columns: price,
});
export const transactionStatuses = defineRecordsOfSpace<TransactionStatusRow>({
  table: 'transaction_statuses',
  noun: 'transaction status',
  columns: { name: {}, color: {}, kind: {}, archived: no },
});

const deletePrices = defineStatement(
  'membership_prices.delete_of_group',
  `update membership_prices set deleted_at = now(), updated_at = now()
    where group_id = :group and membership_price_group_id = :id and deleted_at is null`,
);

/** The prices of these groups. */
export const pricesOfGroups = membershipPrices.by('membership_price_group_id');

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

export const membershipPriceGroupList = defineRecordList<MembershipPriceGroupRow>()(membershipPriceGroups, {
  fields: {
    name: { column: 'r.name', type: 'text' },
    hidden: { column: 'r.hidden', type: 'boolean' },
  },
  orders: ['id', 'name', 'createdAt', 'updatedAt'],
  isShort: true,
  groups: ['hidden'],
});
export const donationPriceList = defineRecordList<DonationPriceRow>()(donationPrices, {
  fields: {
    name: { column: 'r.name', type: 'text' },
    amount: { column: 'r.amount', type: 'number' },
    currency: { column: 'r.currency', type: 'code' },
    hidden: { column: 'r.hidden', type: 'boolean' },
    kind: { column: 'r.kind', type: 'code', nullable: true },
  },
  orders: ['id', 'name', 'amount', 'createdAt', 'updatedAt'],
  isShort: true,
  groups: ['currency', 'hidden', 'kind'],
});
export const transactionStatusList = defineRecordList<TransactionStatusRow>()(transactionStatuses, {
  fields: {
    name: { column: 'r.name', type: 'text' },
    kind: { column: 'r.kind', type: 'code', nullable: true },
    archived: { column: 'r.archived', type: 'boolean' },
  },
  orders: ['id', 'name', 'createdAt', 'updatedAt'],
  isShort: true,
  groups: ['kind', 'archived'],
});
