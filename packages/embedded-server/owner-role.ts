// Sets up the role with which Muster uses its embedded PostgreSQL: no superuser, but the owner of the database and all its objects.
import pg from 'pg';

/** The superuser, which creates roles and databases, and the owner, which serves. Clusters of earlier versions have only the first. */
export type Role = 'muster' | 'muster_owner';
export const superuser: Role = 'muster';
export const owner: Role = 'muster_owner';

/** The key of an advisory lock, which differs from those of server.ts in the same database. */
const ownershipLock = 2;

/** Returns the statements that transfer objects of other roles to the owner, except those of extensions and of PostgreSQL itself. */
const changes = `
  with objects (class, id, kind, name, schema, owner) as (
    select 'pg_namespace'::regclass, oid, 'schema', format('%I', nspname), oid, nspowner from pg_namespace
     where nspowner <> 'pg_database_owner'::regrole
    union all
    select 'pg_class'::regclass, c.oid, 'table', c.oid::regclass::text, relnamespace, relowner from pg_class c
     where relkind in ('r', 'p', 'v', 'm', 'f')
        or relkind = 'S' and not exists (
             select 1 from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype in ('a', 'i'))
    union all
    select 'pg_proc'::regclass, oid, 'routine', oid::regprocedure::text, pronamespace, proowner from pg_proc
    union all
    select 'pg_type'::regclass, t.oid, 'type', t.oid::regtype::text, typnamespace, typowner from pg_type t
     where typtype in ('d', 'e', 'r') or exists (select 1 from pg_class where oid = typrelid and relkind = 'c')
    union all
    select 'pg_statistic_ext'::regclass, oid, 'statistics', format('%I.%I', stxnamespace::regnamespace, stxname), stxnamespace, stxowner
      from pg_statistic_ext
  )
  select format('alter %s %s owner to ${owner}', kind, name) as change from objects o
    join pg_namespace n on n.oid = o.schema and nspname !~ '^pg_' and nspname <> 'information_schema'
   where owner <> '${owner}'::regrole
     and not exists (select 1 from pg_depend where classid = class and objid = id and deptype = 'e')`;

/**
 * Makes sure that the database exists, and that the owner owns it, may log in with the password, and has no other rights: in a
 * new cluster, and in one of an earlier version, where the superuser owns everything. `admin` is the superuser's session.
 */
export async function grantToOwner(
  admin: pg.Client,
  password: string,
  database: string,
  openDatabase: () => Promise<pg.Client>,
): Promise<void> {
  await admin.query('select pg_advisory_lock($1)', [ownershipLock]);
  try {
    const { rowCount: isThere } = await admin.query('select from pg_roles where rolname = $1', [owner]);
    if (!isThere) await admin.query(`create role ${owner} nologin`);
    const name = pg.escapeIdentifier(database);
    const { rowCount: exists } = await admin.query('select from pg_database where datname = $1', [database]);
    if (!exists) await admin.query(`create database ${name} owner ${owner}`);
    else {
      const session = await openDatabase();
      await transferOwnership(session, name).finally(() => session.end());
    }
    // The login comes last: then the owner owns everything.
    await admin.query(
      `alter role ${owner} login nosuperuser nocreaterole nocreatedb noreplication nobypassrls password ${pg.escapeLiteral(password)}`,
    );
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [ownershipLock]);
  }
}

async function transferOwnership(session: pg.Client, database: string): Promise<void> {
  await session.query("begin; set local lock_timeout = '30s'");
  const { rows } = await session.query<{ change: string }>(changes);
  for (const { change } of rows) await session.query(change);
  await session.query(`alter database ${database} owner to ${owner}`);
  await session.query('commit');
}
