// Keeps the log file of the embedded PostgreSQL private and limits its size.
import fs from 'node:fs';

/** In bytes. A longer log is truncated to its last quarter of this size. */
export const logLimit = 4 * 1024 * 1024;

/**
 * Truncates a long log. PostgreSQL appends to the file that it was started with, so it continues at the
 * new end of the file. A line that it writes at this moment may be lost. Its own log collector needs a folder that its OS
 * user may write to, moves the log of the start elsewhere, and limits the age of logs instead of their size.
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
    // It does not exist yet, or belongs to the user who started the server and truncates it.
  }
}

/** Reads the log from this length on, or all of it if it was truncated since. */
export function readLogSince(log: string, length: number): string {
  const text = fs.readFileSync(log);
  return text.toString('utf8', text.length < length ? 0 : length);
}

/** Whether a start failed since another process holds the folder or the port. */
export const isTakenByOther = (text: string): boolean =>
  text
    .split('\n')
    .some((line) => line.includes('in use') || (line.includes('lock file "') && /already exists|is empty/.test(line)));

/** Whether somebody has ended the server: another process that used it and was alone in it, since the one that started it had no session yet. */
export const isEndedByOther = (text: string): boolean => /received (smart|fast|immediate) shutdown request/.test(text);

/** Reads the last lines. They contain neither statements nor values. */
export const readLastLines = (log: string): string[] =>
  fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n').slice(-10) : [];

export const createErrorWithLog = (message: string, log: string): Error =>
  new Error([message, `The end of ${log}:`, ...readLastLines(log)].join('\n'));
