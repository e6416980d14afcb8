// Compares the answers of two entries: every contact, field and value, in order. Only spellings may differ, and the order of a contact's notes, which our graph sorts by id.
import { isDeepStrictEqual } from 'node:util';
import { noteText, type Request } from './requests.ts';

export interface Answer {
  status: number;
  text: string;
}

/** Sends a request to a server on this machine. */
export const sendRequest = async (
  port: number,
  { method, path, body }: Request,
  headers: Record<string, string>,
): Promise<Answer> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
};

/** Other names of our fields. */
const renamed: Record<string, string> = { rowId: 'id', contactTags: 'tags' };
/** Our spelling of a name. */
const nameOf = (name: string): string => {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return renamed[camel] ?? camel;
};
/** Fields that always differ: the id and time of a new note. */
const ofItsOwn = new Set(['id', 'createdAt', 'updatedAt']);
/** Wrappers of a single value: the list of a connection, the tag of a contact's link, the number of a record. */
const wrappers = new Set(['nodes', 'tag', 'tagId', 'databaseId']);

const day = /^(\d{4}-\d{2}-\d{2})(T00:00:00(\.0+)?(Z|\+00:00))?$/;
const instant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}(:?\d{2})?)$/;

/** Normalizes values: numbers and their texts, days and their midnights, times to the millisecond. */
const scalar = (value: unknown): unknown => {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  const onlyDay = day.exec(value)?.[1];
  if (onlyDay) return onlyDay;
  if (instant.test(value)) return new Date(value.replace(' ', 'T')).toISOString();
  return /^-?\d+\.\d+$/.test(value) ? String(Number(value)) : value;
};

/** Those without an id are new, and last. */
const sortById = (records: { id?: unknown }[]): unknown[] =>
  records.toSorted((one, other) => Number(one.id ?? Number.MAX_VALUE) - Number(other.id ?? Number.MAX_VALUE));

/** Normalizes an answer: no nulls, no `nodes`, no object between a contact and its tags, no list around its address. */
export const normalizeAnswer = (value: unknown, without: Set<string> = new Set()): unknown => {
  if (Array.isArray(value)) return value.map((one) => normalizeAnswer(one, without));
  if (typeof value !== 'object' || value === null) return scalar(value);
  const isNew = 'content' in value && value.content === noteText;
  const left = isNew ? ofItsOwn : without;
  const fields = Object.entries(value)
    .map(([name, inner]) => [nameOf(name), name === 'address' && Array.isArray(inner) ? inner[0] : inner] as const)
    .filter(([name, inner]) => inner !== null && inner !== undefined && !left.has(name));
  const [first] = fields;
  if (fields.length === 1 && wrappers.has(first![0])) return normalizeAnswer(first![1], without);
  return Object.fromEntries(
    fields.map(([name, inner]) => {
      const read = normalizeAnswer(inner, without);
      return [name, name === 'notes' && Array.isArray(read) ? sortById(read) : read];
    }),
  );
};

/** Reads and normalizes the value at the path of an answer. Throws for a failed answer and for a missing value. */
export const readAnswer = ({ status, text }: Answer, request: Request): unknown => {
  const where = `${request.method} ${request.path}`;
  if (status >= 300) throw new Error(`${where} answers ${status}: ${text.slice(0, 300)}`);
  const parsed = JSON.parse(text);
  if (parsed?.errors) throw new Error(`${where} answers ${text.slice(0, 300)}`);
  let found: unknown = parsed;
  for (const step of request.at ? request.at.split('.') : []) found = (found as Record<string, unknown> | null)?.[step];
  if (found === undefined || found === null)
    throw new Error(`${where} has nothing at ${request.at}: ${text.slice(0, 300)}`);
  const wrote = (request.method === 'POST' && request.path.includes('note')) || text.includes('createNote');
  return normalizeAnswer(found, wrote ? ofItsOwn : undefined);
};

/** The first difference of two answers, as `[3].address.city: … is not …`, or undefined. */
export const findDifference = (one: unknown, other: unknown, path = ''): string | undefined => {
  if (isDeepStrictEqual(one, other)) return undefined;
  if (
    typeof one === 'object' &&
    typeof other === 'object' &&
    one &&
    other &&
    Array.isArray(one) === Array.isArray(other)
  ) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    for (const name of names) {
      const inner = findDifference(
        (one as Record<string, unknown>)[name],
        (other as Record<string, unknown>)[name],
        Array.isArray(one) ? `${path}[${name}]` : `${path}.${name}`,
      );
      if (inner) return inner;
    }
  }
  return `${path || 'the answer'}: ${JSON.stringify(one)?.slice(0, 200)} is not ${JSON.stringify(other)?.slice(0, 200)}`;
};
