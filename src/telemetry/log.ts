// The log: lines go to standard output and never block the server. Lines that cannot be written are dropped and counted, and the count is logged later.
import fs from 'node:fs';
import { Socket } from 'node:net';
import { type LevelWithSilent, type Logger, pino } from 'pino';
import { metrics } from './metrics.ts';

/** Writes bytes and reports how many were written: all, unless there is an error. */
export type Write = (bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void) => void;

/** In bytes: how much may wait while nothing can be written. It holds some thousands of requests. */
const maxWaiting = 1024 * 1024;
/** In bytes: how much is written at a time. */
const usualBatch = 64 * 1024;
const standardOutput = 1;
/** In milliseconds: how long the end of a process waits for its last lines. A pipe that nobody reads never takes them. */
const flushTimeoutMs = 1000;

interface LogLinesOptions {
  write: Write;
  /** In bytes: how much is written at a time. A longer line is written by itself. */
  batch?: number;
  /** In bytes: how much may wait. Beyond it the oldest lines are dropped. */
  limit?: number;
  /** Fields of every line. */
  base?: Record<string, unknown> | null;
}

/** The queue of lines. One write is under way at a time, with as many waiting lines as fit. */
export class LogLines {
  readonly #options: Required<LogLinesOptions>;
  /** Texts of whole lines, each for one write. */
  readonly #waiting: { text: string; bytes: number }[] = [];
  #bytes = 0;
  #isWriting = false;
  #isScheduled = false;
  #dropped = 0;
  #reason = '';
  /** Whether the last line was written only in part. */
  #isTorn = false;
  #whenIdle = (): void => {};

  constructor({ write, batch = usualBatch, limit = maxWaiting, base = null }: LogLinesOptions) {
    this.#options = { write, batch, limit, base };
  }

  /** Takes whole lines. They are written after this turn of the event loop, with the other lines of it. */
  write(text: string): void {
    const { batch, limit } = this.#options;
    const bytes = Buffer.byteLength(text);
    const last = this.#waiting.at(-1);
    if (last && last.bytes + bytes <= batch) {
      last.text += text;
      last.bytes += bytes;
    } else this.#waiting.push({ text, bytes });
    this.#bytes += bytes;
    while (this.#bytes > limit && this.#waiting.length > 1) this.#drop(countLines(this.#take()!), 'unread');
    if (this.#isWriting || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#writeNext();
    });
  }

  /** Resolves when nothing waits any more, or after `timeoutMs`. */
  flush(timeoutMs = flushTimeoutMs): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#whenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
      // Otherwise the count would stay unlogged until the next line.
      if (this.#dropped > 0) this.write('');
      this.#writeNext();
    });
  }

  /** Removes and returns all waiting lines, for a last attempt by other means. */
  takeRest(): string {
    let rest = '';
    for (let text = this.#take(); text !== undefined; text = this.#take()) rest += text;
    return rest;
  }

  #take(): string | undefined {
    const batch = this.#waiting.shift();
    this.#bytes -= batch?.bytes ?? 0;
    return batch?.text;
  }

  #drop(lines: number, reason: string): void {
    this.#dropped += lines;
    metrics.logLinesDropped.inc(lines);
    this.#reason = reason;
  }

  #writeNext(): void {
    if (this.#isWriting) return;
    const text = this.#take();
    if (text === undefined) {
      this.#whenIdle();
      return;
    }
    const told = this.#dropped;
    const wasTorn = this.#isTorn;
    const bytes = Buffer.from((wasTorn ? '\n' : '') + (told > 0 ? this.#notice() : '') + text);
    this.#isWriting = true;
    this.#options.write(bytes, (error, written) => {
      this.#isWriting = false;
      if (written > 0) this.#isTorn = bytes[written - 1] !== newline;
      let whole = countLines(bytes.subarray(0, written)) - (wasTorn && written > 0 ? 1 : 0);
      if (told > 0 && whole > 0) {
        this.#dropped -= told;
        whole -= 1;
      }
      if (error) this.#drop(countLines(text) - whole, error.code ?? error.message);
      this.#writeNext();
    });
  }

  #notice(): string {
    const line = {
      level: pino.levels.values.warn,
      time: new Date().toISOString(),
      ...this.#options.base,
      dropped: this.#dropped,
      reason: this.#reason,
      msg: 'lines of the log were dropped',
    };
    return `${JSON.stringify(line)}\n`;
  }
}

const newline = 10;
const countLines = (text: string | Buffer): number => {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
};

/** A full disk may take a part of a write, and report the error only at the next one. */
const writeToFile =
  (file: number, from = 0): Write =>
  (bytes, done) =>
    fs.write(file, bytes, from, null, (error, count) => {
      if (error) done(error, from);
      else if (from + count === bytes.length) done(null, bytes.length);
      else writeToFile(file, from + count)(bytes, done);
    });

/** A stream that fails does not report how much of the batch it took. */
const writeToStream =
  (stream: Socket): Write =>
  (bytes, done) =>
    stream.write(bytes, (error) => done(error ?? null, error ? 0 : bytes.length));

/** Node writes asynchronously to a pipe or a socket; a terminal would block the process. */
const holdUpNobody = (stream: NodeJS.WriteStream): void => {
  // A reader that went away, or a full disk, must not end the server.
  stream.removeAllListeners('error').on('error', () => {});
  (stream as { _handle?: { setBlocking?(blocks: boolean): void } })._handle?.setBlocking?.(false);
};

/** Opens the log of a server process. Other output of the process goes through the same queue. */
export const openLog = (
  level: LevelWithSilent,
  base: Record<string, unknown> | null = null,
): { log: Logger; lines: LogLines } => {
  const { stdout, stderr } = process;
  holdUpNobody(stdout);
  holdUpNobody(stderr);
  // A file is not a stream, although the types say so.
  const isStream = (stdout as unknown) instanceof Socket;
  const lines = new LogLines({ write: isStream ? writeToStream(stdout) : writeToFile(standardOutput), base });
  // Lines that an uncaught error leaves unwritten.
  process.on('exit', () => {
    const rest = lines.takeRest();
    if (!rest) return;
    if (isStream) stdout.write(rest);
    else {
      try {
        fs.writeSync(standardOutput, rest);
      } catch {
        // There is nobody left to tell.
      }
    }
  });
  return { log: pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, lines), lines };
};
