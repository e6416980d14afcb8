// The way in for an operator: docs/setup.md from top to bottom, and what its commands do for careless and simultaneous ones.
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { formatTable } from '../../src/commands/table.ts';
import { createSpace } from '../../src/data/access/space.ts';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { isSecretForm } from '../../src/database/secret.ts';
import { createDatabase, type Json } from '../harness/app.ts';
import type { Result } from '../harness/command-line.ts';
import { listenForCommands, runHere } from '../harness/run-here.ts';
import { programFolder, spawnServer } from '../harness/serving.ts';
import { isSmall } from '../harness/sizes.ts';

vi.setConfig({ testTimeout: 120_000 });

const program = join(programFolder, 'dist/main.js');
const ana = ['--mail', 'ana@example.org', '--first-name', 'Ana', '--last-name', 'Costa'];

const run = (file: string, args: string[], env: Record<string, string>): Promise<Result> =>
  new Promise((resolve) => {
    const options = { cwd: programFolder, env: { PATH: process.env.PATH, ...env }, timeout: 60_000 };
    const child = execFile(file, args, options, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    );
    child.stdin!.end();
  });

const sql = async (url: string, text: string, values: unknown[] = []): Promise<Json[]> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
};

const post = async (url: string, body: Json, token?: string): Promise<{ status: number; body: Json }> => {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
};

it('names the roles, forms and statuses of a space in its language; their values are those of every language', async () => {
  const url = await createDatabase('empty');
  const args = ['setup', '--name', 'Les Voisins', ...ana, '--language', 'fr', '--quiet'];
  expect((await runHere(url, args)).code).toBe(0);
  const read = (table: string, columns: string) => sql(url, `select ${columns} as text from ${table} order by id`);
  expect((await read('roles', 'name')).map(({ text }) => text)).toContain('Responsable');
  expect((await read('transaction_statuses', 'name')).map(({ text }) => text)).toContain('Remboursé');
  const refs = await read('form_refs', `value || ': ' || label`);
  expect(refs.map(({ text }) => text)).toEqual(expect.arrayContaining(['yes: Oui', '3: Indécis', 'excused: Excusé']));
  expect(await runHere(url, ['space', 'create', '--name', 'X', ...ana, '--language', 'it'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Allowed choices are en, fr'),
  });
});

describe('docs/setup.md', () => {
  const page = readFileSync('docs/setup.md', 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text!);

  it.skipIf(isSmall)('leads from an empty database to a colleague who works', async () => {
    const url = await createDatabase('empty');
    const server = await spawnServer({ DATABASE_URL: url });
    const said = await vi.waitFor(() => {
      expect(server.said.out).toContain('member invite');
      return server.said.out;
    });
    expect(said).toMatch(/no space yet.*Two commands/);
    expect([...said.matchAll(/^ {2}npm run -s muster -- (\w+)/gm)].map(([, name]) => name)).toEqual([
      'setup',
      'member',
    ]);

    expect(blocks).toHaveLength(4);
    // The shell is real. Its `muster` has each command run here, which is much faster than a process for each.
    const prelude = `set -euo pipefail\nmuster() { printf '%s\\0' "$@" | curl -sf --data-binary @- "$HERE"; }\n`;
    // Each block tells where its output begins.
    const script = blocks.map((text, index) => `echo "== ${index}"\n${text}`).join('\necho\n');
    const here = await listenForCommands(url);
    const env = { MUSTER: server.url, HERE: here.address };
    const { code, out, err } = await run(
      'bash',
      ['--norc', '-c', `${prelude}${script}\necho "TOKEN=$TOKEN"`],
      env,
    ).finally(here.close);
    expect([code, err]).toEqual([0, '']);
    const [, setup, viewer, joined, managed] = out.split(/^== \d\n/m) as string[];
    expect(setup!.trim()).toBe('');
    expect(JSON.parse(viewer!)).toEqual({
      data: { viewer: { user: { firstName: 'Ana' }, space: { name: 'Les Voisins' } } },
    });
    const { data: ben } = JSON.parse(joined!);
    expect(ben).toMatchObject({ space: { id: 1, name: 'Les Voisins' }, user: { id: 2, firstName: 'Ben' } });

    // The commands of the last block, in their order.
    for (const line of [
      'space 2 is called Les Amis',
      'the country of space 2 is FR',
      'user 3 (cleo@example.org) created',
      'user 3 (cleo@example.org) was there already, and stays as it was',
      'user 3 (cleo@example.org) is a member of space 1, as User',
      'user 3 (cleo@example.org) is a member of space 1, as Admin',
      'user 3 is no longer a member of space 1',
      'space 2 deleted',
    ])
      expect(managed).toContain(`${line}\n`);
    expect(managed).toMatch(/^2 +Les Amis +FR +1 +0 +active +\d{4}-\d\d-\d\d \d\d:\d\d$/m);
    expect(managed).toMatch(/^2 +ben@example\.org +Ben Blum +no +1 +Manager$/m);
    expect(managed).toMatch(/^\d+ +mst_\S{8}… +nightly export +read +1 +ana@example\.org +valid until \S+ \S+ +-$/m);

    const token = /TOKEN=(\S+)/.exec(out)![1]!;
    const ask = (query: string, by: string) => post(`${server.url}/graphql`, { query }, by);
    // Ana's account is one, though her mail was written in capitals.
    const second = managed!.split('\n').find((line) => isSecretForm('token', line))!;
    expect((await sql(url, 'select id from users where lower(mail) = $1', ['ana@example.org'])).length).toBe(1);
    expect((await ask('{ viewer { user { id } } }', second)).status).toBe(401);
    expect((await ask('{ viewer { user { email } } }', ben.token)).body.data.viewer.user.email).toBe('ben@example.org');

    const forms = async (kind: string): Promise<Json> =>
      (await (await fetch(`${server.url}/forms/${kind}`, { headers: { Authorization: `Bearer ${token}` } })).json())
        .data.forms;
    for (const [kind, values] of [
      ['consent', ['yes', 'no']],
      ['level_of_support', ['5', '4', '3', '2', '1']],
      ['presence_status', ['registered', 'present', 'absent', 'excused']],
    ] as const)
      expect((await forms(kind))[0].refvalues.map(({ value }: Json) => value)).toEqual(values);
    expect(await forms('survey')).toEqual([]);
    const { body } = await ask(
      '{ roles { name type position } transactionStatuses { nodes { name kind } } donationPrices { totalCount } }',
      token,
    );
    const types = ['SUPERADMIN', 'ADMIN', 'MANAGER', 'USER'];
    expect(body.data.roles.map(({ type }: Json) => type)).toEqual(types);
    expect(body.data.transactionStatuses.nodes.map(({ kind }: Json) => kind)).toEqual([
      'success',
      'pending',
      'failure',
      'refund',
    ]);
    expect(body.data.donationPrices.totalCount).toBe(0);
  });
});

describe('setup', () => {
  const countRows = async (url: string): Promise<Json> =>
    (
      await sql(
        url,
        `select (select count(*)::int from spaces) as spaces, (select count(*)::int from users) as users, (select count(*)::int from members) as members,
                (select count(*)::int from tokens) as tokens, (select count(*)::int from roles) as roles, (select count(*)::int from forms) as forms`,
      )
    )[0];
  const nothing = { spaces: 0, users: 0, members: 0, tokens: 0, roles: 0, forms: 0 };
  const one = { spaces: 1, users: 1, members: 1, tokens: 1, roles: 4, forms: 3 };

  it('without a terminal names what is missing, or faulty in the settings, and changes nothing', async () => {
    const url = await createDatabase('empty');
    const missing = await runHere(url, ['setup', '--mail', 'ana@example.org'], { SETUP_LAST_NAME: 'Costa' });
    expect([missing.code, missing.out]).toEqual([2, '']);
    expect(missing.err).toMatch(/stdin is no terminal.*missing --name, --first-name\n[\s\S]*Usage: muster setup/);
    const faulty = await runHere(url, ['setup'], { SETUP_MAIL: 'nobody' });
    expect([faulty.code, faulty.err]).toEqual([
      2,
      expect.stringMatching(/for --mail is invalid\. must be a valid email/),
    ]);
    const option = await runHere(url, ['setup', '--name', ' ']);
    expect([option.code, option.err]).toEqual([2, expect.stringContaining('must not be blank')]);
    expect(await countRows(url)).toEqual(nothing);
  });

  it('by its settings prints a text with a request that names the token, and refuses the second time', async () => {
    const url = await createDatabase('empty');
    const env = {
      SETUP_NAME: 'Les\u001b[2J Voisins',
      SETUP_MAIL: 'Ana@example.org',
      SETUP_FIRST_NAME: 'Ana',
      SETUP_LAST_NAME: 'C',
    };
    const done = await runHere(url, ['setup'], env);
    expect([done.code, done.err]).toEqual([0, '']);
    const token = /Token +(\S+)/.exec(done.out)![1]!;
    expect(isSecretForm('token', token)).toBe(true);
    expect(done.out).toContain(`curl -s http://127.0.0.1:4000/graphql -H 'Authorization: Bearer ${token}'`);
    expect(done.out).toMatch(/^space 1 \(Les\\u001b\[2J Voisins\) created\nuser 1 \(Ana@example\.org\) created\n/);
    const again = await runHere(url, ['setup'], env);
    expect([again.code, again.out, again.err]).toEqual([1, '', expect.stringContaining('"muster space create"')]);
    expect(await countRows(url)).toEqual(one);
  });

  it('creates one space of many at once, and nothing when a part of it fails', async () => {
    const url = await createDatabase('empty');
    await migrateDatabase(url);
    const database = new Database(url);
    const content = (mail: string) => ({ name: 'One', owner: { mail, firstName: 'Ana', lastName: 'C' } });
    try {
      await sql(url, `insert into users (mail, mail_confirmed) values ('taken@example.org', false)`);
      await expect(createSpace(database, content('Taken@example.org'), { isFirst: true })).rejects.toThrow(
        /nobody has confirmed/,
      );
      expect(await countRows(url)).toEqual({ ...nothing, users: 1 });
      const results = await Promise.allSettled(
        Array.from({ length: 6 }, (_, n) => createSpace(database, content(`u${n}@example.org`), { isFirst: true })),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason.message).toContain('"muster space create"');
      expect(await countRows(url)).toEqual({ ...one, users: 2 });
    } finally {
      await database.close();
    }
  });

  // util-linux; other systems have other options.
  const hasScript = process.platform === 'linux' && execFileSync('sh', ['-c', 'command -v script || true']).length > 0;
  it.skipIf(!hasScript)(
    'asks in a terminal for what is missing, again after a fault, and prints the token',
    async () => {
      const url = await createDatabase('empty');
      const [answers, transcript] = [join(programFolder, 'answers'), join(programFolder, 'transcript')];
      writeFileSync(answers, 'Les Voisins\nnobody\nana@example.org\n\nAna\nCosta\n');
      const asked = `${process.execPath} ${program} setup`;
      const line = `script -qec '${asked}' ${transcript} < ${answers} > /dev/null`;
      const { code } = await run('bash', ['--norc', '-c', line], { DATABASE_URL: url });
      const text = readFileSync(transcript, 'utf8');
      expect([code, text]).toEqual([0, expect.stringMatching(/Token +mst_/)]);
      for (const part of [
        'Name of the organisation:',
        'must be a valid email',
        'Your first name:',
        'must not be blank',
      ])
        expect(text).toContain(part);
      expect((await sql(url, 'select mail, firstname, surname from users'))[0]).toEqual({
        mail: 'ana@example.org',
        firstname: 'Ana',
        surname: 'Costa',
      });
    },
  );
});

describe('the commands for spaces and members', () => {
  let url: string;
  beforeAll(async () => {
    url = await createDatabase('empty');
    const unmigrated = await runHere(url, ['user', 'list']);
    expect([unmigrated.code, unmigrated.err]).toEqual([1, expect.stringContaining('run "muster migrate" first')]);
    expect((await runHere(url, ['setup', '--name', 'One', '--quiet', ...ana])).code).toBe(0);
  });

  it.each([
    [2, 'space delete 1', 'stdin is no terminal, so nothing can be asked: confirm with --yes'],
    [1, 'space delete 99 --yes', 'There is no space 99'],
    [1, 'space rename 99 --name x', 'There is no space 99'],
    [2, 'space country 1 France', 'must be a country by its two letters of ISO 3166, such as FR'],
    [1, 'space country 1 ZZ', 'must be a country by its two letters of ISO 3166, such as FR'],
    [1, 'space country 99 FR', 'There is no space 99'],
    [1, 'user list --space 99', 'There is no space 99'],
    [1, 'token list --space 99', 'There is no space 99'],
    [1, 'jobs --space 99', 'There is no space 99'],
    [2, 'space rename 1', "required option '--name <name>' not specified"],
    [2, 'member add --space 1', 'give either --mail or --user'],
    [2, 'member add --space 1 --user 1 --mail a@example.org', 'give either --mail or --user'],
    [1, 'member add --space 1 --mail ana@example.org', 'User 1 is already a member of the space'],
    [1, 'member add --space 1 --user 99', 'There is no user 99'],
    [1, 'member add --space 99 --user 1', 'There is no space 99'],
    [
      1,
      'member add --space 1 --mail new@example.org --role nobody',
      'There is no role nobody. The roles of the space: ',
    ],
    [1, 'member role --space 1 --user 1 --role user', 'The last superadmin of a space cannot get another role'],
    [1, 'member remove --space 1 --user 1', 'The last superadmin of a space cannot leave it'],
    [1, 'member invite --space 1 --mail ANA@example.org', 'Already a member of the space: ANA@example.org'],
    [2, 'token create --space 1 --user 1 --scope all', 'Allowed choices are read, write, admin'],
  ])('exit with %i: %s', async (code, line, message) => {
    const result = await runHere(url, line.split(' '));
    expect([result.code, result.out]).toEqual([code, '']);
    expect(result.err).toContain(message);
    expect(
      await sql(
        url,
        'select (select count(*)::int from users) as users, (select count(*)::int from members) as members',
      ),
    ).toEqual([{ users: 1, members: 1 }]);
  });

  it('refuse an account whose mail nobody confirmed, and a name that several roles have', async () => {
    await sql(url, `insert into users (mail, mail_confirmed) values ('boss@example.org', false)`);
    await sql(url, `insert into roles (group_id, name, type) values (1, 'Twin', 'custom'), (1, 'twin', 'custom')`);
    const add = ['member', 'add', '--space', '1', '--mail'];
    const boss = await runHere(url, [...add, 'Boss@example.org', '--role', 'admin']);
    expect([boss.code, boss.err]).toEqual([1, expect.stringMatching(/nobody has confirmed.*muster user confirm/)]);
    const twin = await runHere(url, [...add, 'cleo@example.org', '--role', 'TWIN']);
    expect([twin.code, twin.err]).toEqual([
      1,
      expect.stringMatching(/2 roles are called TWIN: give the id.*Twin \(custom\)/),
    ]);
    expect(await sql(url, 'select user_id from members')).toEqual([{ user_id: '1' }]);
  });

  it('leave lines in the audit log', async () => {
    const audited = await createDatabase('empty');
    expect((await runHere(audited, ['setup', '--name', 'One', '--quiet', ...ana])).code).toBe(0);
    for (const line of [
      'space rename 1 --name Two',
      'space country 1 FR',
      'token create --space 1 --user 1',
      'token create --space 1 --user 9',
      'token revoke 2',
      'token revoke 2',
      'member add --space 1 --mail bea@example.org',
      'member invite --space 1 --mail cleo@example.org',
      'member role --space 1 --user 2 --role superadmin',
      'member remove --space 1 --user 2',
      'member remove --space 1 --user 1',
      'app create --space 1 --name Forms --permissions contacts.read',
      'app token --space 1 --app 1000000000',
      'app delete --space 1 --app 1000000000',
      'space delete 1 --yes',
    ])
      await runHere(audited, line.split(' '));
    const lines = await sql(
      audited,
      'select operation, type, record_id::int as id, user_id, token_id from audit_log where group_id = 1 order by created_at',
    );
    expect(lines.map(({ operation, type, id }) => `${operation} ${type}:${id}`)).toEqual([
      'renameSpace Space:1',
      'setSpaceCountry Space:1',
      'createToken AccessToken:2',
      'revokeToken AccessToken:2',
      'addMember User:2',
      'inviteUsers Invitation:1',
      'changeMemberRole User:2',
      'removeMember User:2',
      'createApp App:1000000000',
      expect.stringMatching(/^createAppToken AccessToken:\d+$/),
      'deleteApp App:1000000000',
      'deleteSpace Space:1',
    ]);
    expect(lines.every((line) => line.user_id === null && line.token_id === null)).toBe(true);
  });

  it('store a mail without what is invisible at its edges', async () => {
    for (const mail of ['\u00a0dora@example.org ', 'DORA@example.org'])
      expect((await runHere(url, ['user', 'create', '--mail', mail])).code).toBe(0);
    expect(await sql(url, `select mail from users where mail ilike '%dora%'`)).toEqual([{ mail: 'dora@example.org' }]);
  });
});

it('a table is aligned, and its values cannot control the terminal', () => {
  const rows = [
    { id: 1, name: 'Zoé\u001b[31m\nred' },
    { id: 22, name: 'x'.repeat(60) },
    { id: 3, name: null },
  ];
  expect(formatTable(rows, { ID: ({ id }) => id, NAME: ({ name }) => name, END: () => '.' }).split('\n')).toEqual([
    `ID  NAME${' '.repeat(38)}END`,
    `1   Zoé\\u001b[31m red${' '.repeat(25)}.`,
    `22  ${'x'.repeat(39)}…  .`,
    `3   -${' '.repeat(41)}.`,
  ]);
});
