// Creates the row of a contact: its phones, its creation and its last change.

import { makeAddress, pickHome } from './address.ts';
import { countDays, daySeconds, formatDate, formatInstant, formatInstantWithMicros, reference } from './calendar.ts';
import { pickSurname } from './names.ts';
import { countAgeCategory, makePerson } from './person.ts';
import { birthTowns, type Town } from './places.ts';
import { createWeightedPicker, type Random } from './random.ts';
import type { Lists, SpaceSeed, User } from './space.ts';

/** The user of a contact: one contact in eleven is a user, until all users have a contact. */
const userOf = (users: User[], index: number): User | undefined =>
  index % 11 === 1 ? users[(index - 1) / 11] : undefined;

/** Some people were entered twice, in succession. */
const personNumber = (index: number): number => (index % 131 === 0 ? index - 1 : index);

const digits = (random: Random): string => String(random.below(10_000)).padStart(4, '0');
const landline = (random: Random, home: Town | null): string | null => {
  if (!random.chance(0.35)) return null;
  return (home?.landline ?? '+3319900') + digits(random);
};

const birthplace = (making: SpaceSeed, random: Random): [string | null, string | null, string | null] => {
  if (!random.chance(0.35)) return [null, random.chance(0.05) ? 'FR' : null, null];
  if (random.chance(0.12)) return [...random.of(birthTowns), '99'];
  const place = making.places.pick(random);
  return [place.city, 'FR', random.chance(0.9) ? place.departement : null];
};
const nationalities = createWeightedPicker<string | null>(
  [null, 60],
  ['FR', 37],
  ['PT', 0.8],
  ['DZ', 0.7],
  ['MA', 0.6],
  ['BE', 0.4],
  ['IT', 0.3],
  ['SN', 0.2],
);

/** The days of imports, each with one time for all its contacts. */
const imports = [
  countDays(2019, 3, 4),
  countDays(2020, 9, 14),
  countDays(2022, 2, 1),
  countDays(2024, 6, 17),
  countDays(2026, 1, 12),
];
const opened = countDays(2019, 1, 7) * daySeconds;

const timesOf = (random: Random) => {
  const imported = random.chance(0.25);
  const created = imported ? random.of(imports) * daySeconds + 32_400 : opened + random.below(reference - 1 - opened);
  const since = reference - 1 - created;
  // Most contacts were changed long ago or never.
  const changed = random.chance(0.2) ? created : created + Math.floor(random.share() * random.share() * since);
  const updated = changed + (random.chance(0.2) ? Math.floor((random.share() * (reference - 1 - changed)) / 4) : 0);
  return { created, changed, updated, deleted: random.chance(0.01) ? updated : null };
};

const marriedName = (random: Random, gender: string | null): string | null => {
  if (random.chance(gender === 'F' ? 0.2 : 0.004)) return pickSurname(random).text;
  return null;
};

/** Creates the contact and its address. Returns whether it has a mail address for mailings. */
export const makeContact = (making: SpaceSeed, lists: Lists, index: number, id: number): boolean => {
  const { rows, space } = making;
  const user = userOf(lists.users, index);
  const person = makePerson(making, personNumber(index));
  const home = pickHome(making, index);
  const random = making.at('contact', index);
  const { created, changed, updated, deleted } = timesOf(random);
  if (deleted === null) making.living++;
  const micros = random.below(1_000_000);
  const first = user?.first ?? person.first;
  const last = user?.last ?? person.last;
  const mail = user?.mail ?? person.mail;
  const gender = user?.sex ?? person.gender;
  const { birthDay } = person;
  const guessed = random.chance(0.1) ? random.between(1, 6) : null;
  rows.add('contacts', [
    space,
    id,
    random.chance(0.1) ? `EXT-${String(index).padStart(6, '0')}` : null,
    random.chance(0.03) ? null : random.chance(0.02) ? first.text.toLowerCase() : first.text,
    random.chance(0.02) ? null : random.chance(0.09) ? last.text.toUpperCase() : last.text,
    marriedName(random, gender),
    gender,
    birthDay === null ? null : formatDate(birthDay),
    birthDay === null ? guessed : countAgeCategory(birthDay),
    ...birthplace(making, random),
    nationalities.pick(random),
    mail,
    landline(random, home),
    random.chance(0.03),
    random.chance(0.65) ? `+3363998${digits(random)}` : null,
    random.chance(0.03),
    random.chance(0.05),
    random.chance(0.8) ? lists.editors.pick(random) : null,
    user?.id ?? null,
    1 + random.below(random.between(1, 12)),
    formatInstantWithMicros(changed, micros),
    formatInstant(created),
    formatInstantWithMicros(updated, micros),
    deleted === null ? null : formatInstantWithMicros(deleted, micros),
  ]);
  if (home) makeAddress(making, index, id, home, formatInstant(created), formatInstantWithMicros(updated, micros));
  return Boolean(mail);
};
