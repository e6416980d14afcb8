// Records the statements that a Space sends to the database, with that space.
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { Space } from '../../src/database/space.ts';
import type { Recorded } from './app.ts';

const spaces = new AsyncLocalStorage<number>();
/** Every method that reaches the database. Types fail here when one is renamed. */
const reaching = ['rows', 'onPrimary', 'transaction', 'runSlow', 'runIndexOnly', 'runBatched'] as const;
const methods = Space.prototype as unknown as Record<string, (this: Space, ...args: unknown[]) => unknown>;
for (const name of reaching satisfies readonly (keyof Space)[]) {
  const original = methods[name]!;
  methods[name] = function (...args) {
    return spaces.run(this.id, () => original.apply(this, args));
  };
}

/** Statements by text and by where the space is bound. A few hundred per file are enough: other tests check generated statements. */
export const seen = new Map<string, Recorded & { space: number }>();
/** Those in which other files of this worker found no fault. */
export const sound = new Set<string>();
const most = 300;

const client = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
const query = client.query;
client.query = function (...args) {
  const space = spaces.getStore();
  const { text: sql, values: bindings = [] } = args[0] as { text?: string; values?: unknown[] };
  if (space !== undefined && sql !== undefined && seen.size < most) {
    const key = `${sql} ${bindings.map((value) => Number(value === space)).join('')}`;
    if (!sound.has(key)) seen.set(key, { sql, bindings, space });
  }
  return query.apply(this, args);
};
