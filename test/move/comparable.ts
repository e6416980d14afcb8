// What cannot be equal in the replies of two spaces, and is left out when they are compared. Everything else has to be equal.

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;

/** Ids that each space assigns itself, the times of parts that have no times in the input, and the roles that users have in a space. */
const omitted: Record<string, readonly string[]> = {
  everywhere: ['group_id'],
  address: ['id'],
  formdatas: ['id', 'created_at', 'updated_at'],
  customfields: ['id', 'created_at', 'updated_at'],
  custom_fields: ['id', 'created_at', 'updated_at'],
  files: ['id', 'owner_id'],
  users: ['role', 'role_data', 'contacts'],
  leaders: ['role', 'role_data', 'contacts'],
};
/** Lists whose order follows ids that each space assigns. */
const unordered = ['tags', 'formdatas', 'customfields', 'custom_fields'];

/** A reply without what cannot be equal in another space. `name` is the field that has it. */
export const makeComparable = (value: Json, name = ''): Json => {
  if (Array.isArray(value)) {
    const items = value.map((item) => makeComparable(item, name));
    if (!unordered.includes(name)) return items;
    return items
      .map((item) => [JSON.stringify(item), item])
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, item]) => item);
  }
  if (typeof value !== 'object' || value === null) return value;
  const without = [...omitted.everywhere!, ...(omitted[name] ?? [])];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field]) => !without.includes(field))
      .map(([field, inner]) => [field, makeComparable(inner, field)]),
  );
};
