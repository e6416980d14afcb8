// In charge of whether two entries answer the same: every contact, every field, every value, in order. Only spelling may differ.
import { isDeepStrictEqual } from 'node:util';
import type { Request } from './requests.ts';

export interface Answer {
  status: number;
  text: string;
}

/** Asks a server on this machine. */
export const ask = async (
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

/** Spellings of one name. */
const renamed: Record<string, string> = { rowId: 'id', row_id: 'id', contactTags: 'tags' };
/** What an answer cannot help to differ in: a new note has an id and an instant of its own. */
const ofItsOwn = new Set(['id', 'createdAt', 'updatedAt', 'created_at', 'updated_at']);

const day = /^(\d{4}-\d{2}-\d{2})(T00:00:00(\.0+)?(Z|\+00:00))?$/;
const instant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}(:?\d{2})?)$/;

/** One spelling for each value: numbers and their texts, days and their midnights, instants to the millisecond. */
const scalar = (value: unknown): unknown => {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  const onlyDay = day.exec(value)?.[1];
  if (onlyDay) return onlyDay;
  if (instant.test(value)) return new Date(value.replace(' ', 'T')).toISOString();
  return /^-?\d+\.\d+$/.test(value) ? String(Number(value)) : value;
};

/** An answer in the one spelling: no nulls, no lists within `nodes`, no object between a contact and its tags. */
export const normal = (value: unknown, without: Set<string> = new Set()): unknown => {
  if (Array.isArray(value)) return value.map((one) => normal(one, without));
  if (typeof value !== 'object' || value === null) return scalar(value);
  const fields = Object.entries(value).filter(([name, inner]) => inner !== null && !without.has(renamed[name] ?? name));
  if (fields.length === 1 && (fields[0]![0] === 'nodes' || fields[0]![0] === 'tag'))
    return normal(fields[0]![1], without);
  return Object.fromEntries(fields.map(([name, inner]) => [renamed[name] ?? name, normal(inner, without)]));
};

/** What an answer holds at its place, in the one spelling. Throws when it failed or holds nothing there. */
export const read = ({ status, text }: Answer, request: Request): unknown => {
  const where = `${request.method} ${request.path}`;
  if (status >= 300) throw new Error(`${where} answers ${status}: ${text.slice(0, 300)}`);
  const parsed = JSON.parse(text);
  if (parsed?.errors) throw new Error(`${where} answers ${text.slice(0, 300)}`);
  let found: unknown = parsed;
  for (const step of request.at ? request.at.split('.') : []) found = (found as Record<string, unknown> | null)?.[step];
  if (found === undefined || found === null)
    throw new Error(`${where} has nothing at ${request.at}: ${text.slice(0, 300)}`);
  return normal(found, request.path.includes('note') || text.includes('createNote') ? ofItsOwn : undefined);
};

/** Where two answers differ first, as `[3].address.city: … is not …`; undefined when they are the same. */
export const difference = (one: unknown, other: unknown, path = ''): string | undefined => {
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
      const inner = difference(
        (one as Record<string, unknown>)[name],
        (other as Record<string, unknown>)[name],
        Array.isArray(one) ? `${path}[${name}]` : `${path}.${name}`,
      );
      if (inner) return inner;
    }
  }
  return `${path || 'the answer'}: ${JSON.stringify(one)?.slice(0, 200)} is not ${JSON.stringify(other)?.slice(0, 200)}`;
};
