// The session of a backup or a restore: how it ends when it is stopped, and the state of the schema.
import type pg from 'pg';
import { describeOtherVersion, listMigrations, type Migration, readAppliedFiles } from '../migrate.ts';
import { openClient } from '../open-client.ts';

/** Opens a session for `work`. When `signal` aborts, the session ends at once, and its transaction is rolled back. Tables are read in the same order each time. */
export const useSession = async <Result>(
  url: string,
  name: string,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> => {
  // A signal that was aborted before fires no event.
  signal.throwIfAborted();
  let client: pg.Client | undefined;
  try {
    client = await openClient(url, name, { signal, settings: { synchronize_seqscans: 'off' } });
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await client?.end().catch(() => {});
  }
};

/** The numbered migrations that were applied to a database, in order; undefined when it is no database of Muster. */
export const readAppliedMigrations = async (client: pg.Client): ReturnType<typeof readAppliedFiles> =>
  (await readAppliedFiles(client))?.filter(({ name }) => /^\d/.test(name));

/** Our files of these migrations, which must be the first ones. `whose` begins the error for others, such as `This database`. */
export const matchMigrations = (
  applied: readonly Pick<Migration, 'name' | 'checksum'>[],
  whose: string,
): Migration[] => {
  const numbered = listMigrations().filter(({ repeatable }) => !repeatable);
  return applied.map(({ name, checksum }, index) => {
    const own = numbered[index];
    if (own?.name === name && own.checksum === checksum) return own;
    if (!numbered.some((one) => one.name === name)) throw new Error(`${whose} is of ${describeOtherVersion(name)}`);
    throw new Error(`${whose} has another migration ${name} than this version of Muster`);
  });
};
