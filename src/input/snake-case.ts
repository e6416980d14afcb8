// Names of fields in snake_case.
/** How a field is spelled in a row and on the wire, where neither has a name of its own for it: `houseNumber`, `house_number`. */
export const toSnakeCase = (name: string): string => {
  const known = inSnakeCase.get(name);
  if (known !== undefined) return known;
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  // Names of fields are few, and asked for with every record.
  if (inSnakeCase.size < 1000) inSnakeCase.set(name, snake);
  return snake;
};
const inSnakeCase = new Map<string, string>();
