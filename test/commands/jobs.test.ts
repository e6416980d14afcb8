// `muster jobs` as an operator meets it: what is under way in which space, and cancelling a change.
import { beforeAll, expect, it, vi } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { runHere } from '../harness/run-here.ts';

vi.setConfig({ testTimeout: 120_000 });

let door: Door;
const muster = (line: string) => runHere(door.databaseUrl, line.split(' '));
const readWork = async (line: string): Promise<Json[]> =>
  (await muster(line)).out
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one));

beforeAll(async () => {
  door = await openApp();
});

it('lists what is under way, and cancels a change', async () => {
  await door.sql(
    `with made as (insert into contacts (group_id, surname) select 1, 'Many' from generate_series(1, 500) returning id)
     select refresh_search(1, array(select id from made))`,
  );
  const { body } = await door.graphql(
    `mutation { changeContacts(input: { of: { query: { createdAt: { gte: "1970-01-01" } } }, change: { addTags: ["x"] }, name: "\u001b[31mred" }) { job { databaseId total } } }`,
  );
  const { databaseId: change, total } = body.data.changeContacts.job;
  const [{ id: list }] = await door.sql(
    `with made as (insert into imports (group_id, name, fingerprint) values (2, 'list.csv', '') returning id)
     insert into import_batches (group_id, import_id, first_row, created, updated, refused) select 2, id, 1, 7, 2, 1 from made returning import_id as id`,
  );
  const [{ id: sent }] = await door.sql(
    `with made as (insert into imports (group_id, name, fingerprint) values (2, 'sent.csv', '') returning id)
     insert into import_files (group_id, id, user_id, name, size, rows, begun_at) select 2, id, 1, 'sent.csv', 9, 40, now() from made returning id`,
  );
  await door.sql(`insert into imports (group_id, name, fingerprint, finished_at) values (2, 'done.csv', '', now())`);
  await door.sql(
    `insert into job_leases (name, key, holder, until, failures) values ('change-contacts', '1/${change}', null, now(), 3), ('rederive-search', '2', gen_random_uuid(), now() + interval '1 minute', 0)`,
  );
  const [{ id: fifth }] = await door.sql('select id from contacts where group_id = 2 order by id offset 4 limit 1');
  await door.sql('update spaces set rederived_to = ? where id = 2', [fifth]);
  const of = (work: Json[]) => work.filter(({ work: name }) => !/publish|evaluate/.test(name));
  const inTwo = [
    { space: 2, work: 'import contacts', id: list, name: 'list.csv', state: 'unfinished', done: 10, total: null },
    { space: 2, work: 'import-file', id: sent, name: 'sent.csv', state: 'waiting', done: 0, total: 40 },
    { space: 2, work: 'rederive-search', id: null, name: null, state: 'running', done: 5, since: null },
  ];
  const started = { state: 'failed', failures: 3, done: 0, total, since: expect.stringMatching(/^\d{4}-/) };
  expect(of(await readWork('jobs --json'))).toMatchObject([
    { space: 1, work: 'change-contacts', id: change, name: '\u001b[31mred', ...started },
    ...inTwo,
  ]);
  expect(of(await readWork('jobs list --space 2 --json'))).toMatchObject(inTwo);
  const { out } = await muster('jobs --space 1');
  expect(out).toMatch(
    new RegExp(
      `^SPACE +WORK +ID +NAME +STATE +DONE +SINCE\n1 +change-contacts +${change} +\\\\u001b\\[31mred +failed, 3 failures +0 of ${total} +\\d{4}-`,
    ),
  );

  expect(await muster(`jobs cancel ${change} --space 2`)).toMatchObject({ code: 1 });
  expect(await muster(`jobs cancel ${change}`)).toMatchObject({ code: 2 });
  expect(await muster(`jobs cancel ${change} --space 1`)).toMatchObject({
    code: 0,
    out: `change ${change} cancelled: 0 of ${total} contacts were changed, and stay so\n`,
  });
  expect(await muster(`jobs cancel ${change} --space 1`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('over'),
  });
  expect((await readWork('jobs --json')).filter(({ id }) => id === change)).toEqual([]);
  expect(
    await door.sql(
      `select user_id, record_id, counts from audit_log where group_id = 1 and operation = 'cancelContactChange'`,
    ),
  ).toEqual([{ user_id: null, record_id: change, counts: { total, changed: 0, unchanged: 0, refused: 0 } }]);
});
