// The session of a backup or a restore: its settings, how it ends when it is stopped, and the state of the schema.
import pg from 'pg';
import { tcpKeepAlive } from '../connection.ts';
import { listMigrations, type Migration } from '../migrate.ts';

/** Texts of values do not depend on settings of the role or the server. Nothing times out: tables may be large. */
const settings = `
  set client_encoding = 'UTF8'; set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set extra_float_digits = 1; set bytea_output = 'hex'; set synchronize_seqscans = off;
  set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
  set client_connection_check_interval = 500; set jit = off`;

/** Opens a session for `work`. When `signal` aborts, the session ends at once, and its transaction is rolled back. */
export const useSession = async <Result>(
  url: string,
  name: string,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> => {
  const client = new pg.Client({
    ...tcpKeepAlive,
    connectionString: url,
    connectionTimeoutMillis: 5000,
    application_name: name,
  });
  // A lost connection also fails the running query. Without a listener the event would end the process.
  client.on('error', () => {});
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  const stop = (): void => connection.stream.destroy();
  signal.addEventListener('abort', stop);
  try {
    await client.connect();
    await client.query(settings);
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => {});
  }
};

/** The numbered migrations that were applied to a database, in order; undefined when it is no database of Muster. */
export const readAppliedMigrations = async (
  client: pg.Client,
): Promise<Pick<Migration, 'name' | 'checksum'>[] | undefined> => {
  const { rows: found } = await client.query(`select to_regclass('schema_migrations') is not null as there`);
  if (!found[0].there) return undefined;
  const { rows } = await client.query(
    `select name, checksum from schema_migrations where name ~ '^[0-9]' order by name collate "C"`,
  );
  return rows;
};

/** Our files of these migrations, which must be the first ones. `whose` begins the error for others, such as `This database`. */
export const matchMigrations = (
  applied: readonly Pick<Migration, 'name' | 'checksum'>[],
  whose: string,
): Migration[] => {
  const numbered = listMigrations().filter(({ repeatable }) => !repeatable);
  return applied.map(({ name, checksum }, index) => {
    const own = numbered[index];
    if (own?.name === name && own.checksum === checksum) return own;
    if (!numbered.some((one) => one.name === name))
      throw new Error(
        `${whose} is of a newer version of Muster, with the migration ${name}: use that version, or a later one`,
      );
    throw new Error(`${whose} has another migration ${name} than this version of Muster`);
  });
};
