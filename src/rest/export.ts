// Exports: all contacts that a search finds at one moment, as NDJSON or CSV that is sent while it is read, a page at a time.
import { stringify } from 'csv-stringify/sync';
import type { Context, Whole } from '../context.ts';
import { markFormulaText } from '../csv/formula.ts';
import { type FileColumn, fileColumns } from '../data/contact/columns.ts';
import { KeyedSemaphore } from '../database/concurrency-limit.ts';
import { limits } from '../limits.ts';
import { Problem, toProblem } from '../problem.ts';
import { getCurrentMicros } from '../search/datetime.ts';
import { contactsExported, reshapeReply } from './output.ts';
import type { Stored } from './stored.ts';

type ContactFields = Record<string, unknown>;

/** How a page of contacts is written; `first` is the first page, which may have a head. */
interface Format {
  type: string;
  write(contacts: ContactFields[], first: boolean): string;
}

const lists = ['tags', 'action_ids', 'formdatas', 'custom_fields'];
const isDerived = ({ reads }: FileColumn): boolean => reads === 'nothing';

/** Columns of a CSV, each with its path in a contact. Lists stand as JSON, but for the names of tags. An import knows them by these names. */
export const columns: Record<string, string[]> = Object.fromEntries([
  ...fileColumns.filter((column) => !isDerived(column)).map(({ name, path }) => [name, path]),
  ...lists.map((name) => [name, [name]]),
  ...fileColumns.filter(isDerived).map(({ name, path }) => [name, path]),
]);

const cell = (contact: ContactFields, path: string[]): unknown => {
  // biome-ignore lint/suspicious/noExplicitAny: a path into JSON of any shape
  const value = path.reduce((at: any, step) => at?.[step], contact);
  if (path[0] === 'tags') return (value as { name: string }[]).map(({ name }) => name).join('; ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
};
const inCell = (value: unknown): unknown => (typeof value === 'string' ? markFormulaText(value) : value);

const ndjson: Format = {
  type: 'application/x-ndjson; charset=utf-8',
  write: (contacts) => contacts.map((contact) => `${JSON.stringify(contact)}\n`).join(''),
};

/** How a table is written: with which of its columns, in this order, and for whom. */
export interface TableOptions {
  /** All of them when it is left out. */
  names?: readonly string[] | undefined;
  /** As Excel opens it by itself where commas are decimal: semicolons, and a byte order mark, without which it takes UTF-8 for something else. */
  excel?: boolean | undefined;
}

/** The text of a table's rows, of which the first may have a head. */
export const formatCsvTable = (rows: unknown[][], names: readonly string[], first: boolean, excel = false): string =>
  (excel && first ? '\ufeff' : '') +
  stringify(rows, {
    header: first,
    columns: [...names],
    delimiter: excel ? ';' : ',',
    cast: { boolean: String },
    record_delimiter: '\r\n',
    // By itself it quotes only the newline that ends its own rows: readers take any.
    quoted_match: /[\r\n]/,
  });

/** Contacts as a table. */
export const createCsvFormat = ({ names = Object.keys(columns), excel }: TableOptions): Format => {
  const paths = names.map((name) => columns[name]!);
  return {
    type: 'text/csv; charset=utf-8; header=present',
    write: (contacts, first) =>
      formatCsvTable(
        contacts.map((contact) => paths.map((path) => inCell(cell(contact, path)))),
        names,
        first,
        excel,
      ),
  };
};
const csv = createCsvFormat({});

export const formats = { ndjson, csv };
export type FormatName = keyof typeof formats;

/** The format that an `Accept` header asks for; NDJSON when it takes anything. Throws 406 when it takes neither. */
export const chooseExportFormat = (accept: string | null): Format => {
  const types = (accept ?? '*/*').split(',').map((type) => type.split(';')[0]!.trim().toLowerCase());
  for (const type of types) {
    if (type === 'text/csv') return csv;
    if (['application/x-ndjson', 'application/ndjson', 'application/json', '*/*', 'application/*', ''].includes(type))
      return ndjson;
  }
  throw new Problem('not-acceptable', 'An export is sent as application/x-ndjson or as text/csv');
};

interface FoundPage {
  found: { contacts: ContactFields[]; pageInfo: { hasNextPage: boolean } };
}

/** An export holds the ids of all that it found for as long as its client reads. In milliseconds: how long one waits for its turn. */
const underWay = new KeyedSemaphore({
  maxConcurrent: limits.search.exports,
  maxQueue: 20,
  queueTimeoutMs: 5000,
  refusal: () =>
    new Problem(
      'too-many-exports',
      `The space has ${limits.search.exports} exports under way; try again when one is done`,
      { headers: { 'Retry-After': '10' } },
    ),
  abandonment: () => new Problem('timeout', 'The client went away before the answer'),
});

/**
 * The text of an export, piece by piece. What is exported is found once, in its order; then nothing is read before it is asked for,
 * and no more than one page is held beside the ids. Every page has a context of its own, with the loaders that fill it. Throws the
 * Problem of a page.
 */
export async function* exportContactPages(
  operation: Stored,
  context: Context,
  variables: Record<string, unknown>,
  format: Format,
  signal?: AbortSignal,
): AsyncGenerator<{ text: string; contacts: number }> {
  const leave = await underWay.acquire(context.space.id, signal);
  try {
    const now = getCurrentMicros();
    const whole: Whole = { read: 0 };
    for (let first = true; ; first = false) {
      const { data, errors } = await operation.run({ ...context, now, whole }, variables);
      if (errors?.length) throw toProblem(errors[0]);
      const { contacts, pageInfo } = (reshapeReply(data, contactsExported) as FoundPage).found;
      yield { text: format.write(contacts, first), contacts: contacts.length };
      if (!pageInfo.hasNextPage) return;
    }
  } finally {
    leave();
  }
}

/** In bytes: what is handed on at once, so that it shows how far a client has come. */
const sliceBytes = 32 * 1024;

/** An answer that is sent as it is made. What is wrong with the request is thrown, since the first page is read beforehand. */
export const streamExport = async (
  pieces: AsyncGenerator<{ text: string }>,
  format: Format,
  gzip: boolean,
): Promise<{ headers: Record<string, string>; body: ReadableStream<Uint8Array> }> => {
  const encoder = new TextEncoder();
  const textOf = ({ done, value }: IteratorResult<{ text: string }>): Uint8Array | undefined =>
    done ? undefined : encoder.encode(value.text);
  let rest = textOf(await pieces.next());
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A page of contacts that are all deleted has no text.
      while (rest?.length === 0) rest = textOf(await pieces.next());
      if (!rest) return controller.close();
      controller.enqueue(rest.subarray(0, sliceBytes));
      rest = rest.subarray(sliceBytes);
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
export const isExportResponse = ({ headers }: Response): boolean => {
  const type = headers.get('Content-Type');
  return type === ndjson.type || type === csv.type;
};

/** Whether the client takes gzip (RFC 9110 §12.5.3). */
export const acceptsGzip = (acceptEncoding: string | null): boolean =>
  /(^|,)\s*gzip\s*(;\s*q=(0\.\d*[1-9]\d*|1(\.0+)?))?\s*(,|$)/i.test(acceptEncoding ?? '');
