// In charge of how much is built: the spaces and their contacts, for any scale.

export interface Parameters {
  /** Of space 1; the others scale with it. */
  contacts: number;
  spaces: number;
}

export interface PlannedSpace {
  id: number;
  contacts: number;
}

const whole = 1_000_000;

/** One large space, and beside it small ones of growing size: at full scale space 10 has 30,000 contacts. */
export const plannedSpaces = ({ contacts, spaces }: Parameters): PlannedSpace[] =>
  Array.from({ length: spaces }, (_, index) => {
    const id = index + 1;
    const size = id === 1 ? contacts : Math.ceil(((10_000 + 2000 * id) * contacts) / whole);
    return { id, contacts: size };
  });

/** The space beside the large one that is measured too. */
export const smallSpace = ({ spaces }: Parameters): number | undefined =>
  spaces < 2 ? undefined : Math.min(10, spaces);

/** All that is drawn at random starts here; another shape of the data needs another number, so that nobody reuses the old. */
export const version = 1;
