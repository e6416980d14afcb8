// Fills transactions, donations and memberships, in cents.
import { chooseByChance, drawOneOf, drawZipf } from '../build/draw.ts';
import type { Job } from '../build/lanes.ts';
import type { Stretch } from './people.ts';
import { ids } from './settings.ts';

/** The records of the plan for each contact, with dates of nearly six years. The id encodes the contact and the number of the record. */
const records = (count: string, { from, to }: Stretch): string => `(
  select space, contact, nth, payments, contact * 16 + nth as id, bench.today() - random() * interval '2150 days' as at
  from (
    select space, id as contact, payments, generate_series(1, ${count}) as nth
    from bench.people where id between ${from} and ${to} offset 0
  ) p offset 0) x`;

/** Assigns the records in order to the transactions of their contact. */
const transaction = 'case when nth <= payments then id end';

export const fillTransactions = (stretch: Stretch, seed: number): Job => ({
  name: 'transactions',
  seed,
  sql: `insert into transactions (group_id, id, contact_id, amount, date, code_campaign, payment_method_kind, status_id, created_at, updated_at)
    select space, id, contact, 500 + ${drawZipf(400)} * 100, at, ${chooseByChance(0.5, `'CAMP-' || ${drawZipf(100)}`)},
      ${drawOneOf('card', 'check', 'cash', 'transfer', 'sepa')}, ${ids.setting('space', drawZipf(5))}, at, at
    from ${records('payments', stretch)}`,
});

export const fillDonations = (stretch: Stretch, seed: number): Job => ({
  name: 'donations',
  seed,
  sql: `insert into donations (group_id, id, contact_id, transaction_id, donation_price_id, amount, transaction_date, created_at, updated_at)
    select space, id, contact, ${transaction}, ${ids.setting('space', drawZipf(6))}, 1000 + ${drawZipf(300)} * 100, at, at, at
    from ${records('gifts', stretch)}`,
});

export const fillMemberships = (stretch: Stretch, seed: number): Job => ({
  name: 'memberships',
  seed,
  sql: `insert into memberships
      (group_id, id, contact_id, transaction_id, membership_price_id, amount, start_date, end_date, transaction_date, created_at, updated_at)
    select space, id, contact, ${transaction}, ${ids.setting('space', drawZipf(6))}, 2000, at::date, ${chooseByChance(0.98, 'at::date + 365')}, at, at, at
    from ${records('memberships', stretch)}`,
});
