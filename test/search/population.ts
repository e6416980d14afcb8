// A deterministic population: two spaces that share every id but nothing else, with all that a search can see and all that can go wrong in it.
import * as pools from './pools.ts';
import { drawAnswers, drawConsentChanges, generateFormRows } from './population-answers.ts';
import { drawCount, drawDeletion, drawOrNull, drawTextOrNone, userIds } from './population-draws.ts';
import { drawRecords, generateSettingsRows } from './population-records.ts';
import { type Chance, createChance } from './random.ts';
import type { AddressRow, ContactRow, Population, Tables } from './rows.ts';

export { now } from './pools.ts';
export type { Population } from './rows.ts';

const contactsIn: Record<number, number> = { 1: 300, 2: 40 };

/** With gaps, so that an id is never a position; the same in both spaces. */
export const computeContactId = (index: number): number => 11 + 7 * index;

/** Alike in pairs but for case and accents; never the same, as the database wants. */
export const computeExternalId = (index: number): string => {
  const number = Math.floor(index / 4);
  return [`EXT-${number}`, `ext-${number}`, `Éxt-${number}`, `ext-${number}-b`][index % 4]!;
};

/** Actions 7 and 8 are deleted. */
export const actionIds = [1, 2, 3, 4, 5, 6, 7, 8];

const contact = (draw: Chance, group: number, index: number): ContactRow => {
  // One in ten has nothing at all that may be missing.
  const share = index % 10 === 3 ? 0 : 1;
  const text = (pool: readonly string[], odds = 0.75) => (share ? drawTextOrNone(draw, pool, odds) : null);
  const maybe = <T>(odds: number, pool: readonly T[]) => drawOrNull(draw, odds * share, () => draw.pick(pool));
  return {
    group_id: group,
    id: computeContactId(index),
    external_id: index === 12 ? '' : index === 13 ? '  ' : index % 3 === 0 || !share ? null : computeExternalId(index),
    firstname: text(pools.firstnames, 0.85),
    surname: text(pools.surnames, 0.85),
    married_name: text(pools.marriedNames, 0.5),
    gender: maybe(0.85, pools.genders),
    birthdate: maybe(0.8, pools.birthdates),
    age_category: maybe(0.8, pools.ages),
    birth_city: text(pools.cities),
    birth_country: text(pools.countries),
    birth_dept: text(pools.postcodes, 0.5),
    phone_invalid: draw.odds(0.3),
    mobile_invalid: draw.odds(0.3),
    nationality: text(pools.countries, 0.6),
    mail: text(pools.mails),
    phone: draw.odds(0.04) ? pools.noPhone : text(pools.phones),
    mobile: text(pools.phones),
    black_list: draw.odds(0.4),
    user_id: maybe(0.7, userIds),
    user_contact_id: maybe(0.3, userIds),
    lastchange: draw.pick(pools.instants),
    created_at: draw.pick(pools.instants),
    updated_at: draw.pick(pools.instants),
    deleted_at: drawDeletion(draw, 0.07),
  };
};

/** Towns, and a place of its own around each; one in six has no coordinates, and one in twenty half of them. */
const drawCoordinates = (draw: Chance): Pick<AddressRow, 'latitude' | 'longitude'> => {
  if (draw.odds(0.16)) return { latitude: draw.odds(0.3) ? 48.85 : null, longitude: null };
  const [latitude, longitude] = draw.pick(pools.towns);
  if (draw.odds(0.2)) return { latitude, longitude };
  const spread = (): number => (draw.whole(40_000) - 20_000) / 1e5;
  const east = longitude + spread();
  return {
    latitude: Math.min(90, Math.max(-90, latitude + spread())),
    longitude: east > 180 ? east - 360 : east < -180 ? east + 360 : east,
  };
};

const address = (draw: Chance, { group_id, id }: ContactRow): AddressRow => ({
  group_id,
  id: id + 1,
  contact_id: id,
  citycode: drawTextOrNone(draw, pools.postcodes, 0.5),
  county: drawTextOrNone(draw, pools.cities, 0.5),
  state: drawTextOrNone(draw, pools.cities, 0.5),
  infos: drawTextOrNone(draw, pools.addressParts, 0.5),
  location: drawTextOrNone(draw, pools.streets, 0.5),
  score: drawOrNull(draw, 0.7, () => draw.pick(pools.degrees)),
  addition: drawTextOrNone(draw, pools.addressParts, 0.5),
  building: drawTextOrNone(draw, pools.addressParts, 0.5),
  city: drawTextOrNone(draw, pools.cities, 0.85),
  country: drawTextOrNone(draw, pools.countries),
  door: drawTextOrNone(draw, pools.addressParts, 0.5),
  floor: drawTextOrNone(draw, pools.addressParts, 0.5),
  house_number: drawTextOrNone(draw, pools.houseNumbers),
  invalid: drawTextOrNone(draw, pools.invalids, 0.4),
  ...drawCoordinates(createChance(1000 * group_id + id)),
  polling_station: drawTextOrNone(draw, pools.stations),
  postal_code: drawTextOrNone(draw, pools.postcodes),
  street: drawTextOrNone(draw, pools.streets),
});

const people = (draw: Chance, group: number): Partial<Tables> => {
  const contacts = Array.from({ length: contactsIn[group]! }, (_, index) => contact(draw, group, index));
  // Settings are numbered differently in the second space: its tag 1 is the first one's tag 2, and so on.
  const tags = pools.tags.map((name, index) => ({
    group_id: group,
    id: ((index + group - 1) % pools.tags.length) + 1,
    name,
  }));
  const actions = actionIds.map((id) => ({
    group_id: group,
    id,
    name: `Action ${id}`,
    deleted_at: id >= 7 ? pools.now : null,
  }));
  const bare = new Set(contacts.filter((_, index) => index % 10 === 3).map(({ id }) => id));
  const rich = contacts.filter(({ id }) => !bare.has(id));
  const { answers } = drawAnswers(draw, group, rich);
  return {
    contacts,
    addresses: rich.filter(() => draw.odds(0.85)).map((one) => address(draw, one)),
    tags,
    contact_tags: rich.flatMap(({ id }) =>
      draw.some(tags, drawCount(draw)).map((tag) => ({ group_id: group, contact_id: id, tag_id: tag.id })),
    ),
    actions,
    contact_actions: rich.flatMap(({ id }) =>
      draw.some(actionIds, drawCount(draw)).map((action) => ({ group_id: group, contact_id: id, action_id: action })),
    ),
    answers,
    consent_changes: drawConsentChanges(draw, contacts, answers),
    ...drawRecords(draw, group, rich),
    former_mails: rich.flatMap(({ id }) =>
      draw
        .some([...new Set(pools.mails)], draw.odds(0.2) ? 1 + draw.whole(2) : 0)
        .map((mail) => ({ group_id: group, contact_id: id, mail })),
    ),
  };
};

export const generatePopulation = (seed: number): Population => {
  const draw = createChance(seed);
  const groups = [1, 2];
  const shared: Partial<Tables> = {
    spaces: groups.map((id) => ({ id, name: `Space ${id}` })),
    users: userIds.map((id) => ({ id, mail: `user${id}@example.org` })),
    roles: groups.map((group_id) => ({ group_id, id: 1, name: 'Admin', type: 'admin' })),
    members: groups.flatMap((group_id) => userIds.map((user_id) => ({ group_id, user_id, role_id: 1 }))),
  };
  const parts = [
    shared,
    ...groups.flatMap((group) => [generateSettingsRows(group), generateFormRows(group), people(draw, group)]),
  ];
  // Parents before children; within a table in no order, so that an order that was not asked for shows.
  const names: (keyof Tables)[] = [
    ...([
      'spaces',
      'users',
      'roles',
      'members',
      'contacts',
      'addresses',
      'former_mails',
      'tags',
      'contact_tags',
    ] as const),
    ...([
      'actions',
      'contact_actions',
      'forms',
      'form_refs',
      'answers',
      'consent_changes',
      'membership_price_groups',
    ] as const),
    ...(['membership_prices', 'donation_prices', 'transaction_statuses', 'transactions', 'donations'] as const),
    ...(['memberships', 'templates', 'campaigns', 'emails', 'sanctions', 'notes', 'interactions'] as const),
  ];
  const tables = Object.fromEntries(
    names.map((name) => [name, draw.shuffle(parts.flatMap((part) => (part[name] as unknown[]) ?? []))]),
  );
  return { seed, now: pools.now, tables: tables as unknown as Tables };
};
