// An answer of the database that is lost while a change is stored: the client is told that the change may have been made, and repeats it under a key alone.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';
import { type FaultyProxy, startProxy } from './proxy.ts';

vi.setConfig({ testTimeout: 60_000 });

let direct: Door;
let door: Door;
let proxy: FaultyProxy;
beforeAll(async () => {
  direct = await openApp();
  proxy = await startProxy(direct.databaseUrl);
  const database = new Database(proxy.url(direct.databaseUrl));
  door = await openApp({}, undefined, { ...direct, database });
  // A commit that lasts a while, and is not given up when its client is gone.
  await direct.sql(`
    create function linger() returns trigger language plpgsql set client_connection_check_interval = 0 as $$ begin perform pg_sleep(0.3); return null; end $$;
    create constraint trigger lingers after insert on teams deferrable initially deferred for each row when (new.name like 'Slow%') execute function linger();
    create constraint trigger lingers after insert on notes deferrable initially deferred for each row when (new.content like 'Slow%') execute function linger();
    create function refuse() returns trigger language plpgsql as $$ begin raise unique_violation; end $$;
    create constraint trigger refused after insert on teams deferrable initially deferred for each row when (new.name like 'Never%') execute function refuse();
  `);
  return async () => {
    await database.close();
    await proxy.close();
  };
});

const isCommitting = async (): Promise<boolean> => {
  const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  return (await direct.sql(sql)).length > 0;
};
/** Waits until the database has ended what it was about. */
const settle = (): Promise<void> => waitUntil('no change is being committed', async () => !(await isCommitting()));
/** Sends a request, and cuts the connections while its commit is under way. */
const loseAnswer = async <Answer>(send: () => Promise<Answer>): Promise<Answer> => {
  await settle();
  const answer = send();
  await waitUntil('the change is being committed', isCommitting);
  proxy.cut();
  return answer;
};
const countTeams = async (name: string): Promise<number> => {
  await settle();
  await sleep(50);
  return (await direct.sql('select count(*) as count from teams where name = ?', [name]))[0].count;
};
const sendTeam = (name: string, headers?: Record<string, string>) => () =>
  door.rest('POST', '/teams', { data: { team: { name } } }, undefined, headers);
const createTeam = (name: string, headers?: Record<string, string>) => () =>
  door.graphql(
    'mutation ($name: String!) { createTeam(input: { name: $name }) { team { name } } }',
    { name },
    undefined,
    headers,
  );
const addNote = (content: string) => () =>
  door.graphql(
    'mutation ($content: String!) { createNote(input: { contactId: "Contact:1", content: $content }) { note { content } } }',
    { content },
  );
const detail = 'The connection to the database was lost: whether the change was made is unknown';

describe('a change whose commit is not answered', () => {
  it('may have been made, says REST, and asks for no repetition', async () => {
    const { status, headers, body } = await loseAnswer(sendTeam('Slow REST'));
    expect([status, body.type, body.outcome, body.detail]).toEqual([
      503,
      'urn:muster:problem:unavailable',
      'unknown',
      detail,
    ]);
    expect(headers.get('retry-after')).toBeNull();
    expect(await countTeams('Slow REST')).toBe(1);
  });

  it('may have been made, says the graph', async () => {
    const { headers, body } = await loseAnswer(createTeam('Slow graph'));
    expect(body.errors).toMatchObject([
      { message: detail, path: ['createTeam'], extensions: { code: 'unavailable', status: 503, outcome: 'unknown' } },
    ]);
    expect(headers.get('retry-after')).toBeNull();
    expect(await countTeams('Slow graph')).toBe(1);
  });

  it('may have been made, also by one statement without a transaction', async () => {
    const { body } = await loseAnswer(addNote('Slow note'));
    expect(body.errors).toMatchObject([{ extensions: { code: 'unavailable', outcome: 'unknown' } }]);
  });

  it.each<[string, typeof sendTeam, (body: Json) => unknown]>([
    ['REST', sendTeam, (body) => body.outcome],
    ['GraphQL', createTeam, (body) => body.errors[0].extensions.outcome],
  ])('is repeated under its key, and made once: %s', async (way, send, read) => {
    const name = `Slow keyed ${way}`;
    const key = { 'Idempotency-Key': `lost-${way}` };
    const lost = await loseAnswer(send(name, key));
    expect([lost.status, read(lost.body), lost.headers.get('retry-after')]).toEqual([503, 'unknown', '1']);
    await settle();
    const again = await send(name, key)();
    expect([again.status < 300, again.headers.get('idempotency-replayed'), await countTeams(name)]).toEqual([
      true,
      'true',
      1,
    ]);
  });
});

describe('a change that was certainly not made', () => {
  it('is asked for again: its connection was lost before the commit', async () => {
    const held = await direct.database.readers.knex.transaction();
    await held.raw('lock table teams in share mode');
    const answer = sendTeam('Slow never')();
    await waitUntil('the change waits', async () => {
      const rows = await direct.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
    proxy.cut();
    const { status, headers, body } = await answer;
    await held.rollback();
    expect([status, body.outcome, headers.get('retry-after')]).toEqual([503, undefined, '1']);
    expect(await countTeams('Slow never')).toBe(0);
  });

  it('is refused: its commit was', async () => {
    const { status, body } = await sendTeam('Never')();
    expect([status, body.outcome]).toEqual([409, undefined]);
  });

  it('is asked for again: there was no connection', async () => {
    await door.rest('GET', '/teams');
    proxy.blackhole();
    const { status, headers, body } = await sendTeam('Slow away')();
    proxy.thaw();
    expect([status, body.outcome, headers.get('retry-after')]).toEqual([503, undefined, '1']);
  });
});
