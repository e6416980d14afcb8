// Importing a file of contacts: what the server says of it, what an import would do, its progress, and the rows that it refused.
import { type Api, ApiProblem } from './api.ts';
import type { Json } from './graph-query.ts';

/** In bytes: a larger file is not worth sending. The server has the same limit. */
const largest = 32 * 1024 * 1024;

export interface FileFault {
  line: number;
  /** The column, as the file names it; `row` for the whole row. */
  location: string;
  message: string;
  value?: unknown;
}

export interface Inspection {
  rows: number;
  /** The columns of the file, the field of contacts that each becomes, and its first cells. */
  columns: { name: string; field: string | null; values: string[] }[];
  /** The fields that a column can become. */
  fields: string[];
}

export type Counts = Record<'created' | 'updated' | 'unchanged' | 'refused', number>;

export interface Trial extends Counts {
  rows: number;
  /** How many of them were read, and how many of these were tried. */
  read: number;
  tried: number;
  faults: FileFault[];
  remarks: FileFault[];
}

export interface FileImport extends Counts {
  id: number;
  name: string;
  state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled' | 'undone';
  rows: number;
  failure: string | null;
}

/** How a file is read. Without a map the usual headings are. */
export interface Options {
  map?: Record<string, string>;
  mode: 'upsert' | 'create';
  days: 'dmy' | 'mdy' | 'ymd';
  dates?: 'excel';
  country?: string;
  skipCells: boolean;
}

const read = async <Data>(answer: Promise<Response>): Promise<Data> =>
  ((await (await answer).json()) as { data: Data }).data;
const post = <Data>(api: Api, id: number, verb: string, options: Options): Promise<Data> =>
  read(api.request('POST', `/imports/${id}/${verb}`, { body: options as unknown as Json }));

/** Sends a file, which is compressed on its way. */
export const sendFile = async (api: Api, file: File): Promise<FileImport> => {
  if (file.size > largest) throw new ApiProblem('too-large', `The file is larger than ${largest} bytes`);
  const body = await new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob().catch(() => {
    throw new ApiProblem('unreadable', 'The browser cannot read the file');
  });
  const headers = { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' };
  return read(api.request('POST', `/imports?name=${encodeURIComponent(file.name)}`, { body, headers }));
};

export const inspectFile = (api: Api, id: number, options: Options): Promise<Inspection> =>
  post(api, id, 'inspect', options);
export const tryImport = (api: Api, id: number, options: Options): Promise<Trial> => post(api, id, 'try', options);
export const beginImport = (api: Api, id: number, options: Options): Promise<FileImport> =>
  post(api, id, 'begin', options);
export const readImport = (api: Api, id: number): Promise<FileImport> => read(api.request('GET', `/imports/${id}`));
export const cancelImport = (api: Api, id: number): Promise<FileImport> =>
  read(api.request('POST', `/imports/${id}/cancel`));
/** Deletes the file. One that cannot be deleted now is, a day after it was sent. */
export const forgetFile = (api: Api, id: number): void =>
  void api.request('DELETE', `/imports/${id}`).catch(() => undefined);

type Undone = { deleted: number; restored: number; left: number };
export const undoImport = async (api: Api, id: number): Promise<Undone> => {
  const document = 'mutation ($id: ID!) { undone: undoImport(input: { id: $id }) { deleted restored left } }';
  return (await api.query<{ undone: Undone }>(document, { id: `Import:${id}` })).undone;
};

/** A cell that no spreadsheet runs as a formula. */
const quoteCell = (text: string): string => `"${(/^[=+\-@]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/** The refused rows as they stand in the file, each behind its faults in the words of the page, as a file that spreadsheets open and an import reads. */
export const readRejects = async (
  api: Api,
  id: number,
  heading: string,
  explain: (fault: FileFault) => string,
): Promise<Blob> => {
  const headers = { Accept: 'application/x-ndjson' };
  const text = await (await api.request('GET', `/imports/${id}/rejects`, { headers })).text();
  const [first, ...lines] = text.split('\n').filter(Boolean);
  const { delimiter, head } = JSON.parse(first!) as { delimiter: string; head: [before: string, names: string] };
  const rows = lines.map((line) => {
    const { text: row, faults } = JSON.parse(line) as { text: string; faults: FileFault[] };
    return `${quoteCell(faults.map(explain).join(' '))}${delimiter}${row}`;
  });
  return new Blob(['\ufeff', head[0], heading, delimiter, head[1], ...rows], { type: 'text/csv' });
};
