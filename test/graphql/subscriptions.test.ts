// Subscriptions over server-sent events: what a client of graphql-sse gets from a real server, and when a stream ends.
import { createClient } from 'graphql-sse';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { Credentials } from '../../src/gate/credentials.ts';
import { createGate } from '../../src/gate/gate.ts';
import { Subscriptions } from '../../src/graphql/subscriptions.ts';
import { limits } from '../../src/limits/limits.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createMember } from '../harness/member.ts';
import { waitUntil } from '../harness/waiting.ts';

let door: Door;
let token: string;
let user: string;
let server: RunningServer;

beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
  const [{ user_id: id }] = await door.sql(
    `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'user' limit 1`,
  );
  user = await door.token(1, id);
  const config = readConfig({ PORT: '0', BUCKET_CAPACITY: '100000', BUCKET_REFILL: '100000', DRAIN_SECONDS: '5' });
  server = await startServer(config, door.databaseUrl, openLog('silent').log);
});

const run = async (query: string): Promise<Json> => {
  const { body } = await door.graphql(query);
  expect(body.errors).toBeUndefined();
  return body.data;
};

/** Subscribes by a client of graphql-sse. */
const subscribe = (
  server: RunningServer,
  query: string,
  { as = token, variables = {} }: { as?: string; variables?: Json } = {},
) => {
  const client = createClient({
    url: `${server.url}/graphql`,
    headers: { Authorization: `Bearer ${as}` },
    retryAttempts: 0,
  });
  const state = { events: [] as Json[], isOver: false, error: undefined as unknown };
  const dispose = client.subscribe<Json>(
    { query, variables },
    {
      next: (result) => void state.events.push(result),
      error: (error) => Object.assign(state, { isOver: true, error }),
      complete: () => void Object.assign(state, { isOver: true }),
    },
  );
  return Object.assign(state, { dispose });
};

/** The raw stream, which shows what clients hide: ids and comments. */
const open = async (server: RunningServer, query: string, headers: Record<string, string> = {}) => {
  const aborting = new AbortController();
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ query }),
    signal: aborting.signal,
  });
  const state = { response, text: '', isOver: false, abort: () => aborting.abort() };
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) state.text += decoder.decode(chunk as Uint8Array, { stream: true });
    state.isOver = true;
  };
  read().catch(() => {});
  return state;
};
const idsOf = (text: string): string[] => [...text.matchAll(/^event: next\nid: (.+)$/gm)].map(([, id]) => id!);

const createAction = async (name: string): Promise<string> =>
  (await run(`mutation { createAction(input: { name: "${name}" }) { action { id } } }`)).createAction.action.id;

describe('a subscription', () => {
  it('follows who enters a watched segment, which the jobs of the server evaluate', async () => {
    const query = '{ lastName: { equals: "Followed" } }';
    const { createSegment } = await run(
      `mutation { createSegment(input: { name: "Followed", query: ${query}, isWatched: true }) { segment { id } } }`,
    );
    const { id } = createSegment.segment;
    await waitUntil(
      'it was evaluated',
      async () => (await run(`{ segment(id: "${id}") { evaluatedAt } }`)).segment.evaluatedAt,
    );
    const followed = subscribe(
      server,
      'subscription ($ids: [ID!]) { segmentChanged(ids: $ids) { recordId operation contactId } }',
      { variables: { ids: [id] } },
    );
    await waitUntil('it has begun', async () => {
      await run('mutation { createContact(input: { lastName: "Followed" }) { contact { id } } }');
      return followed.events.length > 0;
    });
    const [{ data }] = followed.events as [Json];
    expect(data.segmentChanged).toMatchObject({ recordId: id, operation: 'ENTERED', contactId: expect.any(String) });
    followed.dispose();
  });

  it('follows contacts and an import, and is refused like a query', async () => {
    const [one, other] = (await run('{ contacts(first: 2) { nodes { id } } }')).contacts.nodes.map(
      ({ id }: Json) => id,
    );
    const contact = subscribe(server, 'subscription ($ids: [ID!]) { contactChanged(ids: $ids) { recordId fields } }', {
      variables: { ids: [one] },
    });
    await waitUntil('it has begun', async () => {
      await door.sql(`update contacts set firstname = firstname || '!' where group_id = 1 and id = ?`, [
        Number(one.split(':')[1]),
      ]);
      return contact.events.length > 0;
    });
    await run(`mutation { updateContact(input: { id: "${other}", email: "x@example.org" }) { contact { id } } }`);
    await run(`mutation { updateContact(input: { id: "${one}", email: "y@example.org" }) { contact { id } } }`);
    await waitUntil('it came', () => contact.events.some(({ data }) => data.contactChanged.fields.includes('email')));
    expect(new Set(contact.events.map(({ data }) => data.contactChanged.recordId))).toEqual(new Set([one]));
    contact.dispose();

    const [{ id: importId }] = await door.sql(
      `insert into imports (group_id, user_id, name, fingerprint) values (1, 1, 'file', '') returning id`,
    );
    const progress = subscribe(server, `subscription { importProgressed(id: ${importId}) { created finishedAt } }`);
    await waitUntil('it shows the present state', () => progress.events.length === 1);
    for (const row of [1, 1001]) {
      await door.sql(
        `insert into import_batches (group_id, import_id, first_row, created, updated, refused) values (1, ?, ?, 1000, 0, 0)`,
        [importId, row],
      );
      await waitUntil(
        'a batch is shown',
        () => progress.events.at(-1).data.importProgressed.created === (row === 1 ? 1000 : 2000),
      );
    }
    await door.sql('update imports set finished_at = now() where group_id = 1 and id = ?', [importId]);
    await waitUntil('it is completed', () => progress.isOver);
    const { finishedAt } = progress.events.at(-1).data.importProgressed;
    const stored = await door.sql('select finished_at = ? as is_shown from imports where group_id = 1 and id = ?', [
      finishedAt,
      importId,
    ]);
    expect(stored).toEqual([{ is_shown: true }]);

    const ask = async (query: string, as = token, accept = 'text/event-stream'): Promise<Json> => {
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json', Accept: accept },
        body: JSON.stringify({ query }),
      });
      const text = await response.text();
      const { errors } = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
      return { status: response.status, code: errors[0].extensions.code };
    };
    const codes = await Promise.all([
      ask('subscription { changes { type } }', 'bad'),
      ask(`subscription { importProgressed(id: ${importId}) { id } }`, user),
      ask('subscription { importProgressed(id: 987654321) { id } }'),
      ask('subscription { changes(after: "nonsense") { type } }'),
      ask('subscription { changes { nothing } }'),
      ask('subscription { contactChanged(ids: ["Note:1"]) { type } }'),
      ask('subscription { changes { type } }', token, 'application/json'),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([
      'unauthenticated',
      'forbidden',
      'not-found',
      'invalid-request',
      'invalid-document',
      'invalid-request',
      'not-acceptable',
    ]);
  });

  it('follows a change of many contacts until it is over, with the right to contacts alone and within the space', async () => {
    const [{ id }] = await door.sql(
      `with made as (insert into imports (group_id, family, name, fingerprint) values (1, 'contact_changes', 'change', '') returning id)
       insert into bulk_changes (group_id, import_id, change, total) select 1, id, '{}', 1000 from made returning import_id as id`,
    );
    const document = `subscription { contactChangeProgressed(id: ${id}) { state changed total } }`;
    const as = await createMember(door, { type: 'custom', permissions: ['contacts.read'] });
    const progress = subscribe(server, document, { as });
    const said = (): Json[] => progress.events.map(({ data }) => data.contactChangeProgressed);
    await waitUntil('it shows the present state', () => progress.events.length === 1);
    await door.sql(
      'insert into import_batches (group_id, import_id, first_row, created, updated, refused) values (1, ?, 1, 0, 500, 0)',
      [id],
    );
    await waitUntil('a batch is shown', () => progress.events.length === 2);
    await door.sql('update imports set finished_at = now() where group_id = 1 and id = ?', [id]);
    await waitUntil('it is completed', () => progress.isOver);
    expect(said()).toEqual([
      { state: 'RUNNING', changed: 0, total: 1000 },
      { state: 'RUNNING', changed: 500, total: 1000 },
      { state: 'DONE', changed: 500, total: 1000 },
    ]);
    for (const [caller, code] of [
      [await createMember(door, { type: 'custom', permissions: ['changes.read'] }), 'forbidden'],
      [await createMember(door, { type: 'superadmin', space: 2 }), 'not-found'],
    ] as const) {
      const refused = await open(server, document, { Authorization: `Bearer ${caller}` });
      await waitUntil('it is over', () => refused.isOver);
      expect(refused.text).toContain(`"code":"${code}"`);
    }
  });

  it('sends changes with their records, to those who may see them, and goes on where a lost connection ended', async () => {
    const all = subscribe(
      server,
      'subscription { changes { type operation recordId fields node { id ... on Contact { firstName } } } }',
    );
    const limited = subscribe(server, 'subscription { changes(filter: { types: [CAMPAIGN, CONTACT] }) { type } }', {
      as: user,
    });
    const raw = await open(server, 'subscription { changes(filter: { types: [ACTION] }) { recordId } }');
    expect(raw.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await waitUntil('all streams are open', () => raw.text.startsWith(':'));
    // The first event shows that each has begun.
    await waitUntil('they have begun', async () => {
      await createAction(`begun ${Math.random()}`);
      await door.sql(
        `update contacts set firstname = firstname || '.' where group_id = 1 and id = (select min(id) from contacts where group_id = 1 and deleted_at is null)`,
      );
      return all.events.length > 0 && limited.events.length > 0 && idsOf(raw.text).length > 0;
    });
    const { createContact } = await run(
      'mutation { createContact(input: { firstName: "Streamed" }) { contact { id } } }',
    );
    const id = createContact.contact.id;
    await run(`mutation { updateContact(input: { id: "${id}", firstName: "Again" }) { contact { id } } }`);
    await run(`mutation { deleteContact(input: { id: "${id}" }) { deletedId } }`);
    await run('mutation { createCampaign(input: { name: "For managers" }) { campaign { id } } }');
    await waitUntil('all three came', () => all.events.filter(({ data }) => data.changes.recordId === id).length === 3);
    const events = all.events.map(({ data }) => data.changes).filter(({ recordId }: Json) => recordId === id);
    expect(events.map(({ operation }: Json) => operation)).toEqual(['CREATED', 'UPDATED', 'DELETED']);
    expect(events[2].node).toBeNull();
    await waitUntil('the campaign came', () => all.events.some(({ data }) => data.changes.type === 'CAMPAIGN'));
    expect(limited.events.some(({ data }) => data.changes.type === 'CAMPAIGN')).toBe(false);
    // The connection is lost. Another one begins after the last event.
    const last = idsOf(raw.text).at(-1)!;
    raw.abort();
    const missed = [await createAction('missed one'), await createAction('missed two')];
    const again = await open(server, 'subscription { changes(filter: { types: [ACTION] }) { recordId } }', {
      'Last-Event-ID': last,
    });
    const [next] = [await createAction('later')];
    await waitUntil('all came', () => idsOf(again.text).length === 3);
    expect([...again.text.matchAll(/"recordId":"(\w+:\d+)"/g)].map(([, one]) => one)).toEqual([...missed, next]);
    // A stop completes the streams, so that clients connect to another process.
    const stopped = server.stop();
    await waitUntil('they are completed', () => all.isOver && limited.isOver && again.isOver);
    expect([all.error, limited.error]).toEqual([undefined, undefined]);
    expect(again.text.endsWith('event: complete\ndata: \n\n')).toBe(true);
    await stopped;
  });

  it('ends when its token is revoked or its rights change, and is bounded in number', async () => {
    const gate = createGate(door.database, { capacity: 1000, refill: 1000 });
    const closing = new AbortController();
    const subscriptions = new Subscriptions(gate, closing.signal, 20);
    const enter = async (bearer: string) => {
      const credentials = new Credentials(new Headers({ Authorization: `Bearer ${bearer}` }));
      return { credentials, caller: (await gate.admit(credentials, 0)).caller };
    };
    const { createToken } = await run(
      'mutation { createToken(input: { label: "x", scope: READ }) { token accessToken { id } } }',
    );
    const [revoked, changed] = [await enter(createToken.token), await enter(user)];
    const [one, two] = [
      subscriptions.open(revoked.caller, revoked.credentials),
      subscriptions.open(changed.caller, changed.credentials),
    ];
    await run(`mutation { revokeToken(input: { id: "${createToken.accessToken.id}" }) { accessToken { id } } }`);
    await waitUntil('the first has ended', () => one.signal.aborted);
    expect([one.reason!.code, two.signal.aborted]).toEqual(['unauthenticated', false]);
    const [{ id: role }] = await door.sql(`select id from roles where group_id = 1 and type = 'manager' limit 1`);
    await door.sql('update members set role_id = ? where group_id = 1 and user_id = ?', [role, changed.caller.userId]);
    await waitUntil('the second has ended', () => two.signal.aborted);
    expect(two.reason!.code).toBe('forbidden');
    const mine = await enter(token);
    const many = Array.from({ length: limits.subscription.perToken }, () =>
      subscriptions.open(mine.caller, mine.credentials),
    );
    expect(() => subscriptions.open(mine.caller, mine.credentials)).toThrow('The token has');
    many[0]!.close();
    expect(() => subscriptions.open(mine.caller, mine.credentials)).not.toThrow();
    closing.abort();
    expect(many.every(({ signal }) => signal.aborted)).toBe(true);
    expect(() => subscriptions.open(mine.caller, mine.credentials)).toThrow('about to stop');
  });
});
