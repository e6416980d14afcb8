// Creates the settings of a space: tags, actions, prices and statuses of transactions.
import { daySeconds, formatInstant, reference } from './calendar.ts';
import { createWeightedPicker, createZipfPicker, type Picker } from './random.ts';
import { formatFoundingInstant, type Lists, type Price, type SpaceSeed } from './space.ts';
import { actions, colors, tags } from './words.ts';

export const makeTags = ({ rows, space }: SpaceSeed): Picker<number> => {
  const ids = tags.map((name, index) => {
    const id = rows.id('tags');
    const color = index % 9 === 8 ? null : colors[index % colors.length]!;
    rows.add('tags', [space, id, name, color, formatFoundingInstant(index), formatFoundingInstant(index)]);
    return id;
  });
  return createZipfPicker(ids);
};

export const makeActions = (making: SpaceSeed): Picker<number> => {
  const { rows, space } = making;
  const random = making.at('settings', 1);
  const ids = actions.map((name, index) => {
    const id = rows.id('actions');
    // Most actions are in the past, some in the future, one has no date yet, and one was cancelled.
    const starts = reference + random.between(-700, 60) * daySeconds + random.between(8, 20) * 3600;
    const made = formatInstant(Math.min(starts, reference) - random.between(10, 60) * daySeconds);
    const off = index === 17 ? formatInstant(reference - 9 * daySeconds) : null;
    rows.add('actions', [space, id, name, index === 11 ? null : formatInstant(starts), made, off ?? made, off]);
    return id;
  });
  return createZipfPicker(ids, 2);
};

type PriceSpec = [name: string, euros: number, custom: boolean, kind: string, calendarYear: boolean, weight: number];
const priceGroups: [name: string, hidden: boolean, prices: PriceSpec[]][] = [
  [
    'Cotisation annuelle',
    false,
    [
      ['Plein tarif', 30, false, 'standard', true, 40],
      ['Tarif réduit', 10, false, 'reduced', true, 25],
      ['Soutien', 60, true, 'support', true, 10],
      ['Famille', 45, false, 'family', true, 8],
    ],
  ],
  [
    'Adhésion de douze mois',
    false,
    [
      ['Première adhésion', 15, false, 'standard', false, 12],
      ['Renouvellement', 25, false, 'standard', false, 12],
    ],
  ],
  [
    'Anciens tarifs',
    true,
    [
      ['Plein tarif 2022', 24, false, 'standard', true, 5],
      ['Membre d’honneur', 0, false, 'honorary', true, 1],
    ],
  ],
];

export const makeMembershipPrices = ({ rows, space }: SpaceSeed): Picker<Price> => {
  const made: [price: Price, weight: number][] = [];
  for (const [place, [name, hidden, prices]] of priceGroups.entries()) {
    const group = rows.id('membership_price_groups');
    const founded = formatFoundingInstant(place);
    rows.add('membership_price_groups', [space, group, name, hidden, founded, founded]);
    for (const [label, euros, custom, kind, calendarYear, weight] of prices) {
      const id = rows.id('membership_prices');
      const at = formatFoundingInstant(place + made.length);
      const amount = euros * 100;
      const duration = calendarYear ? ['calendar_year', null] : ['rolling', '12 months'];
      const isHidden = hidden || kind === 'honorary';
      rows.add('membership_prices', [space, id, group, label, amount, custom, isHidden, kind, ...duration, at, at]);
      made.push([{ id, amount, calendarYear }, weight]);
    }
  }
  return createWeightedPicker(...made);
};

const donationPrices: [name: string, euros: number, custom: boolean, hidden: boolean, kind: string][] = [
  ['Petit don', 10, false, false, 'one_off'],
  ['Don', 20, false, false, 'one_off'],
  ['Don de soutien', 50, false, false, 'one_off'],
  ['Grand don', 200, false, false, 'one_off'],
  ['Don libre', 0, true, false, 'one_off'],
  ['Don mensuel', 5, true, false, 'monthly'],
  ['Campagne 2022', 22, false, true, 'one_off'],
];

export const makeDonationPrices = ({ rows, space }: SpaceSeed): Price[] =>
  donationPrices.map(([name, euros, custom, hidden, kind], place) => {
    const id = rows.id('donation_prices');
    const at = formatFoundingInstant(place);
    rows.add('donation_prices', [space, id, name, euros * 100, custom, hidden, kind, at, at]);
    return { id, amount: euros * 100, calendarYear: false };
  });

export const makeStatuses = ({ rows, space }: SpaceSeed): Lists['statuses'] => {
  const add = (place: number, name: string, color: string | null, kind: string, archived: boolean): number => {
    const id = rows.id('transaction_statuses');
    const at = formatFoundingInstant(place);
    rows.add('transaction_statuses', [space, id, name, color, kind, archived, at, at]);
    return id;
  };
  const ids = {
    paid: add(0, 'Encaissé', '#27ae60', 'success', false),
    pending: add(1, 'En attente', '#f39c12', 'pending', false),
    failed: add(2, 'Refusé', '#c0392b', 'failure', false),
    refunded: add(3, 'Remboursé', '#8e44ad', 'refund', false),
    old: add(4, 'Chèque à remettre', null, 'pending', true),
  };
  // No transaction has this one.
  add(9, 'Litige', '#7f8c8d', 'failure', true);
  return ids;
};
