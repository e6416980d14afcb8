// Stored answers are erased with a person, by hand or by retention: their keys are known to be used, and no write is done again.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { runRetention } from '../../src/data/upkeep/retention.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const createPerson = async (lastName: string): Promise<number> => {
  const query = 'mutation ($input: ContactCreateInput!) { createContact(input: $input) { contact { databaseId } } }';
  return (await door.graphql(query, { input: { lastName } })).body.data.createContact.contact.databaseId;
};
const erase = (id: number): Promise<unknown> =>
  door.graphql('mutation ($id: ID!) { erasePerson(input: { contactId: $id }) { deletedId } }', { id });

describe('an erasure leaves the keys of writes that were done before', () => {
  const title = 'Zzcanarytitle';
  const overRest = (key: string, name = title) =>
    door.rest('POST', '/teams', { data: { team: { name } } }, undefined, { 'Idempotency-Key': key });
  const overGraph = (key: string, name = title) =>
    door.graphql(
      'mutation ($name: String!) { createTeam(input: { name: $name }) { team { id } } }',
      { name },
      undefined,
      { 'Idempotency-Key': key },
    );
  const countTeams = async (): Promise<number> =>
    (await door.sql('select count(*) as count from teams where name = ?', [title]))[0].count;
  const readCode = ({ body }: Json): string => body.errors?.[0].extensions?.code ?? body.type.split(':').at(-1);
  /** Days after its deletion, a contact is deleted by itself. */
  const retain = async (id: number): Promise<unknown> => {
    await door.sql(`update contacts set deleted_at = now() - interval '40 days' where id = ?`, [id]);
    return runRetention(door.database, { deleted: 30, imports: null, audit: null, changes: null });
  };

  it('which nobody stops by a key that is named as an erased one is', async () => {
    const erased = `erased:${createHash('sha256').update('a').digest('hex')}`;
    for (const key of ['a', erased]) await overGraph(key);
    const id = await createPerson('removed');
    expect(await erase(id)).toMatchObject({ body: { data: { erasePerson: { deletedId: `Contact:${id}` } } } });
  });

  it.each([
    ['REST', 'an erasure', overRest, erase],
    ['GraphQL', 'an erasure', overGraph, erase],
    ['REST', 'retention', overRest, retain],
    ['GraphQL', 'retention', overGraph, retain],
  ])('over %s, after %s: a repetition does nothing', async (_, __, send, remove) => {
    const key = `repeated-${Math.random()}`;
    const first = await send(key);
    expect(first.status).toBe(200);
    const before = await countTeams();
    await remove(await createPerson('removed'));
    expect(await door.sql('select 1 from idempotency_keys where key = ?', [key])).toEqual([]);
    const again = await send(key);
    expect([again.status, readCode(again), again.headers.has('idempotency-replayed')]).toEqual([
      410,
      'answer-erased',
      false,
    ]);
    const other = await send(key, 'Another');
    expect([other.status, readCode(other)]).toEqual([422, 'unprocessable']);
    expect(await countTeams()).toBe(before);
  });

  it('without a digest that can be compared with that of a guessed request, and for a day', async () => {
    const readDigests = async (): Promise<string[]> =>
      (await door.sql(`select encode(fingerprint, 'hex') as digest from idempotency_keys`)).map(({ digest }) => digest);
    const key = `digest-${Math.random()}`;
    const before = await readDigests();
    await overRest(key);
    const [plain, ...others] = (await readDigests()).filter((digest) => !before.includes(digest));
    expect([plain, others]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), []]);
    await erase(await createPerson('digested'));
    expect(await readDigests()).not.toContain(plain);
    // The same key a day later, and an erasure then.
    await door.sql(
      `update idempotency_keys set created_at = (created_at at time zone 'UTC' - interval '1 day') at time zone 'UTC'`,
    );
    expect((await overRest(key)).status).toBe(200);
    await erase(await createPerson('later'));
    expect((await overRest(key)).status).toBe(410);
  });
});
