// A check of an installation: what it looks at, what it finds, and what to do about it.
import type { Config } from '../config/config.ts';
import type { DiagnosticConnection } from '../database/open-client.ts';

export type Status = 'ok' | 'warn' | 'fail';

export interface Finding {
  status: Status;
  /** A sentence that tells what is there, without personal data and without secrets. */
  found: string;
  /** The command or the setting that mends it. */
  todo?: string;
}

/** The database that checks look at, and the settings. */
export interface DatabaseGround {
  config: Config;
  connection: DiagnosticConnection;
  /** The address of the database, past any pooler. */
  url: string;
  /** Instances of Muster that share the database. */
  instances: number;
  /** Whether checks may read all rows. */
  deep: boolean;
}

/** Resolves to undefined when it does not apply. */
export type Check = (ground: DatabaseGround) => Promise<Finding | undefined>;

/** Checks by their names, in the order in which they are printed. */
export type Checks = Readonly<Record<string, Check>>;

export const ok = (found: string): Finding => ({ status: 'ok', found });
export const warn = (found: string, todo: string): Finding => ({ status: 'warn', found, todo });
export const fail = (found: string, todo: string): Finding => ({ status: 'fail', found, todo });

/** In binary units. */
export const formatBytes = (bytes: number): string =>
  bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${Math.round(bytes / 2 ** 20)} MiB`;

/** A few names, and how many more there are. */
export const listNames = (names: readonly string[], most = 5): string =>
  names.slice(0, most).join(', ') + (names.length > most ? ` and ${names.length - most} more` : '');
