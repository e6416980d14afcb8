// Exports: all contacts that a search finds at one moment, as NDJSON or CSV, read and sent a page at a time.

import type { Context, Whole } from '../context.ts';
import { stillReachesAsFar } from '../data/noun/reach.ts';
import { KeyedSemaphore } from '../database/concurrency-limit.ts';
import { createAbandonedProblem } from '../database/search-pool.ts';
import { chooseOffer } from '../http/negotiation.ts';
import { type ContactFields, createCsvFormat, type ExportFormat, type TableOptions } from '../import/csv-table.ts';
import { limits } from '../limits/limits.ts';
import { runAfterOthers } from '../limits/pace.ts';
import { requirePermission } from '../permissions/authority.ts';
import { convertToProblem, Problem } from '../problem.ts';
import { contactsExported, reshapeReply } from './routes/output.ts';
import type { Stored } from './stored.ts';

const ndjson: ExportFormat = {
  type: 'application/x-ndjson; charset=utf-8',
  write: (contacts) => contacts.map((contact) => `${JSON.stringify(contact)}\n`).join(''),
};

const csv = createCsvFormat({});

export const formats = { ndjson, csv };

/** The format of each media type that a client may ask for; the first for a client that accepts anything. */
const offers = {
  'application/x-ndjson; charset=utf-8': ndjson,
  'application/ndjson; charset=utf-8': ndjson,
  'application/json; charset=utf-8': ndjson,
  'text/csv; charset=utf-8; header=present': csv,
} as const;

/** The format for an `Accept` header, and the options of a table, which mean CSV. Throws 406 when the header names none. */
export const chooseExportFormat = (accept: string | null, { names, excel }: TableOptions = {}): ExportFormat => {
  if (names || excel) {
    if (chooseOffer(accept, [csv.type]) === undefined)
      throw new Problem('not-acceptable', 'An export with excel or columns is sent as text/csv');
    return createCsvFormat({ names, excel });
  }
  const offer = chooseOffer(accept, Object.keys(offers) as (keyof typeof offers)[]);
  if (offer === undefined)
    throw new Problem('not-acceptable', 'An export is sent as application/x-ndjson or as text/csv');
  return offers[offer];
};

interface FoundPage {
  found: { contacts: ContactFields[]; pageInfo: { hasNextPage: boolean } };
}

/** Limits exports, since each holds the ids of all its contacts for as long as its client reads. */
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
  abandonment: createAbandonedProblem,
});

/**
 * The pages that are made at this moment: one of a space, so that several exports of it take no more than one does, and two of all spaces.
 * They wait as long as it takes, in turn.
 */
const pages = new KeyedSemaphore({
  maxConcurrent: 1,
  maxTotal: 2,
  maxQueue: limits.search.exports,
  queueTimeoutMs: limits.connection.exportSeconds * 1000,
  refusal: () => new Problem('timeout', 'The next page of the export had to wait for too long'),
  abandonment: createAbandonedProblem,
});

/** Resolves once other requests had their turn: writing a page holds the event loop. */
const yieldToOthers = (): Promise<void> => new Promise(runAfterOthers);

/**
 * The text of an export, piece by piece. The search runs once. Then each page is read when it is asked for, on the connections of searches,
 * and only one page is held beside the ids. Every page has a context of its own, with its own loaders. Throws the
 * Problem of a page that fails, and 403 before the next page when the caller of a `request` has lost rights meanwhile: a slow client may take an hour.
 */
export async function* exportContactPages(
  operation: Stored,
  context: Context,
  variables: Record<string, unknown>,
  format: ExportFormat,
  request?: Pick<Request, 'signal'>,
): AsyncGenerator<{ text: string; count: number }> {
  requirePermission(context.caller, 'contacts.export', 'An export');
  const leave = await underWay.acquire(context.space.id, { signal: request?.signal });
  try {
    const whole: Whole = { read: 0 };
    const slow = { ...context, space: context.space.onSearchPool(), whole };
    for (let first = true; ; first = false) {
      const end = await pages.acquire(context.space.id, { signal: request?.signal });
      let page: { text: string; count: number; hasNextPage: boolean };
      try {
        await yieldToOthers();
        if (request && !first && !(await stillReachesAsFar(slow.space, context.caller)))
          throw new Problem('forbidden', 'The caller has lost rights since the export began');
        const { data, errors } = await operation.run({ ...slow }, variables);
        if (errors?.length) throw convertToProblem(errors[0]);
        await yieldToOthers();
        const { contacts, pageInfo } = (reshapeReply(data, contactsExported) as FoundPage).found;
        page = { text: format.write(contacts, first), count: contacts.length, hasNextPage: pageInfo.hasNextPage };
      } finally {
        end();
      }
      yield page;
      if (!page.hasNextPage) return;
    }
  } finally {
    leave();
  }
}

/** In bytes: the size of the pieces sent, small enough to show a client's progress. */
const sliceBytes = 32 * 1024;

/** An answer that is sent while it is made. The first page is read beforehand, so that faults of the request are thrown. */
export const streamExport = async (
  pieces: AsyncGenerator<{ text: string }>,
  format: ExportFormat,
  gzip: boolean,
): Promise<{ headers: Record<string, string>; body: ReadableStream<Uint8Array> }> => {
  const encoder = new TextEncoder();
  const textOf = ({ done, value }: IteratorResult<{ text: string }>): Uint8Array | undefined =>
    done ? undefined : encoder.encode(value.text);
  let rest = textOf(await pieces.next());
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A page has no text when all its contacts were deleted.
      while (rest?.length === 0) rest = textOf(await pieces.next());
      if (!rest) return controller.close();
      controller.enqueue(rest.subarray(0, sliceBytes));
      rest = rest.subarray(sliceBytes);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
  const headers = {
    'Content-Type': format.type,
    'Content-Disposition': `attachment; filename="contacts.${format === ndjson ? 'ndjson' : 'csv'}"`,
    Vary: 'Accept, Accept-Encoding',
  };
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
