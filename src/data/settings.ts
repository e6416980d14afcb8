// Settings lists of a space: membership price groups with their prices, donation prices, transaction statuses.
import { type PageOf, pageSql, toPage } from './page.ts';
import { type Space, statement } from './space.ts';

interface Setting {
  id: number;
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

interface Slice {
  limit: number;
  offset: number;
}

const lister = <Row extends Setting>(table: string, columns: string) => {
  const list = statement(
    `settings.${table}`,
    pageSql(
      `id, name, created_at, updated_at, ${columns}`,
      `from ${table} where group_id = :group and deleted_at is null`,
      'id',
    ),
  );
  return async (space: Space, { limit, offset }: Slice): Promise<PageOf<Row>> =>
    toPage(await space.rows(list, { limit, offset }));
};

const price = 'amount, currency, allow_custom_amount, hidden, kind';

export const membershipPriceGroups = lister<MembershipPriceGroupRow>('membership_price_groups', 'hidden');
export const donationPrices = lister<DonationPriceRow>('donation_prices', price);
export const transactionStatuses = lister<TransactionStatusRow>('transaction_statuses', 'color, kind, archived');

const prices = statement(
  'settings.membership_prices',
  `select id, name, created_at, updated_at, membership_price_group_id, duration, rolling_period, ${price} from membership_prices
    where group_id = :group and membership_price_group_id = any(:ids) and deleted_at is null order by membership_price_group_id, id`,
);

export const pricesOfGroups = (space: Space, ids: readonly number[]): Promise<MembershipPriceRow[]> =>
  space.rows(prices, { ids });
