// The door for files of contacts: a client sends a file, learns how it is read and what its import would do, and has a job import it.
import { printDateTime } from '../../schema/graph/scalars.ts';
import type { Context } from '../context.ts';
import {
  beginFileImport,
  cancelFileImport,
  deleteImportFile,
  type ImportFile,
  readImportFile,
  readRefusedRows,
  requireSameOptions,
  storeImportFile,
} from '../data/import/import-file.ts';
import { formatRateHeaders } from '../gate/gate.ts';
import type { RequestLog } from '../gate/request-log.ts';
import { encodeLongText } from '../http/body.ts';
import { chooseOffer } from '../http/negotiation.ts';
import { writableColumns } from '../import/columns.ts';
import {
  describeColumns,
  inspectContactRows,
  openImportFile,
  readRowsForSpace,
  tryContactRows,
} from '../import/contact-file.ts';
import { markFormulaText } from '../import/csv-table.ts';
import { FileError } from '../import/file-error.ts';
import { readForms } from '../import/form-answers.ts';
import type { ReadOptions } from '../import/read-contacts.ts';
import { createProgress, guessFileOptions } from '../import/rows.ts';
import { isPermitted, requirePermission } from '../permissions/authority.ts';
import { createMethodProblem, type Fault, Problem } from '../problem.ts';
import type { DoorOptions } from './door.ts';
import { type ImportOptions, readImportOptions } from './import-options.ts';
import { readUploadedFile } from './uploaded-file.ts';

export const importsPath = '/imports';

/** A request that has passed the gate. */
interface Call {
  request: Request;
  url: URL;
  context: Context;
  id: number;
}

const describeFile = (file: ImportFile): object => {
  const { id, name, size, rows, created, updated, unchanged, refused, failure } = file;
  const { begun_at, ended_at, cancelled, undone_at } = file;
  const ended = undone_at ? 'undone' : cancelled ? 'cancelled' : failure ? 'failed' : 'done';
  const state = ended_at ? ended : begun_at ? 'running' : 'waiting';
  const created_at = printDateTime(file.created_at);
  return { id, name, size, state, rows, created, updated, unchanged, refused, failure, created_at };
};

/** Which file is meant, by whom, and the line of the audit log. */
const identify = ({ id, context: { caller, requestId } }: Call, operation: string) => {
  const { userId, tokenId } = caller;
  return { id, by: userId, action: { operation, userId, tokenId, requestId, fields: [] } };
};

const showFile = async ({ id, context: { space, caller } }: Call): Promise<object> =>
  describeFile(await readImportFile(space, id, caller.userId));

const changeFile =
  (change: typeof deleteImportFile, operation: string) =>
  async (call: Call): Promise<object> =>
    describeFile(await change(call.context.space, identify(call, operation)));

/** The file and how it is read, by the options and by what the file looks like. */
const openFile = async ({ context: { space, caller }, id }: Call, options: ImportOptions) => {
  const { mode, liftOptOuts, encoding, delimiter, headerLine, ...others } = options;
  const file = await readImportFile(space, id, caller.userId);
  if (file.ended_at) throw new Problem('conflict', `The import ${id} is over: its file has been deleted`);
  const source = openImportFile(space, file);
  const guessed = await guessFileOptions(source, { encoding, delimiter, headerLine });
  const how: ReadOptions = { ...others, ...guessed, ids: false, ignoresUnknown: true };
  return { source, options: how, writing: { mode, liftsOptOuts: liftOptOuts } };
};

/** Reads the rows, and notes what is unusual of the file and is no fault. */
const openRows = async ({ context }: Call, { source, options }: Awaited<ReturnType<typeof openFile>>) => {
  const notes: string[] = [];
  const progress = createProgress((note) => notes.push(note));
  return { notes, progress, rows: await readRowsForSpace(context.space, source, options, progress) };
};

/** Counts the rows that an import would read. Throws 422 for a file of which nothing would be imported. */
const requireContent = async (call: Call, file: Awaited<ReturnType<typeof openFile>>) => {
  const { rows: first, progress } = await openRows(call, file);
  // Faults of the columns are found with the first row.
  for await (const _ of first) break;
  const { rows, columns } = await describeColumns(file.source, file.options);
  if (rows === 0) throw new FileError('The file has no rows below the names of its columns');
  if (columns.every(({ field }) => field === null))
    throw new FileError('No column of the file has a meaning: name that of one of them at least in map');
  return { rows, head: progress.head, namesAt: progress.namesAt };
};

const uploadFile = async (call: Call): Promise<object> => {
  const sent = readUploadedFile(call.request, call.url);
  const { by, action } = identify(call, 'uploadImportFile');
  return describeFile(await storeImportFile(call.context.space, { ...sent, by, action }));
};

const inspectFile = async (call: Call): Promise<object> => {
  const file = await openFile(call, await readImportOptions(call.request));
  const { options, source } = file;
  const { rows, columns } = await describeColumns(source, options);
  const { notes, rows: found } = await openRows(call, file);
  const sample: object[] = [];
  for await (const row of inspectContactRows(found)) sample.push(row);
  const { space, caller } = call.context;
  const forms = isPermitted(caller, 'contacts.read') ? await readForms(space) : [];
  const { encoding, delimiter, headerLine } = options;
  return {
    encoding: encoding.replace(/(?<=^utf-16).*/, ''),
    delimiter,
    headerLine,
    rows,
    columns,
    fields: [...writableColumns, ...forms.map(({ kind, label }) => `form:${kind}:${label}`)],
    sample,
    notes,
  };
};

const tryFile = async (call: Call): Promise<object> => {
  const file = await openFile(call, await readImportOptions(call.request));
  const content = await requireContent(call, file);
  const { rows, progress } = await openRows(call, file);
  const trial = await tryContactRows(call.context.space, rows, file.writing, call.context.caller.userId);
  return { rows: content.rows, ...trial, blank: progress.blank, otherwise: Object.fromEntries(progress.counts) };
};

const beginImport = async (call: Call): Promise<object> => {
  const asked = await readImportOptions(call.request);
  const { space, caller } = call.context;
  const before = await readImportFile(space, call.id, caller.userId);
  // A request whose answer was lost comes again when its import may be over.
  if (before.begun_at) return describeFile(requireSameOptions(before, asked));
  const file = await openFile(call, asked);
  const content = await requireContent(call, file);
  const options = { ...file.options, ...file.writing };
  return describeFile(await beginFileImport(space, identify(call, 'beginImport'), { asked, options, ...content }));
};

const ndjsonType = 'application/x-ndjson; charset=utf-8';
const csvType = 'text/csv; charset=utf-8; header=present';

const quoteCell = (text: string): string => `"${markFormulaText(text).replaceAll('"', '""')}"`;
const describeFault = ({ location, message }: Fault): string => `${location} ${message}`;

/** Sends the refused rows as they stand in the file, each behind its faults; or as objects, with the head of the file first. */
const sendRefusedRows = async ({ request, context: { space, caller }, id }: Call): Promise<Response> => {
  const type = chooseOffer(request.headers.get('accept'), [csvType, ndjsonType] as const);
  if (!type) throw new Problem('not-acceptable', 'Refused rows are sent as text/csv or as application/x-ndjson');
  const { head, names_at: namesAt, options } = await readImportFile(space, id, caller.userId);
  if (head === null) throw new Problem('conflict', `The import ${id} has not begun`);
  const { delimiter = ',' } = options as ReadOptions;
  const start = [head.slice(0, namesAt!), head.slice(namesAt!)] as const;
  const isCsv = type === csvType;
  const first = isCsv ? `\ufeff${start.join(`Faults${delimiter}`)}` : `${JSON.stringify({ delimiter, head: start })}\n`;
  const pages = readRefusedRows(space, id);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    async pull(controller) {
      const { value: rows, done } = await pages.next();
      if (done) return controller.close();
      const texts = rows.map(({ row: _, ...one }) =>
        isCsv
          ? `${quoteCell(one.faults.map(describeFault).join('; '))}${delimiter}${one.text}`
          : `${JSON.stringify(one)}\n`,
      );
      controller.enqueue(encoder.encode(texts.join('')));
    },
    cancel: () => void pages.return(undefined),
  });
  const headers = {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="rejects.${isCsv ? 'csv' : 'ndjson'}"`,
    Vary: 'Accept',
  };
  return new Response(body, { headers });
};

interface ImportRoute {
  method: 'GET' | 'POST' | 'DELETE';
  /** Behind `/imports`. */
  path: '' | '/{id}' | `/{id}/${string}`;
  cost: number;
  answer(call: Call): Promise<object>;
}

const importRoutes: readonly ImportRoute[] = [
  { method: 'POST', path: '', cost: 5, answer: uploadFile },
  { method: 'GET', path: '/{id}', cost: 1, answer: showFile },
  { method: 'DELETE', path: '/{id}', cost: 1, answer: changeFile(deleteImportFile, 'deleteImportFile') },
  { method: 'POST', path: '/{id}/inspect', cost: 5, answer: inspectFile },
  { method: 'POST', path: '/{id}/try', cost: 10, answer: tryFile },
  { method: 'POST', path: '/{id}/begin', cost: 10, answer: beginImport },
  { method: 'POST', path: '/{id}/cancel', cost: 1, answer: changeFile(cancelFileImport, 'cancelImport') },
  { method: 'GET', path: '/{id}/rejects', cost: 5, answer: sendRefusedRows },
];

const findRoutes = (path: string): { routes: ImportRoute[]; id: number } => {
  const [, id, verb = ''] = /^(?:\/(\d{1,15})(\/[a-z]+)?)?\/?$/.exec(path.slice(importsPath.length)) ?? [path, '', '?'];
  const pattern = id === undefined ? '' : `/{id}${verb}`;
  return { routes: importRoutes.filter((route) => route.path === pattern), id: Number(id) };
};

/** The methods of a path; none for an unknown one. */
export const listImportMethods = (path: string): string[] => findRoutes(path).routes.map(({ method }) => method);

export const createImportsDoor =
  ({ gate, contextOf }: DoorOptions) =>
  async (request: Request, url: URL, exchange: RequestLog): Promise<Response> => {
    const { routes, id } = findRoutes(url.pathname);
    if (routes.length === 0) throw new Problem('not-found', 'There is no such path');
    const route = routes.find(({ method }) => method === request.method);
    if (!route) throw createMethodProblem(request.method, listImportMethods(url.pathname));
    exchange.route = `${route.method} ${importsPath}${route.path}`;
    const entry = await gate.admit(exchange.credentials, route.cost);
    exchange.entry = entry;
    requirePermission(entry.caller, 'imports.write', 'Importing a file');
    await exchange.slot?.beginWork();
    exchange.writes = route.method !== 'GET';
    const headers = formatRateHeaders(entry.bucket);
    try {
      const answer = await route.answer({ request, url, context: contextOf(exchange, request), id });
      if (answer instanceof Response) {
        for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
        return answer;
      }
      const text = encodeLongText(JSON.stringify({ status: 'success', data: answer }));
      return new Response(text, {
        status: route.path === '' ? 201 : 200,
        headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
      });
    } catch (error) {
      if (error instanceof FileError) throw new Problem('unprocessable', error.message);
      throw error;
    }
  };
