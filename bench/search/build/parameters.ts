// The size of the build: the spaces and their contacts, for any scale.

export interface Parameters {
  /** The contacts of space 1; the others scale with it. */
  contacts: number;
  spaces: number;
  /** Whether the spaces have the sizes that growth is measured with. */
  growth?: boolean;
}

export interface PlannedSpace {
  id: number;
  contacts: number;
}

const whole = 1_000_000;

/** The sizes of the first four spaces as shares of the largest, for growth. All others have the last one. */
const growthShares = [1, 1 / 50, 1 / 5, 1 / 10];

/** The share of a space in the contacts of the largest: small ones of growing size, where at full scale space 10 has 30,000 contacts, or those of growth. */
const computeShare = (id: number, growth: boolean): number => {
  if (growth) return growthShares[id - 1] ?? growthShares.at(-1)!;
  return id === 1 ? 1 : (10_000 + 2000 * id) / whole;
};

export const planSpaces = ({ contacts, spaces, growth = false }: Parameters): PlannedSpace[] =>
  Array.from({ length: spaces }, (_, index) => {
    const id = index + 1;
    return { id, contacts: Math.ceil(computeShare(id, growth) * contacts) };
  });

/** The spaces that growth is measured in, the largest first. */
export const listGrowthSpaces = (parameters: Parameters): number[] =>
  planSpaces(parameters)
    .slice(0, growthShares.length)
    .sort((one, other) => other.contacts - one.contacts)
    .map(({ id }) => id);

/** The second measured space. */
export const pickSmallSpace = ({ spaces }: Parameters): number | undefined =>
  spaces < 2 ? undefined : Math.min(10, spaces);

/** The seed of all random values. Data of another shape needs another number, so that an old build is not reused. */
export const version = 1;
