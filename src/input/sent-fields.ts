// Names the fields of an input that were sent, for the audit log: their paths, without their values.

/** Adds the paths below a value: those of the items of a list are one path. */
const addPaths = (value: unknown, path: string, found: Set<string>): void => {
  if (Array.isArray(value)) {
    const records = value.filter((item) => typeof item === 'object' && item !== null);
    if (records.length === 0) found.add(path);
    for (const record of records) addPaths(record, path, found);
  } else if (typeof value === 'object' && value !== null) {
    const sent = Object.entries(value).filter(([, inner]) => inner !== undefined);
    if (sent.length === 0 && path) found.add(path);
    for (const [name, inner] of sent) addPaths(inner, path ? `${path}.${name}` : name, found);
  } else if (path) found.add(path);
};

/** The paths of the fields that were sent, such as `address.city`, in their order; the id of the record itself is left out. */
export const listSentFields = (input: unknown): string[] => {
  const found = new Set<string>();
  addPaths(input, '', found);
  found.delete('id');
  return [...found];
};
