// A tag, an action or a form on very many contacts changes while others write: no response has new content under an old ETag.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { runMutation } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildWaitingSql } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

/** More contacts than one statement marks. */
const many = 5003;
let turn = 0;

interface Thing {
  /** Creates a record that is on no contact. */
  make(): Promise<Json>;
  /** Links the contacts that `which` selects to it. */
  link: string;
  /** Changes what responses about its contacts contain. */
  change(id: number): Promise<unknown>;
}
const things: Record<string, Thing> = {
  tag: {
    make: () => runMutation(door, 'createTag', { name: `tag ${++turn}` }),
    link: 'insert into contact_tags (group_id, contact_id, tag_id) select 1, c.id, cast(:id as bigint) from contacts c',
    change: (id) => runMutation(door, 'updateTag', { id, color: `${++turn}` }),
  },
  action: {
    make: () => runMutation(door, 'createAction', { name: `action ${++turn}` }),
    link: 'insert into contact_actions (group_id, contact_id, action_id) select 1, c.id, cast(:id as bigint) from contacts c',
    change: (id) => runMutation(door, 'deleteAction', { id }),
  },
  'form that is deleted': {
    make: () => runMutation(door, 'createForm', { label: `form ${++turn}`, kind: 'SURVEY', type: 'TEXT' }),
    link: `insert into answers (group_id, contact_id, form_id, form_ref_id) select c.group_id, c.id, r.form_id, r.id from contacts c
             join form_refs r on r.group_id = c.group_id and r.form_id = :id`,
    change: (id) => runMutation(door, 'deleteForm', { id }),
  },
};
things['form that is renamed'] = {
  ...things['form that is deleted']!,
  change: (id) => runMutation(door, 'updateForm', { id, label: `form ${++turn}` }),
};

const newContacts = async (count: number): Promise<number[]> =>
  (
    await door.sql(
      `insert into contacts (group_id, surname, updated_at, lastchange) select 1, 'Many', '2020-01-01', '2020-01-01'
         from generate_series(1, ?) returning id`,
      [count],
    )
  ).map(({ id }) => id);
const linkAll = ({ link }: Thing, id: number, contacts: number[]): Promise<unknown> =>
  door.database.readers.knex.raw(`${link} where c.group_id = 1 and c.id = any(:contacts)`, { id, contacts });
const versionsOf = async (contacts: number[]): Promise<Json> =>
  (
    await door.sql(
      `select array_agg(distinct version) as versions, min(updated_at) > now() - interval '1 minute' as moved,
              max(lastchange) < '2020-01-02' as kept from contacts where group_id = 1 and id = any(?)`,
      [contacts],
    )
  )[0];

describe.each(Object.entries(things))('a %s', (_, thing) => {
  it('changes the version of each of very many contacts once, deleted ones too, and no lastchange', async () => {
    const { id } = await thing.make();
    const contacts = await newContacts(many);
    await door.sql('update contacts set deleted_at = now() where group_id = 1 and id = ?', [contacts[7]!]);
    await linkAll(thing, id, contacts);
    await thing.change(id);
    expect(await versionsOf(contacts)).toEqual({ versions: [2], moved: true, kept: true });
  });

  it('changes the version of a contact that is linked at the same moment', async () => {
    const { id } = await thing.make();
    const [early, late] = (await newContacts(2)) as [number, number];
    await linkAll(thing, id, [early]);
    const linking = await door.database.readers.knex.transaction();
    await linking.raw('select from contacts where group_id = 1 and id = ? for no key update', [late]);
    await linking.raw(`${thing.link} where c.group_id = 1 and c.id = any(:contacts)`, { id, contacts: [late] });
    const changing = thing.change(id);
    await waitUntil('the change waits for the link', async () => (await door.sql(buildWaitingSql())).length > 0);
    await linking.raw('update contacts set version = version + 1, updated_at = now() where group_id = 1 and id = ?', [
      late,
    ]);
    await linking.commit();
    await changing;
    expect(await door.sql('select version from contacts where id = any(?) order by id', [[early, late]])).toEqual([
      { version: 2 },
      { version: 3 },
    ]);
  });

  it('changes nothing at all when one of the contacts cannot be locked', async () => {
    const { id } = await thing.make();
    const contacts = await newContacts(3);
    await linkAll(thing, id, contacts);
    const held = await door.database.readers.knex.transaction();
    await held.raw('select from contacts where group_id = 1 and id = ? for no key update', [contacts[2]!]);
    await expect(thing.change(id)).rejects.toThrow('timeout');
    await held.rollback();
    expect((await versionsOf(contacts)).versions).toEqual([1]);
    await thing.change(id);
    expect((await versionsOf(contacts)).versions).toEqual([2]);
  });
});

/** Runs `work` as soon as a statement has made sure that the tags of a write are there, and before the next one puts them on its contacts. */
const betweenTags = async (write: () => Promise<unknown>, work: () => Promise<unknown>): Promise<void> => {
  const lock = 4_711;
  await door.sql(`create function hold_tags() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${lock}); return null; end $$`);
  await door.sql('create trigger hold_tags after insert on tags for each statement execute function hold_tags()');
  const held = await door.database.readers.knex.transaction();
  await held.raw(`select pg_advisory_xact_lock(${lock})`);
  const waiting = (count: number) => async () => (await door.sql(buildWaitingSql())).length >= count;
  try {
    const writing = write();
    await waitUntil('the write has looked for its tags', waiting(1));
    const working = work();
    await Promise.race([working, waitUntil('the other one waits for it', waiting(2))]);
    await held.commit();
    await Promise.all([writing, working]);
  } finally {
    await held.rollback();
    await door.sql('drop trigger hold_tags on tags');
    await door.sql('drop function hold_tags');
  }
};
const tagsOf = async (contact: number): Promise<string[]> =>
  (
    await door.sql('select t.name from contact_tags ct join tags t on t.id = ct.tag_id where ct.contact_id = ?', [
      contact,
    ])
  ).map(({ name }) => name);

// The trigger that holds the write is one of the coordinator's table, and a cluster writes to its shards.
describe.skipIf(inject('onCluster'))('a tag that is renamed', () => {
  it.each<[string, (contactId: number, name: string) => Promise<unknown>]>([
    ['tagged', (contactId, name) => runMutation(door, 'tagContacts', { contactIds: [contactId], tags: [name] })],
    ['changed', (id, name) => runMutation(door, 'updateContact', { id, tags: [{ name }] })],
    ['upserted', (id, name) => runMutation(door, 'upsertContact', { id, tags: [{ name }] })],
  ])('at the moment when a contact is %s with it, is on the contact', async (_, write) => {
    const { id, name } = await things.tag!.make();
    const [contact] = (await newContacts(1)) as [number];
    const renamed = `renamed ${++turn}`;
    await betweenTags(
      () => write(contact, name),
      () => runMutation(door, 'updateTag', { id, name: renamed }),
    );
    expect(await tagsOf(contact)).toEqual([renamed]);
  });
});

it('a response has one content under each ETag, while its tag is renamed and put on others', async () => {
  const { id, name } = await things.tag!.make();
  const [contact] = (await newContacts(1)) as [number];
  const others = await newContacts(20);
  await linkAll(things.tag!, id, [contact]);
  const seen = new Map<string, string>();
  let done = false;
  const reading = (async () => {
    while (!done) {
      const { headers, body } = await door.rest('GET', `/contacts/${contact}`);
      const tag = headers.get('etag')!;
      const shown = JSON.stringify([body.data.contact.UpdatedAt, body.data.contact.tags]);
      expect(seen.get(tag) ?? shown).toBe(shown);
      seen.set(tag, shown);
      await sleep(1);
    }
  })();
  for (const [index, other] of others.entries())
    await Promise.all([
      runMutation(door, 'updateTag', { id, color: `${index}` }),
      runMutation(door, 'tagContacts', { contactIds: [other], tags: [name] }),
    ]);
  done = true;
  await reading;
  expect(seen.size).toBeGreaterThan(3);
});
