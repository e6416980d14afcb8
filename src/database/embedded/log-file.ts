// In charge of the log file of the embedded PostgreSQL: it belongs to us alone, and does not grow for ever.
import fs from 'node:fs';

/** In bytes: a log that is longer is cut to its end, a quarter of that. */
export const logLimit = 4 * 1024 * 1024;

/**
 * Cuts a log that has become long. PostgreSQL appends to the file that it was started with, so it goes on writing where the
 * file now ends; a line that it writes in this very moment may be lost. Its own collector of logs needs a folder that its OS
 * user may write to, takes the file of the start out of sight, and bounds the age of what it keeps, not the size.
 */
export function truncateLongLog(log: string): void {
  try {
    const file = fs.openSync(log, fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW);
    try {
      const { size, mode } = fs.fstatSync(file);
      if ((mode & 0o777) !== 0o600) fs.fchmodSync(file, 0o600);
      if (size <= logLimit) return;
      const end = Buffer.alloc(logLimit / 4);
      const length = fs.readSync(file, end, 0, end.length, size - end.length);
      fs.ftruncateSync(file);
      fs.writeSync(file, end.subarray(end.indexOf('\n') + 1, length));
    } finally {
      fs.closeSync(file);
    }
  } catch {
    // It is not there yet, or belongs to the user who started the server, and is cut by them.
  }
}

/** What was written since the log had this length, or all of it when it was cut since. */
export function readLogSince(log: string, length: number): string {
  const text = fs.readFileSync(log);
  return text.toString('utf8', text.length < length ? 0 : length);
}

/** Its last lines: they hold neither statements nor values. */
export const readLastLines = (log: string): string[] =>
  fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n').slice(-10) : [];

export const createErrorWithLog = (message: string, log: string): Error =>
  new Error([message, `The end of ${log}:`, ...readLastLines(log)].join('\n'));
