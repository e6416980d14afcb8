// The size of the build: the spaces and their contacts, for any scale.

export interface Parameters {
  /** The contacts of space 1; the others scale with it. */
  contacts: number;
  spaces: number;
}

export interface PlannedSpace {
  id: number;
  contacts: number;
}

const whole = 1_000_000;

/** One large space and small ones of growing size: at full scale space 10 has 30,000 contacts. */
export const planSpaces = ({ contacts, spaces }: Parameters): PlannedSpace[] =>
  Array.from({ length: spaces }, (_, index) => {
    const id = index + 1;
    const size = id === 1 ? contacts : Math.ceil(((10_000 + 2000 * id) * contacts) / whole);
    return { id, contacts: size };
  });

/** The second measured space. */
export const pickSmallSpace = ({ spaces }: Parameters): number | undefined =>
  spaces < 2 ? undefined : Math.min(10, spaces);

/** The seed of all random values. Data of another shape needs another number, so that an old build is not reused. */
export const version = 1;
