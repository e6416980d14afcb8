// Keys of caches and memos, made from a tuple of all that the value depends on, and values that are made once.

/** One text for each tuple: texts that are joined could run into each other. Equal tuples have equal keys, and no others do. */
export const createCacheKey = (...parts: readonly (string | number | boolean | null)[]): string =>
  JSON.stringify(parts);

/** Canonical JSON: equal values are equal texts, in any order of their fields. */
export const formatCanonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );

/** The value of a key. `make` makes one where there is none, and it stays there. */
export const getOrMake = <Key, Value>(
  known: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value => {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
};
