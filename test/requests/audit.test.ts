// The audit log has one line for each record that an operation wrote, over both doors, and nobody changes a line.
import { beforeAll, describe, expect, it } from 'vitest';
import { beginAuditedImport, finishAuditedImport } from '../../src/data/import/contacts.ts';
import { routes } from '../../src/rest/routes/index.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import { fields, type Ids, makeDocument, prepareIds, requests, rootFields } from './index.ts';

interface Line {
  id: number;
  user_id: number;
  token_id: number;
  operation: string;
  request_id: string;
  type: string;
  record_id: number | null;
  fields: string[];
  counts: Record<string, number> | null;
}

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
});

const mutations = rootFields.filter(({ operation }) => operation === 'mutation');
let requestIds = 0;

/** The lines that `work` adds. */
const addedLines = async (work: (headers: Record<string, string>) => Promise<unknown>): Promise<Line[]> => {
  // Not by the greatest id: on a cluster each node counts from a start of its own.
  const before = await door.sql('select id from audit_log where group_id = 1');
  await work({ 'X-Request-Id': `request-${++requestIds}` });
  return door.sql('select * from audit_log where group_id = 1 and id <> all(?) order by id', [
    before.map(({ id }) => id),
  ]);
};

/** The lines of mutations whose payload does not show what they wrote. */
const special: Record<string, (args: Json, data: Json) => string[]> = {
  createApp: (_, data) => [data.app.globalId],
  mergeContacts: ({ input }) => [input.survivorId, ...input.ids].map((id) => `Contact:${id}`),
  keepContactsApart: ({ input }) => input.contactIds.map((id: number) => `Contact:${id}`),
  releaseContacts: ({ input }) => input.contactIds.map((id: number) => `Contact:${id}`),
  eraseSuppression: () => ['Suppression:null'],
  recordEmails: () => ['Email:null'],
  recordEmailEvents: () => ['Email:null'],
  undoImport: ({ input }) => [`Import:${input.id}`],
  importContacts: (_, data) => [data.import.globalId],
  changeContacts: (_, data) => [`Import:${data.job.id}`],
  cancelContactChange: ({ input }) => [`Import:${input.id}`],
  undoContactChange: ({ input }) => [`Import:${input.id}`],
};

/** The ids of the records in a payload. */
const writtenIds = (payload: Json): string[] => {
  if (payload.deletedId) return [payload.deletedId];
  const records = Object.values(payload).flat() as Json[];
  return records.flatMap((one) => {
    const record = one?.globalId || one?.__typename === 'Contact' ? one : one?.contact;
    return record?.__typename === 'Contact' && !record.globalId ? [`Contact:${record.id}`] : (record?.globalId ?? []);
  });
};

const pathsOf = (value: Json): string[] =>
  Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? pathsOf(inner).map((path) => `${name}.${path}`)
      : [name],
  );

/** A request without what is new each time: notes, and options of a form without an id. */
const withoutNews = (args: Json): Json => {
  const { notes: _, options: __, ...input } = args.input;
  if (!input.contacts) return { input };
  return { input: { ...input, contacts: input.contacts.map(({ notes: ___, ...one }: Json) => one) } };
};

const sendMutation = async (name: string, args: Json): Promise<void> => {
  const root = mutations.find(({ field }) => field.name === name)!;
  expect((await door.graphql(makeDocument(root, args), args)).body.errors).toBeUndefined();
};

/** Undoes what other requests of the file have written, so that the next one changes something. */
const unsettle = async (ids: Ids, operation: string): Promise<void> => {
  const { actions, contacts } = ids;
  await door.sql('delete from contact_actions where group_id = 1 and action_id = ?', [actions]);
  if (operation === 'unlinkAction')
    await door.sql('insert into contact_actions (group_id, contact_id, action_id) values (1, ?, ?)', [
      contacts,
      actions,
    ]);
  await door.sql('delete from kept_apart');
  if (operation === 'releaseContacts') await sendMutation('keepContactsApart', fields.releaseContacts!(ids));
  if (operation === 'untagContacts') await sendMutation('tagContacts', fields.untagContacts!(ids));
  await door.sql(`update contacts set surname = surname || '.' where group_id = 1 and id = ?`, [contacts]);
  await door.sql(`update teams set description = description || '.'`);
  await door.sql(`update users set mail = 'mail-' || id || '@example.org' where mail = 'changed@example.org'`);
  await door.sql(`update donation_prices set name = name || '.', hidden = not hidden, amount = amount + 1`);
};

describe('every mutation', () => {
  it.each(
    drawSample(mutations, { small: 4 }).map((root) => [root.field.name, root] as const),
  )('%s has its lines', async (name, root) => {
    const ids = await prepareIds(door, 1);
    await unsettle(ids, name);
    const args = fields[name]!(ids);
    let data: Json;
    const lines = await addedLines(async (headers) => {
      const { body } = await door.graphql(makeDocument(root, args), args, undefined, headers);
      expect(body.errors).toBeUndefined();
      data = body.data[name];
    });
    const expected = special[name]?.(args, data) ?? writtenIds(data);
    expect(expected.length).toBeGreaterThan(0);
    expect(lines.map(({ type, record_id }) => `${type}:${record_id}`)).toEqual(expected);
    const [{ id: tokenId }] = await door.sql('select min(id) as id from tokens where group_id = 1 and user_id = 1');
    const sent = pathsOf(args.input).filter((path) => path !== 'id');
    for (const line of lines) {
      expect(line).toMatchObject({
        operation: name,
        user_id: 1,
        token_id: tokenId,
        request_id: `request-${requestIds}`,
      });
      for (const path of sent)
        expect(line.fields.some((field) => field === path || field.startsWith(`${path}.`))).toBe(true);
      expect(line.fields).not.toContain('id');
    }
  });

  const repeated = mutations.filter(({ field }) =>
    /^(update|replace|link|unlink|tag|untag|upsert|changeMemberRole)/.test(field.name),
  );
  it.each(
    drawSample(repeated, { small: 4 }).map((root) => [root.field.name, root] as const),
  )('%s has no line where it changes nothing', async (name, root) => {
    const args = withoutNews(fields[name]!(await prepareIds(door, 1)));
    const send = (headers?: Record<string, string>) => door.graphql(makeDocument(root, args), args, undefined, headers);
    expect((await send()).body.errors).toBeUndefined();
    const lines = await addedLines(async (headers) => expect((await send(headers)).body.errors).toBeUndefined());
    expect(lines).toEqual([]);
  });

  it('has no line for a user who selects the space that they are in', async () => {
    const [{ mail }] = await door.sql('select mail from users where id = 1');
    const data = { mail, selected_group_id: 1 };
    const lines = await addedLines(async (headers) =>
      expect((await door.rest('PATCH', '/users/1', { data, UpdateToken: true }, undefined, headers)).status).toBe(200),
    );
    expect(lines).toEqual([]);
  });
});

describe('every route that writes', () => {
  const writing = routes.filter(
    ({ method, operation }) => method !== 'GET' && !/^(Search|Export|Kpi|Count)/i.test(operation),
  );
  it.each(
    drawSample(writing, { small: 4 }).map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s has its line', async (_, route) => {
    const ids = await prepareIds(door, 1);
    await unsettle(ids, route.operation);
    const { path, body } = requests[route.operation]!(ids);
    const url = route.path.replace(/\{(\w+)#?\}/g, (_match, name) => String(path[name]));
    const lines = await addedLines(async (headers) => {
      expect((await door.rest(route.method, url, body, undefined, headers)).status).toBeLessThan(300);
    });
    expect(lines).toHaveLength(1);
    expect(mutations.map(({ field }) => field.name)).toContain(lines[0]!.operation);
    expect(lines[0]).toMatchObject({ user_id: 1, request_id: `request-${requestIds}` });
  });
});

describe('a write that is refused', () => {
  const create = 'mutation ($input: NoteCreateInput!) { createNote(input: $input) { note { databaseId } } }';

  it('has no line, whether its role or its record is at fault', async () => {
    const [{ user_id: plain }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
        where m.group_id = 1 and r.type = 'user' limit 1`,
    );
    const token = await door.token(1, plain);
    const lines = await addedLines(async (headers) => {
      const tag = 'mutation { createTag(input: { name: "refused" }) { tag { name } } }';
      expect((await door.graphql(tag, {}, token, headers)).body.errors[0].extensions.code).toBe('forbidden');
      const note = { input: { contactId: 987_654_321, content: 'x' } };
      expect((await door.graphql(create, note, undefined, headers)).body.errors[0].extensions.code).toBe('not-found');
      const taken =
        'mutation { a: createTag(input: { name: "twice" }) { tag { name } } b: createTag(input: { name: "twice" }) { tag { name } } }';
      expect((await door.graphql(taken, {}, undefined, headers)).body.data.b).toBeNull();
    });
    expect(lines.map(({ operation, type }) => [operation, type])).toEqual([['createTag', 'Tag']]);
  });

  it('has no line when its transaction is rolled back, and one line when it is repeated under its key', async () => {
    const { contacts } = await prepareIds(door, 1);
    const note = { input: { contactId: contacts, content: 'under a key' } };
    const lines = await addedLines(async (headers) => {
      const keyed = { ...headers, 'Idempotency-Key': 'audited' };
      const send = () => door.graphql(create, note, undefined, keyed);
      const [first, again] = [await send(), await send()];
      expect(first.body.data.createNote.note).toEqual({ databaseId: expect.any(Number) });
      expect([again.text, again.headers.get('Idempotency-Replayed')]).toEqual([first.text, 'true']);
      const failing =
        'mutation { createTag(input: { name: "audited" }) { tag { name } } deleteNote(input: { id: 987654321 }) { deletedId } }';
      await door.graphql(failing, {}, undefined, { ...headers, 'Idempotency-Key': 'half' });
    });
    expect(lines.map(({ operation }) => operation)).toEqual(['createNote', 'createTag']);
  });
});

it('names the writer of each of many notes that one statement writes', async () => {
  const users = await door.sql('select user_id as id from members where group_id = 1 order by user_id limit 4');
  const tokens = await Promise.all(users.map(({ id }) => door.token(1, id)));
  const contacts = await door.sql('select id from contacts where group_id = 1 and deleted_at is null limit 3');
  const create = 'mutation ($input: NoteCreateInput!) { createNote(input: $input) { note { databaseId } } }';
  const lines = await addedLines((headers) =>
    Promise.all(
      [...Array(40).keys()].map((nth) =>
        door.graphql(
          create,
          { input: { contactId: contacts[nth % 3].id, content: `by ${users[nth % 4].id}`, pinned: nth % 10 === 0 } },
          tokens[nth % 4],
          headers,
        ),
      ),
    ),
  );
  expect(lines).toHaveLength(40);
  const notes = new Map<number, Json>(
    (
      await door.sql('select id, user_id, content from notes where group_id = 1 and id = any(?)', [
        lines.map(({ record_id }) => record_id),
      ])
    ).map((note) => [note.id, note]),
  );
  for (const { record_id, user_id } of lines)
    expect(notes.get(record_id!)).toMatchObject({ user_id, content: `by ${user_id}` });
  const tokenUsers = await door.sql(
    'select count(*) as wrong from audit_log a join tokens t on t.id = a.token_id where a.user_id <> t.user_id',
  );
  expect(tokenUsers).toEqual([{ wrong: 0 }]);
});

it('has a line for a file when its import begins, and one with the counts when it ends', async () => {
  const space = door.database.space(1);
  const source = { name: 'a file', fingerprint: Buffer.from('a file'), by: 1 };
  const lines = await addedLines(async () => {
    const { id } = await beginAuditedImport(space, source, false);
    await beginAuditedImport(space, source, true);
    await finishAuditedImport(space, id, 1);
    // There is nothing to do, and so nothing to tell.
    await beginAuditedImport(space, source, true);
  });
  const counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };
  expect(lines.map((line) => line.counts)).toEqual([null, null, counts]);
  for (const line of lines)
    expect(line).toMatchObject({ operation: 'importFile', type: 'Import', user_id: 1, token_id: null });
});

describe('the lines', () => {
  it.each([
    `update audit_log set operation = 'x'`,
    'delete from audit_log',
    'delete from audit_log where id < 0',
    'truncate audit_log',
  ])('are final: %s is refused', async (sql) => {
    await expect(door.sql(sql)).rejects.toThrow('the lines of audit_log are final');
  });

  it('are deleted by the job alone, the oldest first', async () => {
    await door.sql(
      `insert into audit_log (group_id, operation, type, created_at) select 1, 'old', 'Note', now() - make_interval(days => 1000 + n) from generate_series(1, 5) n`,
    );
    const removed = `select delete_old_audit_lines(1, now() - interval '900 days', 3) as count from (select count(*) from rate_buckets where group_id = 1) one`;
    expect(await door.sql(removed)).toEqual([{ count: 3 }]);
    expect(
      await door.sql(
        `select extract(day from now() - created_at) as age from audit_log where operation = 'old' order by 1`,
      ),
    ).toMatchObject([{}, {}]);
    expect(await door.sql(removed)).toEqual([{ count: 2 }]);
    await expect(door.sql('delete from audit_log')).rejects.toThrow('final');
  });

  it('are shown to admins of the space alone, the newest first, by filter', async () => {
    await door.graphql('mutation { createTag(input: { name: "shown" }) { tag { name } } }', {}, undefined, {
      'X-Request-Id': 'shown-1',
    });
    const query = `query ($filter: AuditLineFilter) {
      auditLog(first: 2, filter: $filter, orderBy: { field: CREATED_AT, direction: DESC }) {
        totalCount nodes { operation userId recordId requestId fields }
      } }`;
    const filter = { operation: { equals: 'createTag' }, requestId: { equals: 'shown-1' } };
    const { body } = await door.graphql(query, { filter });
    expect(body.data.auditLog).toMatchObject({
      totalCount: 1,
      nodes: [
        {
          operation: 'createTag',
          userId: 'User:1',
          recordId: expect.stringMatching(/^Tag:\d+$/),
          requestId: 'shown-1',
          fields: ['name'],
        },
      ],
    });
    const [{ id: stranger }] = await door.sql(
      `select m.user_id as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
        where m.group_id = 2 and r.type in ('admin', 'superadmin') limit 1`,
    );
    const other = await door.graphql(query, {}, await door.token(2, stranger));
    expect(other.body.data.auditLog).toEqual({ totalCount: 0, nodes: [] });
    const [{ user_id: manager }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
        where m.group_id = 1 and r.type = 'manager' limit 1`,
    );
    const refused = await door.graphql(query, {}, await door.token(1, manager));
    expect(refused.body.errors[0].extensions.code).toBe('forbidden');
  });
});

it('answers the request id that was sent, and one of its own in place of a malformed one', async () => {
  const send = async (id?: string) =>
    (
      await door.graphql('{ viewer { role { name } } }', {}, undefined, id === undefined ? {} : { 'X-Request-Id': id })
    ).headers.get('x-request-id');
  expect(await send('trace-1/a.b:c')).toBe('trace-1/a.b:c');
  for (const bad of [undefined, '', 'a b', '<script>', 'ada@example.org', 'x'.repeat(129)])
    expect(await send(bad)).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
});
