// Random sequences of requests by people and an app of space 1, of every role and by both doors, leave space 2 and the accounts outside space 1 unchanged, and
// reveal nothing of them.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { grantablePermissions } from '../../src/permissions/permissions.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { computeChecksums, writeCanaries } from '../harness/foreign-space.ts';
import { createAppCaller } from '../harness/member.ts';
import { chooseCount } from '../harness/sizes.ts';
import { prepareIds } from '../requests/index.ts';
import { findPeople } from './people.ts';
import { generateSequences, type Pools, people as peopleOfSteps, type Step, sendStep } from './steps.ts';

/** The number of sequences and their maximum length: some seconds, and 12 on slow machines. */
const runs = chooseCount(20, 120, 500);
const length = 6;

/** The tables of people that sequences change. */
const kept = [
  'users',
  'roles',
  'members',
  'apps',
  'tokens',
  'teams',
  'invitations',
  'invitation_teams',
  'team_users',
] as const;

let door: Door;
let pools: Pools;
/** SQL that restores these tables. It does not restore space 2: a sequence that wrote there has failed. */
let puttingBack: string;

beforeAll(async () => {
  door = await openApp();
  const app = await createAppCaller(door, { permissions: grantablePermissions });
  const people = { ...(await findPeople(door)), app: app.id };
  await writeCanaries(door);
  await door.sql(
    `update users set address = 'PRIVATE', city = 'PRIVATE', postal = 'PRIVATE', location = 'PRIVATE', two_factor_method = 'PRIVATE', birthdate = '1901-02-03'
      where id = ?`,
    [people.both],
  );
  const expected = 'expected@example.org';
  await door.sql(
    `insert into invitations (group_id, email, role_id) select 2, ?, min(id) from roles where group_id = 2 and type = 'superadmin'`,
    [expected],
  );
  const users = [...new Set(Object.values(people)), 987_654_321];
  const known = await door.sql('select mail from users where id = any(?) order by id', [users]);
  const mails = [...known.map(({ mail }) => mail), expected, 'nobody@example.org'];
  const [own, foreign] = [await prepareIds(door, 1), await prepareIds(door, 2)];
  const [{ id }] = await door.sql('select id from invitations where group_id = 2 and email = ?', [expected]);
  pools = { people, appToken: app.token, users, mails, expected, own, foreign: { ...foreign, invitations: id } };
  for (const caller of peopleOfSteps) await door.token(1, people[caller]);
  await door.sql('create schema kept');
  for (const table of kept) await door.sql(`create table kept.${table} as select * from ${table}`);
  const columns = await door.sql(
    `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = 'users' and column_name <> 'id'`,
  );
  const list = columns.map(({ name }) => name).join(', ');
  puttingBack = [
    'delete from invitations where group_id <> 2',
    `delete from teams where group_id = 1 and name = 'Walked'`,
    'delete from members where group_id <> 2 and (group_id, user_id) not in (select group_id, user_id from kept.members)',
    // Two users who took each other's mail could not be restored one by one.
    `update users set mail = 'putting-back-' || id where mail <> (select k.mail from kept.users k where k.id = users.id)`,
    `update users u set (${list}) = (select ${list} from kept.users k where k.id = u.id)
      where u::text <> (select k::text from kept.users k where k.id = u.id)`,
    ...kept
      .slice(1)
      .map(
        (table) => `insert into ${table} overriding system value select * from kept.${table} on conflict do nothing`,
      ),
    'update tokens t set group_id = k.group_id, revoked_at = null, scope = k.scope from kept.tokens k where k.id = t.id and (k.group_id <> t.group_id or k.scope <> t.scope or t.revoked_at is not null)',
    'delete from apps where group_id = 1 and id not in (select id from kept.apps)',
    `update apps a set (name, permissions, scope, deleted_at) = (k.name, k.permissions, k.scope, k.deleted_at) from kept.apps k
      where a.group_id = 1 and k.group_id = 1 and k.id = a.id and a::text <> k::text`,
    'delete from tokens where id not in (select id from kept.tokens)',
    `update roles r set (name, type, permissions) = (k.name, k.type, k.permissions) from kept.roles k
      where r.group_id = 1 and k.group_id = 1 and k.id = r.id and r::text <> k::text`,
    'update members m set role_id = k.role_id from kept.members k where m.group_id = 1 and k.group_id = 1 and k.user_id = m.user_id and k.role_id <> m.role_id',
    'delete from roles where group_id = 1 and id not in (select id from kept.roles where group_id = 1)',
    // Invited people who joined.
    'delete from users where id not in (select id from kept.users)',
  ].join(';');
});

/** Accounts that are also in another space than space 1. */
const othersAccounts = (): Promise<Json[]> =>
  door.sql('select * from users where id in (select user_id from members where group_id <> 1) order by id');
const accounts = (ids: number[]): Promise<Json[]> =>
  door.sql('select * from users where id = any(?) order by id', [ids]);

const changesOneself = (step: Step): boolean =>
  'method' in step
    ? step.method === 'PATCH' && step.path === `/users/${pools.people[step.by]}`
    : step.field === 'updateUser' && step.input.id === pools.people[step.by];

/** Canaries in an answer: those of space 2, and private values that only the user of both spaces may see. */
const leaks = (by: Step['by'], text: string): string[] =>
  [/CANARY-\d+/, ...(by === 'both' ? [] : [/PRIVATE/, /1901-02-03/])].flatMap((pattern) => text.match(pattern) ?? []);

const superadmins = `select from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
  where m.group_id = 1 and r.type = 'superadmin'`;

it('random requests leave space 2 and the accounts of others unchanged, reveal nothing of them, and leave space 1 a superadmin', async () => {
  const changing = { count: 0 };
  const walk = fc.asyncProperty(generateSequences(pools, length), async (taken) => {
    await door.sql(puttingBack);
    // Teams of both spaces contain users of both, and change with them.
    const loose = ['teams'];
    const sum = await computeChecksums(door, loose);
    const changed = new Set(taken.filter(changesOneself).map(({ by }) => pools.people[by]));
    const before = (await othersAccounts()).filter(({ id }) => !changed.has(id));
    const last = { id: 987_654_321, secret: '' };
    for (const step of taken) {
      const { status, body, text } = await sendStep(door, pools, step, last);
      expect([status < 500, leaks(step.by, text)]).toEqual([true, []]);
      // A step with a field that the schema lacks would be refused whoever sends it, and so test nothing.
      expect(text).not.toMatch(/"invalid-document"|is not a field of/);
      const sent = body.data?.inviteUsers;
      last.id = (sent?.invitations ?? body.data?.invitations)?.[0]?.id ?? last.id;
      last.secret = sent?.secrets[0].secret ?? last.secret;
      if (status < 300 && !body.errors && !/^GET$|\{/.test('method' in step ? step.method : step.field))
        changing.count++;
    }
    // The last sum covers accounts, which are compared below, without those who changed themselves.
    expect((await computeChecksums(door, loose)).slice(0, -1)).toEqual(sum.slice(0, -1));
    expect(await accounts(before.map(({ id }) => id))).toEqual(before);
    expect((await door.sql(superadmins)).length).toBeGreaterThan(0);
  });
  await fc.assert(walk, { numRuns: runs, interruptAfterTimeLimit: chooseCount(6000, 12_000, 60_000) });
  // Most steps are rightly refused, but some must succeed.
  expect(changing.count).toBeGreaterThan(runs / 6);
}, 180_000);
