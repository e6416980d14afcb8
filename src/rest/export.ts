// Exports: all contacts that a search finds, as NDJSON or CSV that is sent while it is read, a page at a time.
import { stringify } from 'csv-stringify/sync';
import type { Context } from '../context.ts';
import { Problem, problemOf } from '../problem.ts';
import { microsNow } from '../search/moment.ts';
import { marked } from './formula.ts';
import { contactsAsFound, reshape } from './shapes.ts';
import type { Stored } from './stored.ts';

type Fields = Record<string, unknown>;

/** How a page of contacts is written; `first` is the first page, which may have a head. */
interface Format {
  type: string;
  write(contacts: Fields[], first: boolean): string;
}

/** Columns of a CSV, each with its path in a contact. Lists stand as JSON, but for the names of tags. An import knows them by these names. */
export const columns: Record<string, string[]> = Object.fromEntries(
  [
    ['id', 'external_id', 'gender', 'firstname', 'surname', 'married_name', 'birthdate', 'age_category', 'nationality'],
    ['birthcity', 'birthdept', 'birthcountry', 'mail', 'phone', 'phone_invalid', 'mobile', 'mobile_invalid'],
    ['black_list', 'user_contact_id'],
  ]
    .flat()
    .map((name) => [name, [name]]),
);
for (const part of [
  ...['housenumber', 'street', 'addition', 'building', 'floor', 'door', 'infos', 'postalcode', 'city', 'citycode'],
  ...['county', 'state', 'country', 'latitude', 'longitude', 'location', 'score', 'pollingstation', 'invalid'],
])
  columns[`address_${part}`] = ['address', part];
for (const name of ['tags', 'action_ids', 'formdatas', 'custom_fields', 'CreatedAt', 'UpdatedAt', 'lastchange'])
  columns[name] = [name];

const cell = (contact: Fields, path: string[]): unknown => {
  // biome-ignore lint/suspicious/noExplicitAny: a path into JSON of any shape
  const value = path.reduce((at: any, step) => at?.[step], contact);
  if (path[0] === 'tags') return (value as { name: string }[]).map(({ name }) => name).join('; ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
};
const inCell = (value: unknown): unknown => (typeof value === 'string' ? marked(value) : value);

const ndjson: Format = {
  type: 'application/x-ndjson; charset=utf-8',
  write: (contacts) => contacts.map((contact) => `${JSON.stringify(contact)}\n`).join(''),
};

const csv: Format = {
  type: 'text/csv; charset=utf-8; header=present',
  write: (contacts, first) =>
    stringify(
      contacts.map((contact) => Object.values(columns).map((path) => inCell(cell(contact, path)))),
      {
        header: first,
        columns: Object.keys(columns),
        cast: { boolean: String },
        record_delimiter: '\r\n',
      },
    ),
};

export const formats = { ndjson, csv };
export type FormatName = keyof typeof formats;

/** The format that an `Accept` header asks for; NDJSON when it takes anything. Throws 406 when it takes neither. */
export const formatFor = (accept: string | null): Format => {
  const types = (accept ?? '*/*').split(',').map((type) => type.split(';')[0]!.trim().toLowerCase());
  for (const type of types) {
    if (type === 'text/csv') return csv;
    if (['application/x-ndjson', 'application/ndjson', 'application/json', '*/*', 'application/*', ''].includes(type))
      return ndjson;
  }
  throw new Problem('not-acceptable', 'An export is sent as application/x-ndjson or as text/csv');
};

interface Found {
  found: { contacts: Fields[]; pageInfo: { endCursor: string | null; hasNextPage: boolean } };
}

/**
 * The text of an export, piece by piece: nothing is read before it is asked for, and no more than one page is held. Every page
 * has a context of its own, with the loaders that fill it. Throws the Problem of a page.
 */
export async function* exported(
  operation: Stored,
  context: Context,
  variables: Record<string, unknown>,
  format: Format,
): AsyncGenerator<{ text: string; contacts: number }> {
  const now = microsNow();
  let after: string | null = null;
  for (let first = true; ; first = false) {
    const { data, errors } = await operation.run({ ...context, now }, { ...variables, after });
    if (errors?.length) throw problemOf(errors[0]);
    const { contacts, pageInfo } = (reshape(data, contactsAsFound) as Found).found;
    yield { text: format.write(contacts, first), contacts: contacts.length };
    if (!pageInfo.hasNextPage) return;
    after = pageInfo.endCursor;
  }
}

/** An answer that is sent as it is made. What is wrong with the request is thrown, since the first page is read beforehand. */
export const streamed = async (
  pieces: AsyncGenerator<{ text: string }>,
  format: Format,
  gzip: boolean,
): Promise<{ headers: Record<string, string>; body: ReadableStream<Uint8Array> }> => {
  const encoder = new TextEncoder();
  const first = await pieces.next();
  let held: IteratorResult<{ text: string }> | undefined = first;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = held ?? (await pieces.next());
      held = undefined;
      if (piece.done) controller.close();
      else controller.enqueue(encoder.encode(piece.value.text));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
  const headers = { 'Content-Type': format.type, Vary: 'Accept, Accept-Encoding' };
  if (!gzip) return { headers, body };
  return {
    headers: { ...headers, 'Content-Encoding': 'gzip' },
    body: body.pipeThrough(new CompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>),
  };
};

/** Whether an answer is an export, which may take long to read. */
export const isExport = ({ headers }: Response): boolean => {
  const type = headers.get('Content-Type');
  return type === ndjson.type || type === csv.type;
};

/** Whether the client takes gzip (RFC 9110 §12.5.3). */
export const takesGzip = (acceptEncoding: string | null): boolean =>
  /(^|,)\s*gzip\s*(;\s*q=(0\.\d*[1-9]\d*|1(\.0+)?))?\s*(,|$)/i.test(acceptEncoding ?? '');
