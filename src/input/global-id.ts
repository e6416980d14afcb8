// Ids of records in the graph: `Contact:42` tells the type; arguments also accept the number alone.

/** The largest id, which JSON and PostgreSQL both carry exactly. */
const maxId = Number.MAX_SAFE_INTEGER;
const digits = /^(0|[1-9][0-9]{0,15})$/;
const globalId = /^([A-Za-z]+):(0|[1-9][0-9]{0,15})$/;

/** The number in a JSON number or its decimal text; undefined for anything else. */
const readNumber = (value: unknown): number | undefined => {
  const id = typeof value === 'string' && digits.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
};

/** Parses an id as legacy clients send it: a number, or its decimal text. Throws for anything else. */
export const parseLegacyId = (value: unknown): number => {
  const id = readNumber(value);
  if (id !== undefined) return id;
  throw new Error(`must be a whole number from 0 to ${maxId}, not ${JSON.stringify(value) ?? String(value)}`);
};

export const formatGlobalId = (type: string, id: number): string => `${type}:${id}`;

/** The type and the number of a global id; undefined for another text. */
export const splitGlobalId = (text: string): { type: string; id: number } | undefined => {
  const [, type, number] = globalId.exec(text) ?? [];
  const id = readNumber(number);
  return type !== undefined && id !== undefined ? { type, id } : undefined;
};

const addArticle = (type: string): string => `${/^[AEIO]/.test(type) ? 'an' : 'a'} ${type}`;

/** Parses the id of a record of this type: `Contact:42`, `"42"` or `42`. Throws for anything else, such as an id of another type. */
export const parseId = (value: unknown, type: string): number => {
  const number = readNumber(value);
  if (number !== undefined) return number;
  const found = typeof value === 'string' ? splitGlobalId(value) : undefined;
  if (found?.type === type) return found.id;
  if (found) throw new Error(`must be the id of ${addArticle(type)}, not of ${addArticle(found.type)}`);
  throw new Error(`must be an id such as ${type}:42, or a whole number from 0 to ${maxId}`);
};
