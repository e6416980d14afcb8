// The values of generated conditions: of each kind, mostly drawn from the pools that the population was made of.
import { getKind } from './oracle-attributes.ts';
import { parseSpan } from './oracle-dates.ts';
import { extractDigits, foldText } from './oracle-text.ts';
import * as pools from './pools.ts';
import { actionIds, computeContactId, computeExternalId } from './population.ts';
import { userIds } from './population-draws.ts';
import { campaignIds, ratings, settingIds, templateIds } from './population-records.ts';
import type { Chance } from './random.ts';
import { segmentTrees } from './segments.ts';

const people = Array.from({ length: 300 }, (_, index) => index);

const texts: Record<string, readonly string[]> = {
  external_id: people.filter((index) => index % 3).map(computeExternalId),
  firstname: pools.firstnames,
  surname: pools.surnames,
  married_name: pools.marriedNames,
  gender: pools.genders,
  birthcity: pools.cities,
  birthcountry: pools.countries,
  birth_dept: pools.postcodes,
  'actions.name': actionIds.map((id) => `Action ${id}`),
  'address.citycode': pools.postcodes,
  'address.county': pools.cities,
  'address.state': pools.cities,
  'address.infos': pools.addressParts,
  'address.location': pools.streets,
  'notes.content': pools.subjects,
  'interactions.type': pools.emailTypes,
  'interactions.sub_type': pools.goals,
  'interactions.title': pools.subjects,
  'interactions.comments': pools.subjects,
  nationality: pools.countries,
  mail: pools.mails,
  phone: pools.phones,
  mobile: pools.phones,
  'tags.name': pools.tags,
  'address.city': pools.cities,
  'address.postalcode': pools.postcodes,
  'address.street': pools.streets,
  'address.country': pools.countries,
  'address.housenumber': pools.houseNumbers,
  'address.building': pools.addressParts,
  'address.floor': pools.addressParts,
  'address.door': pools.addressParts,
  'address.addition': pools.addressParts,
  'address.pollingstation': pools.stations,
  'address.invalid': pools.invalids,
  'transactions.code_campaign': pools.codes,
  'transactions.payment_method_kind': pools.payments,
  'donations.payment_method_kind': pools.payments,
  'emails.type': pools.emailTypes,
  'emails.sender': pools.senders,
  'emails.campaign_goal': pools.goals,
  'emails.subject': pools.subjects,
  'emails.campaign_name': pools.campaignNames,
  'emails.template_name': pools.templateNames,
  'emails.clicked_urls': pools.urls,
  'sanctions.status': pools.sanctionStatuses,
};

const numbers: Record<string, readonly number[]> = {
  id: [...people.map(computeContactId), 12],
  age_cat: pools.ages,
  user_id: [...userIds, 99],
  action_ids: [...actionIds, 99],
  segment: [...segmentTrees.keys()],
  'transactions.status_id': [...settingIds, 99],
  'donations.donation_price_id': [...settingIds, 99],
  'memberships.membership_price_id': [...settingIds, 99],
  'emails.user_id': userIds,
  'notes.user_id': userIds,
  'interactions.user_id': userIds,
  'emails.campaign_id': [...campaignIds, 99],
  'emails.template_id': [...templateIds, 99],
  'emails.campaign_performance_rating': ratings,
};

/** Dates without a time, by the attributes that have them. */
const days: Record<string, readonly string[]> = {
  birthdate: pools.birthdates,
  'memberships.start_date': pools.spans.map(([start]) => start),
  'memberships.end_date': pools.spans.flatMap(([, end]) => end ?? []),
};

const getPool = <Value>(pools: Record<string, readonly Value[]>, attr: string): readonly Value[] => {
  const pool = pools[attr];
  if (!pool) throw new Error(`No values to ask ${attr} for: add a pool to test/search/generate-values.ts`);
  return pool;
};

const oddTexts = [
  '%',
  '_',
  '\\',
  '100%',
  'zzz',
  "'",
  '"',
  "'; --",
  'a%b',
  '😀',
  '%%',
  '\\%',
  '?',
  '$1',
  'x'.repeat(255),
];

const stripped = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '');

/** A part of a text, cut between letters and not between a letter and its accent. */
const slice = (draw: Chance, text: string, leading: boolean): string => {
  const letters = [...text.normalize('NFC')];
  const start = leading ? 0 : draw.whole(letters.length);
  return letters.slice(start, start + 1 + draw.whole(letters.length - start)).join('');
};

/** Mostly what is stored, or a part of it; now and then in another spelling that means the same, or what nobody has. */
export const drawText = (draw: Chance, pool: readonly string[], ope: string): string => {
  // Genders are three values; anything else is a fault.
  if (pool !== pools.genders && draw.odds(0.06)) return draw.pick(oddTexts);
  const stored = draw.pick(pool);
  if (ope.endsWith(':strictdata')) return draw.odds(0.85) ? stored : stored.toUpperCase();
  const part = /contains|start_with/.test(ope) ? slice(draw, stored, ope.includes('start_with')) : stored;
  const spelled = draw.pick([
    part,
    part,
    part,
    part,
    part.toUpperCase(),
    part.toLowerCase(),
    stripped(part),
    ` ${part}  `,
  ]);
  // An empty needle has no reading; neither has an accent alone.
  return foldText(spelled) === '' ? stored : spelled;
};

const phoneValue = (draw: Chance, ope: string): string => {
  const stored = draw.pick(pools.phones);
  const written = draw.odds(0.4) ? stored.replace('+', '') : stored;
  const part = /contains|start_with/.test(ope) ? slice(draw, written, ope.includes('start_with')) : written;
  const spelled = draw.odds(0.3) ? extractDigits(part).replace(/(\d\d)/g, `$1${draw.pick([' ', '.', '-', ''])}`) : part;
  return /\p{Nd}/u.test(spelled) ? spelled : stored;
};

/** The same instant in another of the spellings that RFC 3339 allows. */
const respell = (draw: Chance, instant: string): string => {
  const [, fraction] = /\.(\d{6})Z$/.exec(instant)!;
  const short = fraction!.replace(/0+$/, '');
  const dotted = draw.odds(0.5) && short !== fraction ? (short ? `.${short}` : '') : `.${fraction}`;
  const hours = draw.pick([0, 0, 0, 2, -5]);
  const shifted = new Date(Date.parse(`${instant.slice(0, 19)}Z`) + hours * 3_600_000).toISOString().slice(0, 19);
  return shifted + dotted + (hours === 0 ? 'Z' : hours > 0 ? `+0${hours}:00` : `-0${-hours}:00`);
};

export const drawDate = (draw: Chance, attr: string): string => {
  if (draw.odds(0.04)) return draw.pick(['0001-01-01', '9999-12-31', '2024-02-29', '2026-11-21T12:34:56.78901Z']);
  if (draw.odds(0.3)) return draw.pick(pools.relatives);
  const pool = days[attr];
  if (pool)
    return draw.odds(0.75) ? draw.pick(pool) : `${draw.pick(pool)}T00:00:00${draw.pick(['Z', '.000001Z', '+02:00'])}`;
  const instant = draw.pick(pools.instants);
  return draw.odds(0.5) ? instant.slice(0, 10) : respell(draw, instant);
};

export const drawRange = <T>(draw: Chance, make: () => T, key: (value: T) => number | bigint | string) => {
  const [one, other] = [make(), make()];
  const ordered = key(one) <= key(other) !== draw.odds(0.08);
  return ordered ? { from: one, to: other } : { from: other, to: one };
};

const anchor = parseSpan(pools.now, 0n).from;
export const drawDateRange = (draw: Chance, attr: string) =>
  drawRange(
    draw,
    () => drawDate(draw, attr),
    (value) => parseSpan(value, anchor).from,
  );

/** Cents as one of the spellings of euros. */
const euros = (draw: Chance, cents: number): string => {
  const sign = cents < 0 ? '-' : '';
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const [whole, fraction] = [digits.slice(0, -2), digits.slice(-2)];
  const spellings = [`${whole}.${fraction}`];
  if (fraction.endsWith('0')) spellings.push(`${whole}.${fraction[0]}`);
  if (fraction === '00') spellings.push(whole, whole);
  return sign + draw.pick(spellings);
};

const moneyValue = (draw: Chance, attr: string): string => {
  const one = () => draw.pick(draw.odds(0.03) ? [pools.hugeAmount, -1, 99999999] : pools.amounts);
  const sum = attr.endsWith('.sum_amount') && draw.odds(0.5) ? one() + draw.pick(pools.amounts) : one();
  return euros(draw, Math.min(sum, pools.hugeAmount));
};

const wholeValue = (draw: Chance, attr: string): number | string => {
  const number = draw.pick(getPool(numbers, attr));
  return draw.odds(0.75) ? number : String(number);
};

/** A JSON array of a few values, or a text with commas where no value holds one. */
const listValue = (draw: Chance, count: number, make: () => string | number): unknown => {
  const items = Array.from({ length: count }, make);
  const plain = items.every((item) => !String(item).includes(',') && String(item).trim() !== '');
  return plain && draw.odds(0.4) ? items.join(draw.pick([',', ', '])) : items;
};

/** Around a town, a contact or a postal code, from the next street to all the earth. */
const drawCircle = (draw: Chance): object => {
  const km = draw.pick([0.001, 1, 5, 12, 20, 30, 80, 400, 2000, 10_000, 17_000, 20_015, 20_037]);
  if (draw.odds(0.25)) return { km, contact_id: computeContactId(draw.whole(310)) };
  if (draw.odds(0.2)) return { km, postal_code: draw.odds(0.9) ? draw.pick(pools.postcodes) : 'nowhere' };
  const [latitude, longitude] = draw.odds(0.8) ? draw.pick(pools.towns) : [draw.whole(181) - 90, draw.whole(361) - 180];
  return { km, point: { latitude, longitude } };
};

const clamp = (value: number, most: number): number => Math.max(-most, Math.min(most, value));

/** A star around a town, with a hole of the same form now and then. Nobody lives on its rings: there only scenarios say who is within. */
const drawPolygon = (draw: Chance): number[][][] => {
  const [north, east] = draw.pick(pools.towns);
  const corners = 3 + draw.whole(8);
  const size = draw.pick([0.05, 0.2, 0.3, 2, 60]);
  const spokes = Array.from({ length: corners }, () => (size * (20 + draw.whole(81))) / 100);
  const ringOf = (share: number): number[][] => {
    const ring = spokes.map((spoke, index) => {
      const angle = (2 * Math.PI * index) / corners + 0.1234;
      return [
        clamp(east + spoke * share * Math.cos(angle), 179.987),
        clamp(north + spoke * share * Math.sin(angle), 89.987),
      ];
    });
    return [...ring, ring[0]!];
  };
  return draw.odds(0.4) ? [ringOf(1), ringOf(0.5)] : [ringOf(1)];
};

/** The operand of a condition on anything but answers: the fields beside `attr` and `ope`. */
export const drawOperand = (draw: Chance, attr: string, ope: string): object => {
  const kind = getKind(attr);
  if (ope === 'ext' || ope === 'not_ext') return {};
  if (ope === 'period') {
    const end = () => (draw.odds(0.15) ? draw.pick(['02-29', '12-31', '01-01']) : draw.pick(pools.birthdates).slice(5));
    const [from, to] = [end(), end()];
    return draw.odds(0.5) ? { value: `${from}/${to}` } : { from, to };
  }
  const count = ope === 'all_of' ? draw.pick([1, 1, 1, 2]) : 1 + draw.whole(4);
  const range = ope === 'range';
  if (ope === 'within')
    return { value: draw.pick(kind === 'day' && draw.odds(0.6) ? pools.periodsOfDays : pools.periods) };
  if (/_of$/.test(ope)) {
    const item = () => (kind === 'whole' ? wholeValue(draw, attr) : drawText(draw, getPool(texts, attr), 'eql'));
    return { value: listValue(draw, attr === 'id' || attr === 'external_id' ? 10 * count : count, item) };
  }
  if (kind === 'circle') return { value: drawCircle(draw) };
  if (kind === 'area') return { value: { polygon: drawPolygon(draw) } };
  if (kind === 'moment' || kind === 'day') return range ? drawDateRange(draw, attr) : { value: drawDate(draw, attr) };
  if (kind === 'phone') return { value: phoneValue(draw, ope) };
  if (kind === 'flag') return { value: draw.odds(0.5) };
  if (kind === 'validity') return { value: draw.pick(['ongoing', 'ended']) };
  if (kind === 'text' || kind === 'texts') return { value: drawText(draw, getPool(texts, attr), ope) };
  const make = (): number | string => {
    if (kind === 'money') return moneyValue(draw, attr);
    if (kind === 'decimal')
      return draw.odds(0.5) ? draw.pick(pools.degrees) : pools.writeDecimal(draw.pick(pools.degrees));
    if (kind === 'count') return draw.pick(['0', '1', '1', '2', '3', '4', '7', '10']);
    if (kind === 'years' || kind === 'twice') return draw.pick(pools.years);
    return wholeValue(draw, attr);
  };
  const currency = kind === 'money' && draw.odds(0.3) && { currency: draw.pick(pools.currencies) };
  return { ...(range ? drawRange(draw, make, Number) : { value: make() }), ...currency };
};
