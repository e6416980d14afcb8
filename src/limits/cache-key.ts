// Keys of caches and memos, made from a tuple of all that the value depends on.

/** One text for each tuple: texts that are joined could run into each other. Equal tuples have equal keys, and no others do. */
export const createCacheKey = (...parts: readonly (string | number | boolean | null)[]): string =>
  JSON.stringify(parts);
