// Watched segments: who entered and who left is in the change feed, once each, however they came and whoever evaluates.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventNames } from '../../src/data/event/events.ts';
import { evaluateSegments } from '../../src/data/segment/segment-evaluation.ts';
import { createRoleToken, fetchRefusal, runMutation, sendMutation } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';

let door: Door;
let manager: string;
let cursor: string;
beforeAll(async () => {
  door = await openApp();
  manager = await createRoleToken(door, 'manager');
  // One of the demo is watched.
  await door.sql('update segments set is_watched = false');
  cursor = (await changes({ first: 0 }, null)).cursor;
});

const changes = async (args: Json, after: string | null = cursor, token?: string): Promise<Json> => {
  const { body } = await door.graphql(
    `query ($after: String, $first: Int, $filter: ChangeFilter) {
       changes(after: $after, first: $first, filter: $filter) { nodes { recordId contactId operation fields } cursor } }`,
    { after, ...args },
    token,
  );
  expect(body.errors).toBeUndefined();
  return body.data.changes;
};

const evaluate = (): Promise<void> => evaluateSegments(door.database.space(1));
/** What the feed tells of segments since the last call, once they are evaluated: `Segment:3 ENTERED Contact:5`. */
const listEvents = async (token?: string): Promise<string[]> => {
  await evaluate();
  const page = await changes({ first: 1000, filter: { types: ['SEGMENT'] } }, cursor, token);
  if (!token) cursor = page.cursor;
  return page.nodes
    .filter(({ operation }: Json) => ['ENTERED', 'LEFT'].includes(operation))
    .map(({ recordId, operation, contactId }: Json) => `${recordId} ${operation} ${contactId}`);
};

let turn = 0;
const create = async (query: Json, isWatched = true): Promise<string> => {
  const { body } = await door.graphql(
    'mutation ($input: SegmentCreateInput!) { createSegment(input: $input) { segment { id } } }',
    { input: { name: `Watched ${++turn}`, query, isWatched } },
    manager,
  );
  return body.data.createSegment.segment.id;
};
const person = async (input: Json): Promise<number> => (await runMutation(door, 'createContact', input, manager)).id;
const change = (id: number, input: Json): Promise<Json> =>
  runMutation(door, 'updateContact', { id, ...input }, manager);
const members = async (segment: string): Promise<number> =>
  (await door.sql('select count(*) from segment_members where group_id = 1 and segment_id = ?', [segment.slice(8)]))[0]
    .count;
const read = async (segment: string): Promise<Json> =>
  (await door.graphql('query ($id: ID!) { segment(id: $id) { contactCount evaluatedAt } }', { id: segment })).body.data
    .segment;

describe('a watched segment', () => {
  it('tells who enters and who leaves, but not who is in it at first', async () => {
    const women = await create({ gender: { equals: 'F' } });
    const donors = await create({ and: [{ segment: { in: [women] } }, { donations: { total: { gte: 1000 } } }] });
    await create({ gender: { equals: 'F' } }, false);
    expect((await read(women)).evaluatedAt).toBeNull();
    expect(await listEvents()).toEqual([]);
    const { contactCount, evaluatedAt } = await read(women);
    expect([await members(women), evaluatedAt]).toEqual([contactCount, expect.any(String)]);

    const [ada, bob] = [await person({ lastName: 'Ada', gender: 'F' }), await person({ lastName: 'Bob', gender: 'M' })];
    expect(await listEvents()).toEqual([`${women} ENTERED Contact:${ada}`]);
    await change(bob, { gender: 'F' });
    await change(ada, { firstName: 'Countess' });
    await runMutation(door, 'createDonation', {
      contactId: bob,
      amount: 5000,
      transactionDate: '2026-01-01T00:00:00Z',
    });
    expect((await listEvents()).sort()).toEqual(
      [`${women} ENTERED Contact:${bob}`, `${donors} ENTERED Contact:${bob}`].sort(),
    );
    expect(await listEvents()).toEqual([]);
    await sendMutation(door, 'deleteContact', { id: bob }, manager);
    expect((await listEvents()).sort()).toEqual(
      [`${women} LEFT Contact:${bob}`, `${donors} LEFT Contact:${bob}`].sort(),
    );
    await runMutation(door, 'restoreContact', { id: bob });
    expect(await listEvents()).toHaveLength(2);
  });

  describe('whose evaluation is interrupted', () => {
    /** Aborts once it was looked at so often. */
    const interruptAfter = (looks: number): Promise<void> => {
      const signal = {
        get aborted() {
          return looks-- <= 0;
        },
      };
      return evaluateSegments(door.database.space(1), signal as AbortSignal);
    };
    const update = (input: Json): Promise<Json> => runMutation(door, 'updateSegment', input, manager);
    const listMembers = (segment: string): Promise<Json[]> =>
      door.sql('select contact_id from segment_members where group_id = 1 and segment_id = ? order by 1', [
        segment.slice(8),
      ]);
    const begin = async (): Promise<{ id: string; before: Json[]; woman: number }> => {
      // The evaluations of others would look at the signal too.
      await door.sql('update segments set is_watched = false');
      const woman = await person({ lastName: 'Ada', gender: 'F' });
      const id = await create({ gender: { equals: 'F' } });
      expect(await listEvents()).toEqual([]);
      return { id, before: await listMembers(id), woman };
    };

    it('has the members of its query when that becomes the former one again', async () => {
      const { id, before, woman } = await begin();
      await update({ id, query: { gender: { equals: 'M' } } });
      for (let looks = 1; JSON.stringify(await listMembers(id)) === JSON.stringify(before); looks++)
        await interruptAfter(looks);
      await update({ id, query: { gender: { equals: 'F' } } });
      await change(woman, { firstName: 'Countess' });
      expect(await listEvents()).toEqual([]);
      expect(await listMembers(id)).toEqual(before);
    });

    it('has its members when it is watched again', async () => {
      const { id, before, woman } = await begin();
      await update({ id, isWatched: false });
      for (let looks = 1; (await members(id)) > 0; looks++) await interruptAfter(looks);
      await update({ id, isWatched: true });
      await change(woman, { firstName: 'Countess' });
      expect(await listEvents()).toEqual([]);
      expect(await listMembers(id)).toEqual(before);
    });
  });

  it('looks at all contacts again when it became due while it was evaluated', async () => {
    await door.sql('update segments set is_watched = false');
    await create({ phone: { startsWith: '+4930' } });
    expect(await listEvents()).toEqual([]);
    await person({ lastName: 'Known' });
    const [holder, other] = [await openSession(door.databaseUrl), await openSession(door.databaseUrl)];
    await holder.query('begin');
    await holder.query('lock table segment_members in exclusive mode');
    await door.sql('update segment_evaluations set due_at = now() where evaluated_at is not null');
    const evaluated = evaluate();
    await waitUntil('it waits for the members', async () => (await countWaiting(other)) === 1);
    // As the end of deriving all search rows again does.
    const made = other.query(`update segment_evaluations set due_at = now() where evaluated_at is not null`);
    await waitUntil('both wait', async () => (await countWaiting(holder)) === 2);
    await holder.query('commit');
    await Promise.all([evaluated, made]);
    const due = `select 1 from segment_evaluations e join segments s on s.group_id = e.group_id and s.id = e.segment_id and s.is_watched where e.due_at <= now()`;
    expect(await door.sql(due)).toHaveLength(1);
    await evaluate();
    expect(await door.sql(due)).toHaveLength(0);
  });

  it('is evaluated although thousands have entered it since there were statistics of its members and of the outbox', async () => {
    const segment = await create({ lastName: { equals: 'Crowd' } });
    await evaluate();
    await door.sql('analyze segment_members, change_queue');
    for (let times = 0; times < 5; times++)
      await door.sql(
        `with made as (insert into contacts (group_id, surname) select 1, 'Crowd' from generate_series(1, 3800) returning id)
         select refresh_search(1, array(select id from made))`,
      );
    const makeDue = () =>
      door.sql('update segment_evaluations set due_at = now() where segment_id = ?', [segment.slice(8)]);
    await makeDue();
    await evaluate();
    await makeDue();
    await evaluate();
    expect(await members(segment)).toBe(19_000);
    await door.sql('update segments set is_watched = false where id = ?', [segment.slice(8)]);
    await evaluate();
    expect(await members(segment)).toBe(0);
    cursor = (await changes({ first: 0 }, null)).cursor;
  });

  it('notices a record that satisfies several conditions together', async () => {
    const faithful = await create({ donations: { count: { of: { amount: { gte: 1000 } }, gte: 2 } } });
    await evaluate();
    const id = await person({ lastName: 'Faithful' });
    const give = (amount: number): Promise<Json> =>
      runMutation(door, 'createDonation', { contactId: id, amount, transactionDate: '2026-01-01T00:00:00Z' });
    for (const amount of [1000, 999]) await give(amount);
    expect(await listEvents()).toEqual([]);
    const { id: last } = await give(5000);
    expect(await listEvents()).toEqual([`${faithful} ENTERED Contact:${id}`]);
    await sendMutation(door, 'deleteDonation', { id: last }, manager);
    expect(await listEvents()).toEqual([`${faithful} LEFT Contact:${id}`]);
  });

  it('notices notes and interactions', async () => {
    const noted = await create({ notes: { any: { content: { contains: 'vélo' }, pinned: { equals: true } } } });
    const called = await create({ interactions: { type: { equals: 'call' } } });
    await evaluate();
    const id = await person({ lastName: 'Noted' });
    expect(await listEvents()).toEqual([]);
    const note = await runMutation(door, 'createNote', { contactId: id, content: 'Un Velo rouge', pinned: true });
    expect(await listEvents()).toEqual([`${noted} ENTERED Contact:${id}`]);
    await runMutation(door, 'createInteraction', { contactId: id, type: 'Call', onlySuperAdmin: false });
    expect(await listEvents()).toEqual([`${called} ENTERED Contact:${id}`]);
    await runMutation(door, 'updateNote', { id: note.id, pinned: false });
    expect(await listEvents()).toEqual([`${noted} LEFT Contact:${id}`]);
  });

  it('notices whose records a merge moves, and moves back when it is undone', async () => {
    const donors = await create({ donations: { total: { gte: 1 } } });
    const [ada, bob] = [await person({ firstName: 'Ada', lastName: 'Same' }), await person({ lastName: 'Same' })];
    const donation = { contactId: bob, amount: 5000, transactionDate: '2026-01-01T00:00:00Z' };
    await runMutation(door, 'createDonation', donation);
    await evaluate();
    const run = async (mutation: string): Promise<Json> => (await door.graphql(`mutation { ${mutation} }`)).body.data;
    const { mergeContacts } = await run(`mergeContacts(input: { survivorId: ${ada}, ids: [${bob}] }) { mergeId }`);
    expect((await listEvents()).sort()).toEqual([`${donors} ENTERED Contact:${ada}`, `${donors} LEFT Contact:${bob}`]);
    await run(`undoContactMerge(input: { id: "${mergeContacts.mergeId}" }) { left }`);
    expect((await listEvents()).sort()).toEqual([`${donors} ENTERED Contact:${bob}`, `${donors} LEFT Contact:${ada}`]);
  });

  it('notices whose donation another contact has paid in another way', async () => {
    const byCheque = await create({ donations: { paymentMethodKind: { equals: 'cheque' } } });
    const [donor, payer] = [await person({ lastName: 'Donor' }), await person({ lastName: 'Payer' })];
    const given = { amount: 5000, transactionDate: '2026-01-01T00:00:00Z' };
    const payment = { contactId: payer, amount: 5000, date: '2026-01-01T00:00:00Z', paymentMethodKind: 'card' };
    const { id } = await runMutation(door, 'createTransaction', payment);
    await runMutation(door, 'createDonation', { contactId: donor, transactionId: id, ...given });
    await listEvents();
    await runMutation(door, 'updateTransaction', { id, paymentMethodKind: 'cheque' });
    expect(await listEvents()).toEqual([`${byCheque} ENTERED Contact:${donor}`]);
    await sendMutation(door, 'deleteTransaction', { id }, manager);
    expect(await listEvents()).toEqual([`${byCheque} LEFT Contact:${donor}`]);
  });

  it('notices who is found by the mail of a contact that was merged into them', async () => {
    const mailed = await create({ email: { startsWith: 'bob@former' } });
    const [ada, bob] = [
      await person({ firstName: 'Ada', lastName: 'Same', email: 'ada@former.example' }),
      await person({ lastName: 'Same', email: 'bob@former.example' }),
    ];
    await evaluate();
    await door.graphql(`mutation { mergeContacts(input: { survivorId: ${ada}, ids: [${bob}] }) { mergeId } }`);
    expect((await listEvents()).sort()).toEqual([`${mailed} ENTERED Contact:${ada}`, `${mailed} LEFT Contact:${bob}`]);
  });

  it('tells each once, when several processes evaluate at once, and when one breaks off in between', async () => {
    const segment = await create({ lastName: { equals: 'Twice' } });
    await evaluate();
    const ids: number[] = [];
    for (let index = 0; index < 5; index++) ids.push(await person({ lastName: 'Twice' }));
    await Promise.all([evaluate(), evaluate(), evaluate()]);
    expect(await listEvents()).toEqual(ids.map((id) => `${segment} ENTERED Contact:${id}`));
    // The process ends before its transaction: neither the members nor the position nor the change are kept.
    const last = await person({ lastName: 'Twice' });
    await door.sql(
      `create function fail_once() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`,
    );
    await door.sql(
      'create trigger fails before insert on change_queue for each row when (new.operation = $$entered$$) execute function fail_once()',
    );
    await expect(evaluate()).rejects.toThrow();
    expect(await members(segment)).toBe(5);
    await door.sql('drop trigger fails on change_queue');
    expect(await listEvents()).toEqual([`${segment} ENTERED Contact:${last}`]);
    // One that has died holds its lease until it ends.
    await door.sql(`update segment_evaluations set lease = ?, leased_until = now() + interval '1 minute'`, [
      randomUUID(),
    ]);
    await change(last, { lastName: 'Once' });
    expect(await listEvents()).toEqual([]);
    await door.sql(`update segment_evaluations set leased_until = now() - interval '1 second'`);
    expect(await listEvents()).toEqual([`${segment} LEFT Contact:${last}`]);
  });

  it('is looked at anew without events when its query changes, or that of one that it uses; not when it is renamed', async () => {
    const inner = await create({ lastName: { equals: 'Inner' } }, false);
    const outer = await create({ not: { not: { segment: { in: [inner] } } } });
    const [one, two] = [await person({ lastName: 'Inner' }), await person({ lastName: 'Outer' })];
    await evaluate();
    expect(await members(outer)).toBe(1);
    const update = (id: string, input: Json): Promise<Json> =>
      runMutation(door, 'updateSegment', { id, ...input }, manager);
    await update(inner, { query: { lastName: { in: undefined, startsWith: 'Oute' } } });
    expect(await listEvents()).toEqual([]);
    expect(await members(outer)).toBe(1);
    await change(one, { lastName: 'Outer' });
    await update(inner, { name: 'Renamed' });
    expect(await listEvents()).toEqual([`${outer} ENTERED Contact:${one}`]);
    await change(two, { lastName: 'Gone' });
    expect(await listEvents()).toEqual([`${outer} LEFT Contact:${two}`]);
  });

  it('follows time, forms, tags and campaigns, by looking at all contacts', async () => {
    const recent = await create({ createdAt: { gte: 'now-1h' } });
    const tagged = await create({ tags: { in: ['Before'] } });
    const mailed = await create({ emails: { subject: { contains: 'Zebra' } } });
    await evaluate();
    const tag = await runMutation(door, 'createTag', { name: 'After' }, manager);
    const one = await person({ lastName: 'Timed', tags: [{ name: 'After' }] });
    expect(await listEvents()).toEqual([`${recent} ENTERED Contact:${one}`]);
    await runMutation(door, 'updateTag', { id: tag.id, name: 'Before' }, manager);
    expect(await listEvents()).toEqual([`${tagged} ENTERED Contact:${one}`]);
    const [campaign] = await door.sql(
      'select campaign_id as id, array_agg(distinct e.contact_id) as contacts from emails e join contacts c on c.group_id = e.group_id and c.id = e.contact_id and c.deleted_at is null where e.group_id = 1 and campaign_id is not null group by 1 order by count(*) limit 1',
    );
    await runMutation(door, 'updateCampaign', { id: campaign.id, subject: 'A zebra' }, manager);
    expect((await listEvents()).sort()).toEqual(
      campaign.contacts.map((id: number) => `${mailed} ENTERED Contact:${id}`).sort(),
    );
    // Time goes by: nothing is written but the clock.
    await door.sql(`alter table contacts disable trigger user`);
    await door.sql(`update contacts set created_at = now() - interval '2 hours' where id = ?`, [one]);
    await door.sql(`alter table contacts enable trigger user`);
    expect(await listEvents()).toEqual([]);
    await door.sql('update segment_evaluations set due_at = now() where due_at is not null');
    expect(await listEvents()).toContain(`${recent} LEFT Contact:${one}`);
    await runMutation(door, 'updateSegment', { id: recent, isWatched: false }, manager);
  });

  it('forgets its contacts in the background when it is watched no longer, or deleted', async () => {
    const [one, other] = [await create({ gender: { equals: 'F' } }), await create({ gender: { equals: 'M' } })];
    await evaluate();
    await runMutation(door, 'updateSegment', { id: one, isWatched: false }, manager);
    await runMutation(door, 'deleteSegment', { id: other }, manager);
    expect(await members(one)).toBeGreaterThan(0);
    await evaluate();
    expect([await members(one), await members(other)]).toEqual([0, 0]);
    const left = await door.sql('select segment_id from segment_evaluations where segment_id = any(?)', [
      [one, other].map((id) => Number(id.slice(8))),
    ]);
    expect(left).toEqual([]);
  });

  it('goes on after a restore and after changes that are not kept any more, by looking at all contacts', async () => {
    const segment = await create({ lastName: { equals: 'Lasting' } });
    await evaluate();
    const one = await person({ lastName: 'Lasting' });
    await changes({ first: 0 });
    await door.sql('delete from changes where group_id = 1');
    await door.sql('update change_feeds set first_position = position + 1 where group_id = 1');
    cursor = (await changes({ first: 0 }, null)).cursor;
    expect(await listEvents()).toEqual([`${segment} ENTERED Contact:${one}`]);
    await change(one, { lastName: 'Lost' });
    await changes({ first: 0 }, null);
    await door.sql('update change_feeds set epoch = ? where group_id = 1', [randomUUID()]);
    await door.sql('update segment_evaluations set position = 1000000');
    cursor = (await changes({ first: 0 }, null)).cursor;
    expect(await listEvents()).toEqual([`${segment} LEFT Contact:${one}`]);
  });

  it('does not tell who may not read what it asks for, also after it asks for less', async () => {
    const [{ id }] = await door.sql(
      `with role as (insert into roles (group_id, name, type, permissions) values (1, 'Feed', 'custom', '{contacts.read,changes.read,segments.write}') returning id),
            person as (insert into users (mail) values ('feed@example.org') returning id)
       insert into members (group_id, user_id, role_id) select 1, person.id, role.id from person, role returning user_id as id`,
    );
    const poor = await door.token(1, id);
    const donors = await create({ donations: { count: { gte: 1 } } });
    const plain = await create({ lastName: { equals: 'Giver' } });
    await listEvents();
    const one = await person({ lastName: 'Giver' });
    await runMutation(door, 'createDonation', {
      contactId: one,
      amount: 5000,
      transactionDate: '2026-01-01T00:00:00Z',
    });
    await evaluate();
    expect(await listEvents(poor)).toEqual([`${plain} ENTERED Contact:${one}`]);
    await runMutation(door, 'updateSegment', { id: donors, query: { gender: { equals: 'F' } } }, manager);
    expect(await listEvents(poor)).toEqual([`${plain} ENTERED Contact:${one}`]);
    expect(await listEvents()).toContain(`${donors} ENTERED Contact:${one}`);
    expect(
      await fetchRefusal(door, 'updateSegment', { id: plain, query: { donations: { count: { gte: 1 } } } }, poor),
    ).toMatchObject({ code: 'forbidden' });
  });
});

it('webhooks can ask for it, and for no such event of other types', () => {
  expect(eventNames.filter((name) => /entered|left/.test(name))).toEqual(['segment.entered', 'segment.left']);
});
