// Creates the payments of a contact: transactions, donations and memberships.
import { countDays, daySeconds, formatDate, formatInstant, formatPastInstant, reference } from './calendar.ts';
import { createWeightedPicker, type Random } from './random.ts';
import type { Lists, Price, SpaceSeed } from './space.ts';

const counts = createWeightedPicker<number>([1, 45], [2, 22], [3, 13], [4, 8], [5, 5], [6, 3], [7, 2], [8, 2]);
const gifts = createWeightedPicker<number>(
  [20, 22],
  [10, 20],
  [50, 15],
  [5, 10],
  [30, 9],
  [100, 8],
  [15, 6],
  [200, 3],
  [150, 2],
  [300, 1.2],
  [500, 0.8],
  [1000, 0.3],
  [7500, 0.05],
);
const methods = createWeightedPicker<string | null>(
  ['card', 50],
  ['check', 18],
  ['sepa', 14],
  ['transfer', 10],
  ['cash', 7],
  [null, 1],
);
const seasons = ['PRINTEMPS', 'ETE', 'RENTREE', 'NOEL'];
const codeCampaign = (random: Random): string | null =>
  random.chance(0.5) ? `DON-${random.between(2021, 2026)}-${random.of(seasons)}` : random.chance(0.02) ? '' : null;

type Status = keyof Lists['statuses'];
const outcomes = createWeightedPicker<Status | null>(
  ['paid', 88],
  ['pending', 4],
  ['failed', 3],
  ['old', 3],
  [null, 2],
);
const purposes = createWeightedPicker<'gift' | 'membership' | 'family' | 'both' | 'other'>(
  ['gift', 50],
  ['membership', 32],
  ['family', 3],
  ['both', 6],
  ['other', 9],
);

const cents = (random: Random): number =>
  random.chance(0.05) ? random.between(100, 12_345) : gifts.pick(random) * 100;
/** A random time since 2021, more often a recent one. */
const pickPastTime = (random: Random): number =>
  reference - 1 - Math.floor(random.share() * (1 + random.share()) * 1070 * daySeconds);

interface Payment {
  contact: number;
  at: number;
  currency: string;
  transaction: number | null;
}

const makeDonation = (
  { rows, space }: SpaceSeed,
  { donationPrices }: Lists,
  { contact, transaction, currency, at }: Payment,
  amount: number,
  priced: boolean,
): void => {
  const price = priced ? (donationPrices.find((one) => one.amount === amount) ?? donationPrices[4]) : undefined;
  const date = formatInstant(at);
  const id = rows.id('donations');
  rows.add('donations', [space, id, contact, transaction, price?.id ?? null, amount, currency, date, date, date]);
};

const yearOf = (day: number): number => Number(formatDate(day).slice(0, 4));

const makeMembership = ({ rows, random, space }: SpaceSeed, payment: Payment, price: Price): void => {
  const day = Math.floor(payment.at / daySeconds);
  const year = yearOf(day);
  const start = price.calendarYear ? countDays(year, 1, 1) : day;
  const end = price.calendarYear ? countDays(year, 12, 31) : day + 364;
  // Honorary memberships have no end.
  const endless = price.amount === 0 || random.chance(0.01);
  rows.add('memberships', [
    space,
    rows.id('memberships'),
    payment.contact,
    payment.transaction,
    price.id,
    price.amount,
    payment.currency,
    formatDate(start),
    endless ? null : formatDate(end),
    payment.transaction === null && random.chance(0.5) ? null : formatInstant(payment.at),
    formatInstant(payment.at),
    formatInstant(payment.at),
  ]);
};

/** Creates the donations and memberships of a transaction, and returns their amount. */
const makeContents = (making: SpaceSeed, lists: Lists, payment: Payment): number => {
  const { random } = making;
  const purpose = purposes.pick(random);
  if (purpose === 'other') return random.chance(0.15) ? 0 : random.between(1, 80) * 100;
  let total = 0;
  if (purpose === 'gift' || purpose === 'both') {
    const gift = cents(random);
    makeDonation(making, lists, payment, gift, random.chance(0.85));
    total += gift;
  }
  // A family pays several memberships together.
  const memberships = purpose === 'gift' ? 0 : purpose === 'family' ? random.between(2, 3) : 1;
  for (let n = 0; n < memberships; n++) {
    const price = lists.membershipPrices.pick(random);
    makeMembership(making, payment, price);
    total += price.amount;
  }
  return total;
};

const makeTransaction = (making: SpaceSeed, lists: Lists, contact: number): void => {
  const { rows, random, space } = making;
  const transaction = rows.id('transactions');
  const at = pickPastTime(random);
  const currency = random.chance(0.01) ? 'CHF' : 'EUR';
  const refund = random.chance(0.02);
  const payment = { contact, at, currency, transaction };
  const amount = refund ? -cents(random) : makeContents(making, lists, payment);
  const outcome = refund ? 'refunded' : outcomes.pick(random);
  rows.add('transactions', [
    space,
    transaction,
    contact,
    amount,
    currency,
    formatInstant(at),
    codeCampaign(random),
    methods.pick(random),
    outcome && lists.statuses[outcome],
    formatPastInstant(at + random.below(random.chance(0.1) ? 20 * daySeconds : 60)),
    formatPastInstant(at + 20 * daySeconds),
    random.chance(0.005) ? formatPastInstant(at + 30 * daySeconds) : null,
  ]);
};

export const makeMoney = (making: SpaceSeed, lists: Lists, index: number, contact: number): void => {
  const random = making.at('money', index);
  const count = random.chance(0.2) ? counts.pick(random) : 0;
  for (let n = 0; n < count; n++) makeTransaction(making, lists, contact);
  // Manual entries and records of older systems have no transaction.
  const byHand = { contact, at: pickPastTime(random), currency: 'EUR', transaction: null };
  if (random.chance(0.02)) makeDonation(making, lists, byHand, cents(random), false);
  if (random.chance(0.03)) makeMembership(making, byHand, lists.membershipPrices.pick(random));
};
