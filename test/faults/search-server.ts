// A listening server with searches that can be made slow, for tests of other requests, of the client and of the database meanwhile.
import pg from 'pg';
import { pino } from 'pino';
import { expect, inject, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { startServer } from '../../src/server/server.ts';
import { createDatabase, type Json } from '../harness/app.ts';
import { translateQuery } from '../search/contact-query.ts';

const slowWhen = (condition: string): string => `
  create or replace function fold(text) returns text language plpgsql immutable strict as $$ begin
    if $1 like 'slow%' and ${condition} then perform pg_sleep(cast(coalesce(nullif(substr($1, 5), ''), '60') as float)); end if;
    return lower($1);
  end $$`;
/** A name that starts with `slow` takes a minute to fold, or as many seconds as it says. */
export const slowness = slowWhen('true');
/** The same, where a node of a cluster runs the search in its shard. Citus does not cancel what EXPLAIN does on another node. */
const slownessOfShards = slowWhen(String.raw`current_query() ~* '^(?!explain).*contact_search_\d{6}'`);

/** A clone of the template with slow names, and a third space. */
export const createSlowDatabase = async (): Promise<string> => {
  const url = await createDatabase();
  const client = new pg.Client(url);
  await client.connect();
  await client.query(inject('onCluster') ? slownessOfShards : slowness);
  await client.query(`insert into spaces (id, name) values (3, 'Third');
    insert into roles (group_id, name, type) values (3, 'All', 'superadmin');
    insert into members (group_id, user_id, role_id) select 3, 1, id from roles where group_id = 3`);
  await client.end();
  return url;
};

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

interface Asked {
  space?: number;
  signal?: AbortSignal;
}

/** A condition that runs on the connections for slow searches. */
export const buildSlowQuery = (value: string): Json => ({
  $all: [{ $all: [{ $condition: { attr: 'married_name', ope: 'eql', value } }] }],
});

/** A server on the database, and functions that send it requests until the test ends. */
export const serveDatabase = async (url: string) => {
  const config = readConfig({ PORT: '0', BUCKET_CAPACITY: '1000000', DRAIN_SECONDS: '0' });
  const server = await startServer(config, url, pino({ level: 'silent' }));
  onTestFinished(server.stop);
  const { rows } = await server.database.readers.knex.raw(
    'select group_id, min(user_id) as user_id from members group by 1 order by 1',
  );
  const tokens: string[] = await Promise.all(
    rows.map((row: Json) => createAccessToken(server.database, row.group_id, row.user_id)),
  );

  const ask = async (path: string, body?: unknown, { space = 1, signal }: Asked = {}): Promise<Answer> => {
    const response = await fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${tokens[space - 1]}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ?? AbortSignal.timeout(30_000),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const graph = (field: string) => (name: string, more?: Asked) =>
    ask(
      '/graphql',
      {
        query: `query ($query: ContactQuery) { ${field} }`,
        variables: { query: translateQuery(buildSlowQuery(name)) },
      },
      more,
    );
  return {
    ask,
    /** The ways to send a search. */
    doors: {
      search: (name: string, more?: Asked) =>
        ask('/search', { data: { advanced_search: { per_page: 5, query: buildSlowQuery(name) } } }, more),
      kpi: (name: string, more?: Asked) =>
        ask('/kpi', { data: { advanced_search: { query: buildSlowQuery(name) } } }, more),
      searchContacts: graph('searchContacts(query: $query) { nodes { id } totalCount }'),
      explainSearch: graph('explainSearch(query: $query) { matches }'),
    },
  };
};
export type Serving = Awaited<ReturnType<typeof serveDatabase>>;

/** The number of searches that the database is running. */
export const countRunning = async (watch: pg.Client): Promise<number> =>
  (
    await watch.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'muster' and state = 'active'
          and query like '%contact_search%'`,
    )
  ).rowCount!;

export const expectRetryable = ({ status, headers, body }: Answer, due: [status: number, code: string]): void => {
  expect([status, body.type]).toEqual([due[0], `urn:muster:problem:${due[1]}`]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(JSON.stringify(body)).not.toMatch(/statement|postgres|pg_|select |stack|Knex|pool/i);
};

/** Clients that disconnect on request, or when the test ends. */
export const startClients = (asking: ((signal: AbortSignal) => Promise<Answer>)[]) => {
  const leaving = new AbortController();
  const one = async (asked: Promise<Answer>): Promise<number | 'gone'> =>
    asked.then(
      ({ status }) => status,
      () => 'gone' as const,
    );
  const answers = Promise.all(asking.map((ask) => one(ask(leaving.signal))));
  const leave = () => {
    leaving.abort();
    return answers;
  };
  onTestFinished(async () => void (await leave()));
  return { leave, answers };
};
