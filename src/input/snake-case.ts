// Names of fields in snake_case, and with a capital.
export const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The usual name of a field in rows and on the wire: `houseNumber` is `house_number`. */
export const convertToSnakeCase = (name: string): string => {
  const known = inSnakeCase.get(name);
  if (known !== undefined) return known;
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  // Names of fields are few, and each is converted for every record.
  if (inSnakeCase.size < 1000) inSnakeCase.set(name, snake);
  return snake;
};
const inSnakeCase = new Map<string, string>();

/** The columns that an input names, with their values: `{ subType: 'x' }` is `{ sub_type: 'x' }`. `renamed` has the columns with other names. */
export const convertToColumns = (
  input: object,
  renamed: Readonly<Record<string, string>> = {},
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input).map(([field, value]) => [renamed[field] ?? convertToSnakeCase(field), value]),
  );
