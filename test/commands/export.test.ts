// muster export: what it writes, and where; what it refuses.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';
import { runHere } from '../harness/run-here.ts';

vi.setConfig({ testTimeout: 60_000 });

const place = createFolder();
let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const muster = (...args: string[]) => runHere(door.databaseUrl, args);
const file = (name: string, content: unknown): string => {
  const path = join(place, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const query = { $all: [{ $all: [{ $condition: { attr: 'gender', ope: 'eql', value: 'F' } }] }] };

describe('muster export', () => {
  it('writes everybody of one space, a line each', async () => {
    const { code, out, err } = await muster('export', '--space', '1');
    const [{ count }] = await door.sql('select count(*) from contacts where group_id = 1 and deleted_at is null');
    expect([code, err]).toEqual([0, `${Number(count).toLocaleString('en-US')} contacts exported\n`]);
    const contacts = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(contacts).toHaveLength(Number(count));
    expect(new Set(contacts.map(({ group_id }) => group_id))).toEqual(new Set([1]));
  });

  it.each([
    ['the body of a search', { data: { advanced_search: { query } } }],
    ['a search', { query }],
    ['a query', query],
  ])('writes what %s in a file finds, to a file', async (name, content) => {
    const target = join(place, `${name}.csv`);
    const { code } = await muster(
      'export',
      '--space',
      '1',
      '--search',
      file('search.json', content),
      '--format',
      'csv',
      '--out',
      target,
    );
    expect(code).toBe(0);
    const [{ count }] = await door.sql(
      `select count(*) from contacts where group_id = 1 and gender = 'F' and deleted_at is null`,
    );
    expect(readFileSync(target, 'utf8').match(/^\d+,/gm)).toHaveLength(Number(count));
  });

  it.each([
    ['a space that is not there', ['--space', '987654'], 1, 'There is no space 987654'],
    ['no space', [], 2, '--space'],
    ['a format that there is not', ['--space', '1', '--format', 'xml'], 2, 'csv, ndjson'],
    ['a file that is not there', ['--space', '1', '--search', '/nowhere.json'], 1, '/nowhere.json'],
    ['a folder that is not there', ['--space', '1', '--out', '/nowhere/x.csv'], 1, '/nowhere/x.csv'],
  ])('refuses %s', async (_, args, status, said) => {
    const { code, out, err } = await muster('export', ...args);
    expect([code, out]).toEqual([status, '']);
    expect(err).toContain(said);
  });

  it.each([
    ['misspelt', { querry: query }],
    ['in a misspelt wrapper', { dta: { advanced_search: { query } } }],
    ['null', null],
    ['null in its wrapper', { data: { advanced_search: null } }],
    ['a text', '"everybody"'],
    ['a list', [query]],
  ])('writes nobody when the search is %s', async (_, content) => {
    const { code, out, err } = await muster('export', '--space', '1', '--search', file('search.json', content));
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('search.json has no search')]);
  });

  it('writes digests of deleted people who opted out, by which the privacy page finds their mails', async () => {
    for (const [space, mail] of [
      [1, 'Zoe@Example.org'],
      [2, 'bob@example.org'],
    ])
      await door.sql(
        `insert into opt_outs (group_id, digest) select ?::bigint, d from unnest(digest_opt_out(?, ?, '+33 6 39 98 00 01', null)) d`,
        [space, space, mail],
      );
    const digests = ['1 mail zoe@example.org', '1 phone 639980001'].map((text) =>
      createHash('sha256').update(text).digest('hex'),
    );
    const { out, err } = await muster('export', 'suppressions', '--space', '1');
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(err).toBe('2 suppressions exported\n');
    expect(lines.map(({ digest }) => digest).sort()).toEqual(digests.sort());
    expect(Object.keys(lines[0])).toEqual(['digest', 'created_at']);
    expect(lines[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const target = join(place, 'suppressions.csv');
    expect((await muster('export', 'suppressions', '--space', '1', '--out', target)).code).toBe(0);
    const [, loop] = /^(while read.*?)^```/ms.exec(readFileSync('docs/privacy.md', 'utf8'))!;
    writeFileSync(join(place, 'mails.txt'), 'ZOE@example.org\nbob@example.org\nada@example.org\n');
    expect(execFileSync('sh', ['-c', `${loop} true`], { cwd: place, encoding: 'utf8' })).toBe('ZOE@example.org\n');
    const none = await muster('export', 'suppressions', '--space', '1', '--search', file('search.json', query));
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('contacts only, not with suppressions')]);
  });

  it('names every fault of a search, and leaves no file', async () => {
    const wrong = {
      $all: [
        {
          $all: [
            { $condition: { attr: 'colour', ope: 'eql', value: 'red' } },
            { $condition: { attr: 'gender', ope: 'contains', value: 'F' } },
          ],
        },
      ],
    };
    const target = join(place, 'wrong.ndjson');
    const { code, err } = await muster(
      'export',
      '--space',
      '1',
      '--search',
      file('wrong.json', wrong),
      '--out',
      target,
    );
    expect(code).toBe(1);
    expect(err).toMatch(/\$all\[0\]\.\$all\[0\].*attr/);
    expect(err).toMatch(/\$all\[0\]\.\$all\[1\].*ope/);
    expect([existsSync(target), existsSync(`${target}.part`)]).toEqual([false, false]);
    expect((await muster('export', '--space', '1', '--search', file('torn.json', '{'))).err).toContain('is not JSON');
  });

  it('refuses a search for a form that the space does not have, with the place', async () => {
    const asked = { $all: [{ $all: [{ $condition: { attr: 'form', ope: 'ext', form_id: 987_654_321 } }] }] };
    const { code, out, err } = await muster('export', '--space', '1', '--search', file('form.json', asked));
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('$all[0].$all[0].$condition.form_id must be the id of a form of the space');
  });
});
