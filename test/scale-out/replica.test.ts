// Reading from a replica: a token reads its own writes at once, whatever the replica lacks; and without the replica everything continues.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDemoPlan } from '../../packages/demo-data/index.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import type { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { startProxy } from '../faults/proxy.ts';
import { buildSlowQuery, slowness } from '../faults/search-server.ts';
import type { Json } from '../harness/app.ts';
import { runHere } from '../harness/run-here.ts';
import { waitUntil } from '../harness/waiting.ts';
import { logMissing, missing, pauseReplay, type Server, startPrimary, startReplica, waitForReplay } from './cluster.ts';
import { canSee, createContact, type Instance, openInstance } from './instances.ts';

describe.skipIf(logMissing('replica', missing))('with a replica', { timeout: 60_000 }, () => {
  let primary: Server;
  let replica: Server;
  let here: Instance;
  let there: Instance;
  const opened: Database[] = [];

  const open = ({ url = replica.url('muster'), maxLag = 60 } = {}): Instance => {
    const instance = openInstance(primary.url('muster'), { url, maxLag });
    opened.push(instance.database);
    return instance;
  };

  const newToken = (): Promise<string> => createAccessToken(here.database, 1, 1);
  const [all, nothing] = [Array(3).fill(true), Array(3).fill(false)];

  const pause = (): Promise<void> => pauseReplay(replica);
  const resume = (): Promise<unknown> => replica.sql('select pg_wal_replay_resume()');
  const caughtUp = (): Promise<void> => waitForReplay(primary, replica);

  beforeAll(async () => {
    primary = await startPrimary();
    const url = primary.url('muster');
    await migrateDatabase(url);
    await seedDatabase(url, createDemoPlan(60, 5));
    replica = await startReplica(primary);
  }, 120_000);
  beforeEach(async () => {
    await caughtUp();
    [here, there] = [open(), open()];
  });
  afterEach(async () => {
    await resume();
    await Promise.all(opened.splice(0).map((database) => database.close()));
  });

  it('numbered pages are read there in sequence, by two instances, and no statement bypasses the replica', async () => {
    const [reader, writer] = [await newToken(), await newToken()];
    const idsAt = async (at: Instance, page: number): Promise<number[]> =>
      (
        await at.graphql(reader, `{ searchContactsByTree(first: 10, page: ${page}) { nodes { id: databaseId } } }`)
      ).data.searchContactsByTree.nodes.map(({ id }: Json) => id);
    const due = (
      await primary.sql('select id from contacts where group_id = 1 and deleted_at is null order by id')
    ).map(({ id }) => Number(id));
    const seen: number[] = [];
    for (let page = 0; page < 6; page++) {
      seen.push(...(await idsAt(page % 2 ? here : there, page)));
      const deleting = `mutation { deleteContact(input: { id: ${seen[page * 3]} }) { databaseId } }`;
      const deleted = await there.graphql(writer, deleting);
      expect(deleted.data.deleteContact.databaseId).toBe(seen[page * 3]);
      await caughtUp();
    }
    expect(seen).toEqual(due.slice(0, seen.length));
    expect([seen.length > 50, here.states, there.states]).toEqual([true, [], []]);
  });

  it('is read over sessions whose level of isolation is the strictest by default, which no replica offers', async () => {
    await primary.sql(
      `create role strict superuser login; alter role strict set default_transaction_isolation = 'serializable'`,
    );
    await caughtUp();
    const url = Object.assign(new URL(replica.url('muster')), { username: 'strict' }).href;
    const at = open({ url });
    await pause();
    const id = await createContact(at, await newToken(), 'Strict');
    expect([await canSee(at, await newToken(), id, 'Strict'), at.states]).toEqual([nothing, []]);
    expect((await runHere(url, ['doctor'])).out).toContain('The server is a replica, which takes no writes');
  });

  describe('that has not replayed a write', () => {
    it('the writer sees it at once in every instance, others as the replica has it; then all see it', async () => {
      const [writer, other] = [await newToken(), await newToken()];
      await pause();
      const id = await createContact(here, writer, 'Latecomer');
      for (const at of [here, there]) {
        expect(await canSee(at, writer, id, 'Latecomer')).toEqual(all);
        expect(await canSee(at, other, id, 'Latecomer')).toEqual(nothing);
      }
      await resume();
      for (const at of [here, there])
        await waitUntil('all can read it', async () => (await canSee(at, other, id, 'Latecomer')).every(Boolean));
    });

    it('the writer reads there again once it is replayed', async () => {
      const [writer, other] = [await newToken(), await newToken()];
      const mine = await createContact(here, writer, 'Mine');
      await caughtUp();
      await pause();
      const theirs = await createContact(there, other, 'Theirs');
      for (const at of [here, there]) {
        expect(await canSee(at, writer, mine, 'Mine')).toEqual(all);
        expect(await canSee(at, writer, theirs, 'Theirs')).toEqual(nothing);
        expect(await canSee(at, other, theirs, 'Theirs')).toEqual(all);
      }
    });

    it('writes over REST are visible as well, and changes and deletions', async () => {
      const [writer, other] = [await newToken(), await newToken()];
      const { body } = await here.send(writer, '/teams', { body: { data: { team: { name: 'First' } } } });
      const { id } = body.data.team;
      await caughtUp();
      await pause();
      const named = async (at: Instance, token: string): Promise<unknown> =>
        (await at.send(token, `/teams/${id}`)).body.data?.team.name;
      const { body: changed } = await here.send(writer, '/teams', {
        method: 'PATCH',
        body: { data: { team: { id, name: 'Second', users: [] } } },
      });
      expect(changed.status).toBe('success');
      for (const at of [here, there])
        expect([await named(at, writer), await named(at, other)]).toEqual(['Second', 'First']);
      expect((await here.send(writer, `/teams/${id}`, { method: 'DELETE' })).status).toBe(200);
      for (const at of [here, there])
        expect([await named(at, writer), await named(at, other)]).toEqual([undefined, 'First']);
    });

    it('who reads the change feed sees no record older than it, in that request and afterwards', async () => {
      const [writer, follower, other] = [await newToken(), await newToken(), await newToken()];
      const changed = await createContact(here, writer, 'Earlier');
      const start = (await here.graphql(follower, '{ changes(first: 0) { cursor } }')).data.changes.cursor;
      await caughtUp();
      await pause();
      const update = `mutation { updateContact(input: { id: ${changed}, lastName: "Afterwards" }) { contact { id } } }`;
      expect((await here.graphql(writer, update)).errors).toBe(undefined);
      await createContact(here, writer, 'Novel');
      const { data } = await there.graphql(
        follower,
        `query Follow { ...Feed } fragment Feed on Query { feed: changes(after: "${start}") { nodes { operation node { ... on Contact { lastName } } } } }`,
      );
      expect(data.feed.nodes).toEqual([
        { operation: 'UPDATED', node: { lastName: 'Afterwards' } },
        { operation: 'CREATED', node: { lastName: 'Novel' } },
      ]);
      // A copy begins with the end of the feed, and reads all records then.
      const read = `{ contact(id: ${changed}) { lastName } }`;
      for (const at of [here, there]) {
        expect((await at.graphql(follower, read)).data.contact.lastName).toBe('Afterwards');
        expect((await at.graphql(other, read)).data.contact.lastName).toBe('Earlier');
      }
    });

    it('a document that failed in part counts as a write, and so does one under a key', async () => {
      const token = await newToken();
      await pause();
      const { errors } = await here.graphql(
        token,
        'mutation { one: createContact(input: { lastName: "Partly" }) { contact { id } } two: deleteContact(input: { id: 9007199254740991 }) { databaseId } }',
      );
      expect(errors).toHaveLength(1);
      const [done] = await primary.sql(`select id from contacts where surname = 'Partly'`);
      expect(await canSee(there, token, Number(done!.id), 'Partly')).toEqual(all);
      const second = await newToken();
      const keyed = 'mutation { createContact(input: { lastName: "Keyed" }) { contact { databaseId } } }';
      const { data } = await here.graphql(second, keyed, { headers: { 'Idempotency-Key': 'k1' } });
      expect(await canSee(there, second, data.createContact.contact.databaseId, 'Keyed')).toEqual(all);
    });

    it('ten writers always see their own writes, while it falls behind and catches up', async () => {
      const instances = [here, there];
      let over = false;
      const flapping = (async () => {
        while (!over) {
          await pause();
          await sleep(40);
          await resume();
          await sleep(20);
        }
      })();
      const missed: unknown[] = [];
      await Promise.all(
        Array.from({ length: 10 }, async (_, writer) => {
          const token = await newToken();
          for (let round = 0; round < 10; round++) {
            const surname = `Round${writer}x${round}`;
            const id = await createContact(instances[(writer + round) % 2]!, token, surname);
            const seen = await canSee(instances[(writer + round + 1) % 2]!, token, id, surname);
            if (!seen.every(Boolean)) missed.push([surname, seen]);
          }
        }),
      );
      over = true;
      await flapping;
      expect(missed).toEqual([]);
      expect(here.states).toEqual([]);
    });
  });

  describe('that fails', () => {
    it('and is behind for too long, is bypassed until it has caught up', async () => {
      const at = open({ maxLag: 0.5 });
      const [writer, other] = [await newToken(), await newToken()];
      await pause();
      const id = await createContact(at, writer, 'Awaited');
      expect(await canSee(at, other, id, 'Awaited')).toEqual(nothing);
      await waitUntil('it is bypassed', async () => (await canSee(at, other, id, 'Awaited')).every(Boolean), 3000);
      expect(at.states).toEqual([['behind', undefined]]);
      await resume();
      await waitUntil('it is in use', async () => {
        await canSee(at, other, id, 'Awaited');
        return at.states.length === 2;
      });
      expect(at.states[1]).toEqual(['in use', undefined]);
    });

    it('and is killed during a request, is bypassed without an error, and used again when it is back', async () => {
      const token = await newToken();
      const id = await createContact(here, token, 'Enduring');
      await caughtUp();
      let over = false;
      const seen: boolean[][] = [];
      const asking = Array.from({ length: 6 }, async () => {
        while (!over) seen.push(await canSee(here, token, id, 'Enduring'));
      });
      const answered = (count: number) => waitUntil(`${count} have answers`, () => seen.length >= count, 15_000);
      await answered(10);
      await replica.stop('SIGQUIT');
      await answered(seen.length + 10);
      over = true;
      await Promise.all(asking);
      expect(seen.filter((one) => !one.every(Boolean))).toEqual([]);
      expect(here.states).toEqual([['failed', expect.anything()]]);

      await replica.start();
      await waitUntil('it is in use', () => here.states.length === 2, 15_000);
      await pause();
      const later = await createContact(there, await newToken(), 'Later');
      expect(await canSee(here, token, later, 'Later')).toEqual(nothing);
    });

    it('and freezes during a request, is bypassed, and used over new connections once it thaws', async () => {
      const proxy = await startProxy(replica.url('muster'));
      onTestFinished(() => proxy.close());
      const at = open({ url: proxy.url(replica.url('muster')) });
      const token = await newToken();
      const id = await createContact(here, token, 'Thawed');
      await caughtUp();
      const seesIt = () => canSee(at, token, id, 'Thawed');
      expect(await Promise.all([seesIt(), seesIt(), seesIt()])).toEqual([all, all, all]);
      const before = proxy.accepted;
      proxy.freeze({ all: true });
      expect(await Promise.all([seesIt(), seesIt(), seesIt()])).toEqual([all, all, all]);
      expect(at.states).toEqual([['failed', expect.anything()]]);
      proxy.thaw();
      await waitUntil('it is in use', () => at.states.length === 2, 15_000);
      expect(await seesIt()).toEqual(all);
      await waitUntil('the frozen connections are closed', () => proxy.open <= proxy.accepted - before);
    });

    it('and was away from the start, is not needed', async () => {
      const at = open({ url: 'postgres://muster@127.0.0.1:1/muster' });
      const token = await newToken();
      expect(await canSee(at, token, await createContact(at, token, 'Alone'), 'Alone')).toEqual(all);
      expect(at.states).toEqual([['failed', expect.stringContaining('ECONNREFUSED')]]);
    });

    it.each([
      ['the primary itself', () => primary.url('muster'), 'It is no replica, or no longer one'],
      ['another database', () => replica.url('postgres'), 'It is a replica of another database'],
    ])('since it is %s, is never read', async (_, url, reason) => {
      const at = open({ url: url() });
      const token = await newToken();
      expect(await canSee(at, token, await createContact(at, token, 'Mistaken'), 'Mistaken')).toEqual(all);
      expect(at.states).toEqual([['failed', reason]]);
    });
  });

  it('is no database to serve: the doctor says which one is, and blames no right', async () => {
    const { code, out } = await runHere(replica.url('muster'), ['doctor']);
    expect([code, out]).toEqual([1, expect.stringContaining('→ Let DATABASE_URL name the primary')]);
    expect(out).not.toContain('the right');
  });

  it('that is not promoted yet when its address is that of the database is an outage', async () => {
    const at = openInstance(replica.url('muster'), { url: replica.url('muster'), maxLag: 60 });
    opened.push(at.database);
    const token = await newToken();
    await caughtUp();
    const { status, body } = await at.send(token, '/contacts/1');
    expect({ status, ...body }).toMatchObject({ status: 503, detail: 'The database is not available' });
  });

  describe('that runs slow searches', () => {
    const search = (at: Instance, token: string, value: string, signal?: AbortSignal): Promise<Json> =>
      at.send(token, '/search', {
        body: {
          data: { advanced_search: { per_page: 5, query: buildSlowQuery(value) } },
        },
        ...(signal && { signal }),
      });
    const searching = `select from pg_stat_activity where application_name = 'muster' and state = 'active' and query like '%contact_search%' and pid <> pg_backend_pid()`;
    const atWork = async (server: Server): Promise<number> => (await server.sql(searching)).length;

    beforeAll(async () => {
      await primary.sql(slowness);
    });

    it('a client that disconnects cancels the search', async () => {
      const token = await newToken();
      await here.graphql(token, '{ contacts(first: 1) { nodes { id } } }');
      const leaving = new AbortController();
      const answer = search(here, token, 'slow', leaving.signal).catch(() => undefined);
      await waitUntil('it is at work', async () => (await atWork(replica)) === 1);
      expect(await atWork(primary)).toBe(0);
      leaving.abort();
      await waitUntil('no search is running', async () => (await atWork(replica)) === 0, 3000);
      await answer;
      expect(await atWork(primary)).toBe(0);
      expect(here.states).toEqual([]);
    });

    it('one that blocks replay is repeated on the primary', async () => {
      // By default replay would wait for them, for longer than any search may take.
      await replica.sql('alter system set max_standby_streaming_delay = 0');
      await replica.sql('select pg_reload_conf()');
      const token = await newToken();
      const answer = search(here, token, 'slow2');
      await waitUntil('it is at work', async () => (await atWork(replica)) === 1);
      // Rows that the search may still see are removed for good.
      await primary.sql('delete from contact_search where contact_id = (select max(contact_id) from contact_search)');
      await primary.sql('vacuum contact_search');
      expect((await answer).status).toBe(200);
      expect(here.states[0]).toEqual(['failed', '40001']);
    });

    it('one that takes too long is not repeated', async () => {
      const token = await newToken();
      // The searches of earlier tests have ended.
      await waitUntil('the primary is idle', async () => (await atWork(primary)) === 0);
      let status: number | undefined;
      void search(here, token, 'slow').then((answer) => (status = answer.status));
      await waitUntil('it is answered', async () => {
        expect(await atWork(primary)).toBe(0);
        return status !== undefined;
      });
      expect(status).toBe(503);
      expect(here.states).toEqual([]);
    });
  });
});
