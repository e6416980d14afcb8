// One connection to PostgreSQL: its results are read in slices, and it can be ended at once.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';
import { limits } from '../limits/limits.ts';
import { runAfterOthers } from '../limits/pace.ts';

/** A client of the driver, with the parts of it that are used here. */
export type Connection = pg.Client & { connection: { stream: Socket } & EventEmitter };

export class ResultTooLarge extends Error {}

/** The server or the network did not answer: whether the statement was carried out is unknown. */
export class NoAnswer extends Error {
  constructor() {
    super('Connection terminated: a statement was not answered in time');
  }
}

/** In milliseconds: how long rows are read before other requests get their turn. */
const sliceMs = 2;

/** In bytes: a larger result is read on only after other requests are answered. */
const largeFrom = 512 * 1024;

/** When reading began in this turn of the event loop, from any connection. */
let readingSince: number | undefined;

/**
 * Reads results in slices. Node reads up to 2 MiB from a socket in one turn, and parsing that many rows blocks the event loop. A result
 * above `limits.request.resultBytes` closes its connection, so that it cannot fill the memory.
 */
export const readInSlices = ({ connection }: Connection): void => {
  const { stream } = connection;
  let bytes = 0;
  connection.on('dataRow', ({ length }: { length: number }) => {
    bytes += length;
    if (bytes > limits.request.resultBytes) stream.destroy(new ResultTooLarge());
  });
  connection.on('readyForQuery', () => {
    bytes = 0;
  });
  stream.prependListener('data', () => {
    if (readingSince !== undefined) return;
    readingSince = performance.now();
    setImmediate(() => {
      readingSince = undefined;
    });
  });
  stream.on('data', () => {
    if (readingSince === undefined || performance.now() - readingSince < sliceMs) return;
    stream.pause();
    const resume = (): void => void stream.resume();
    if (bytes > largeFrom) runAfterOthers(resume);
    else setImmediate(resume);
  });
};

/** Options of every connection: it finds out that the network to the server is gone, also while it waits. */
export const tcpKeepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 };

/** Ends a connection at once. Its pool makes another one. */
export const endConnection = ({ connection }: Connection): void => void connection.stream.destroy(new NoAnswer());
