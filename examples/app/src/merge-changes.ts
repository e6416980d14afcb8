// Joins two changes of one record: what the user has written, and what somebody else has saved meanwhile.

export type Values<Name extends string> = Record<Name, string>;

export interface Merge<Name extends string> {
  /** Theirs, with the fields that only the user has changed. */
  values: Values<Name>;
  /** The fields that both have changed, and not to the same value. The user must choose. */
  conflicts: Name[];
}

/** Compares both with the record as it was when the user began. */
export const mergeChanges = <Name extends string>(
  base: Values<Name>,
  mine: Values<Name>,
  theirs: Values<Name>,
): Merge<Name> => {
  const names = Object.keys(base) as Name[];
  const changed = names.filter((name) => mine[name] !== base[name]);
  return {
    values: { ...theirs, ...Object.fromEntries(changed.map((name) => [name, mine[name]])) },
    conflicts: changed.filter((name) => theirs[name] !== base[name] && theirs[name] !== mine[name]),
  };
};
