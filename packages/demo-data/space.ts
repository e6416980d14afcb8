// The shared state of creating one space: its plan, its random numbers, and the rows that contacts refer to.
import { daySeconds, formatInstant, reference } from './calendar.ts';
import type { Name, Sex } from './names.ts';
import type { Places } from './places.ts';
import { type Picker, Random } from './random.ts';
import type { SeedRows } from './tables.ts';

export interface User {
  id: number;
  sex: Sex;
  first: Name;
  last: Name;
  mail: string;
}

export interface Form {
  id: number;
  refs: { id: number; value: string | null }[];
  many: boolean;
  survey: boolean;
  /** Texts of answers to a form of free input. */
  write: ((random: Random) => string) | undefined;
  weight: number;
}

/** Each part of a record has its own random numbers, so that a change to one does not affect the others. */
const part = {
  user: 1,
  team: 2,
  invitation: 3,
  settings: 4,
  campaign: 5,
  person: 7,
  contact: 8,
  address: 9,
  links: 10,
  notes: 11,
  answers: 12,
  money: 13,
  emails: 14,
  sanctions: 15,
  home: 16,
  interactions: 17,
} as const;

interface SpaceParts {
  seed: number;
  space: number;
  /** Whether it is the first space of the plan, which has more users and teams. */
  main: boolean;
  rows: SeedRows;
  places: Places;
}

export const createSpaceSeed = (parts: SpaceParts) => {
  const random = new Random();
  const { seed, space } = parts;
  return {
    ...parts,
    random,
    /** The contacts so far that are not deleted. */
    living: 0,
    at: (which: keyof typeof part, index: number): Random => random.at(seed, space, part[which], index),
  };
};
export type SpaceSeed = ReturnType<typeof createSpaceSeed>;

export interface Price {
  id: number;
  amount: number;
  /** Whether memberships start on 1 January. Others start on the day of the payment. */
  calendarYear: boolean;
}

export type Campaign = Record<'id' | 'sentAt' | 'userId', number>;

/** The rows that contacts of a space refer to. */
export interface Lists {
  users: User[];
  editors: Picker<number>;
  tags: Picker<number>;
  actions: Picker<number>;
  forms: Form[];
  formPicker: Picker<number>;
  membershipPrices: Picker<Price>;
  donationPrices: Price[];
  statuses: Record<'paid' | 'pending' | 'failed' | 'refunded' | 'old', number>;
  campaigns: Campaign[];
}

/** The creation times of settings: some years ago, an hour apart. */
export const formatFoundingInstant = (index: number): string =>
  formatInstant(reference - 2800 * daySeconds + index * 3600 + index * 37);
