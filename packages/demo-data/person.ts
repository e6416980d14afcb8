// Creates the person of a contact: name, gender, birthdate and mail address.
import { countDays, daySeconds, reference } from './calendar.ts';
import { type Name, pickFirstName, pickSurname, type Sex } from './names.ts';
import { createWeightedPicker, type Random } from './random.ts';
import type { SpaceSeed } from './space.ts';
import { mailDomains } from './words.ts';

const genders = createWeightedPicker<string | null>(['F', 48], ['M', 46], ['O', 1], [null, 5]);
const today = reference / daySeconds;
/** The bounds of the age categories: the last birthdates of people who are 18, 25, 35, 50, 65 and 80 today. */
const bounds = [18, 25, 35, 50, 65, 80].map((age) => countDays(2026 - age, 11, 21));
export const countAgeCategory = (day: number): number => bounds.filter((bound) => day <= bound).length;
const leapDays = [1952, 1964, 1976, 1984, 1992, 1996, 2000, 2004].map((year) => countDays(year, 2, 29));

const birth = (random: Random): number | null => {
  if (random.chance(0.3)) return null;
  if (random.chance(0.004)) return random.of(leapDays);
  // The last day of a month is the day before the first of the next.
  if (random.chance(0.02)) return countDays(random.between(1935, 2007), random.between(1, 12), 1) - 1;
  // Some imports write this date for an unknown one.
  if (random.chance(0.001)) return countDays(1900, 1, 1);
  return today - 16 * 366 - random.below(14_000) - random.below(14_500);
};

const mailFor = (random: Random, index: number, first: Name, last: Name): string | null => {
  if (random.chance(0.19)) return null;
  const domain = random.of(mailDomains);
  // Some families share a mail address.
  if (random.chance(0.012)) return `famille.${last.folded}@${domain}`;
  const initial = random.chance(0.15) ? first.folded.slice(0, 1) : first.folded;
  const local = random.chance(0.9) ? `${initial}.${last.folded}${index}` : `${last.folded}${index}`;
  if (random.chance(0.03)) return `${first.text.slice(0, 1)}.${last.folded.toUpperCase()}${index}@${domain}`;
  return `${local}@${domain}`;
};

/** Creates the person of a number. The same number always gives the same person. */
export const makePerson = (making: SpaceSeed, index: number) => {
  const random = making.at('person', index);
  const gender = genders.pick(random);
  const sex: Sex = gender === 'F' || gender === 'M' ? gender : random.chance(0.5) ? 'F' : 'M';
  const first = pickFirstName(random, sex);
  const last = pickSurname(random);
  return { gender, first, last, birthDay: birth(random), mail: mailFor(random, index, first, last) };
};
