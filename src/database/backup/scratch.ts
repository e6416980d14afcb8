// A scratch database beside the configured one. It is dropped after use, also after a failure.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { openClient } from '../open-client.ts';

/** The comment by which a scratch database that was left behind is known, so that no other database is ever dropped. */
const mark = 'scratch database of muster restore --verify';

const changeDatabase = (url: string, name: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(name)}`;
  return changed.href;
};

/** Drops the scratch database of a verification that was killed. Throws when another database has its name. */
const dropLeftOver = async (admin: pg.Client, name: string): Promise<void> => {
  const { rows } = await admin.query(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
    [name],
  );
  if (rows.length === 0) return;
  if (rows[0].comment !== mark)
    throw new Error(`The database ${name} exists: it would be the scratch database. Rename or drop it`);
  await admin.query(`drop database ${pg.escapeIdentifier(name)} with (force)`);
};

/** Runs work in a new, empty database of the same owner. Its role must be allowed to create databases. */
export const useScratchDatabase = async <Result>(
  { url, adminUrl }: { url: string; adminUrl: string },
  work: (url: string) => Promise<Result>,
): Promise<Result> => {
  const admin = await openClient(adminUrl, 'muster restore');
  try {
    const { rows } = await admin.query('select current_database() as database');
    const name = `${rows[0].database.slice(0, 48)}_muster_verify`;
    const key = createHash('sha256').update(name).digest().readInt32BE();
    const { rows: lock } = await admin.query('select pg_try_advisory_lock($1) as free', [key]);
    if (!lock[0].free) throw new Error('Another verification is under way on this server');
    await dropLeftOver(admin, name);
    const quoted = pg.escapeIdentifier(name);
    const owner = decodeURIComponent(new URL(url).username);
    const create = (locale: string) =>
      admin.query(
        `create database ${quoted} template template0 encoding 'UTF8' ${locale} ${owner ? `owner ${pg.escapeIdentifier(owner)}` : ''}`,
      );
    await create('')
      // The locale of the server is for another encoding.
      .catch((error) => (error.code === '22023' ? create("locale 'C'") : Promise.reject(error)))
      .catch((error) => {
        if (error.code !== '42501') throw error;
        throw new Error(
          'The role of DATABASE_URL may not create databases: name one that may, or restore into a new database of your own',
          { cause: error },
        );
      });
    try {
      await admin.query(`comment on database ${quoted} is ${pg.escapeLiteral(mark)}`);
      return await work(changeDatabase(url, name));
    } finally {
      await admin.query(`drop database ${quoted} with (force)`);
    }
  } finally {
    await admin.end();
  }
};
