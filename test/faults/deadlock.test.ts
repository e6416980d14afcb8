// A write and another session that wait for each other: PostgreSQL ends the write, which is done again, or answered as one to send again.
import pg from 'pg';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Answer, type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

/**
 * Does `write`, which changes contacts and then their tags, while another session has locked the tags and then wants the contacts, as older versions of
 * Muster did when they applied triggers. PostgreSQL ends the write.
 */
const meet = async (
  write: () => Promise<Answer>,
  times = 1,
  [first, second] = ['contact_tags', 'contacts'],
): Promise<Answer> => {
  const other = new pg.Client(door.databaseUrl);
  await other.connect();
  onTestFinished(() => other.end());
  // PostgreSQL looks for a deadlock one second after a session began to wait, and not again. The other begins later, so the write looks first.
  const waitAndLock = `do $$ begin
    while not exists (select from pg_locks where relation = '${first}'::regclass and not granted) loop perform pg_sleep(0.01); end loop;
    perform pg_sleep(0.5);
    lock table ${second} in share row exclusive mode;
  end $$`;
  await other.query('begin');
  await other.query(`lock table ${first} in share row exclusive mode`);
  const answer = write();
  for (let time = 1; time <= times; time++) {
    await other.query('savepoint met');
    await other.query(waitAndLock);
    // Only then may the repeated write go on as far as it did before.
    if (time < times) await other.query('rollback to met');
  }
  await other.query('commit');
  return answer;
};

const contact = (surname: string) => ({ data: { contact: { surname, tags: [{ name: 'Met' }] } } });
const count = async (surname: string): Promise<number> =>
  Number((await door.sql('select count(*) from contacts where surname = ?', [surname]))[0].count);
const auditLines = async (): Promise<number> => Number((await door.sql('select count(*) from audit_log'))[0].count);

it('is done again, once', async () => {
  const before = await auditLines();
  const { status, body } = await meet(() => door.rest('POST', '/contacts', contact('Once')));
  expect([status, body.data.contact.tags.map(({ name }: { name: string }) => name)]).toEqual([200, ['Met']]);
  expect([await count('Once'), (await auditLines()) - before]).toEqual([1, 1]);
});

it.each([false, true])('is done again when it is a note, pinned: %s', async (pinned) => {
  const { body } = await door.rest('POST', '/contacts', { data: { contact: { surname: 'Noted' } } });
  const { id } = body.data.contact;
  // A note touches its contact after the note.
  const write = () => door.rest('POST', `/v1/contacts/${id}/notes`, { content: 'met', pinned });
  const { status } = await meet(write, 1, ['contacts', 'notes']);
  const notes = await door.sql('select content from notes where contact_id = ?', [id]);
  expect([status, notes]).toEqual([201, [{ content: 'met' }]]);
});

it('compares again what it compared', async () => {
  const { headers, body } = await door.rest('POST', '/contacts', { data: { contact: { surname: 'Compared' } } });
  const { id } = body.data.contact;
  const etag = headers.get('etag') ?? (await door.rest('GET', `/contacts/${id}`)).headers.get('etag')!;
  const change = () =>
    door.rest('PATCH', `/contacts/${id}`, { data: { contact: { id, tags: [{ name: 'Met' }] } } }, undefined, {
      'If-Match': etag,
    });
  expect((await meet(change)).status).toBe(200);
  expect((await change()).status).toBe(412);
});

it('is answered with 503 under a key, whose repetition does it', async () => {
  const write = () => door.rest('POST', '/contacts', contact('Keyed'), undefined, { 'Idempotency-Key': 'met' });
  const { status, headers, body } = await meet(write);
  expect([status, headers.get('retry-after'), body.type]).toEqual([503, '1', 'urn:muster:problem:timeout']);
  expect((await write()).status).toBe(200);
  expect(await count('Keyed')).toBe(1);
});

it('is answered so under a key of several mutations, of which none is kept', async () => {
  const mutations =
    'a: createContact(input: { lastName: "Both" }) { __typename } b: createContact(input: $b) { __typename }';
  const b = { lastName: 'Both', tags: [{ name: 'Met' }] };
  const write = () =>
    door.graphql(`mutation ($b: ContactCreateInput!) { ${mutations} }`, { b }, undefined, { 'Idempotency-Key': 'two' });
  const { status, headers, body } = await meet(write);
  expect([status, headers.get('retry-after'), body.errors[0].extensions.code]).toEqual([503, '1', 'timeout']);
  expect(await count('Both')).toBe(0);
  expect((await write()).body.errors).toBeUndefined();
  expect(await count('Both')).toBe(2);
});

it('is answered with 503 when it meets the other again and again', async () => {
  const { status, headers } = await meet(() => door.rest('POST', '/contacts', contact('Unlucky')), 3);
  expect([status, headers.get('retry-after'), await count('Unlucky')]).toEqual([503, '1', 0]);
});
