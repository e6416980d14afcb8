// Files that commands write, and the output of a start, reveal nothing to other users of the machine or readers of its logs.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { formatStart, formatWelcome } from '../../src/commands/demo-token.ts';
import { generateSecret } from '../../src/database/secret.ts';
import { drawSample } from '../harness/sizes.ts';
import { createFiles, type Files } from '../import/files.ts';

vi.setConfig({ testTimeout: 60_000 });

let files: Files;
beforeAll(async () => {
  files = await createFiles();
});

const modeOf = (path: string): number => fs.lstatSync(path).mode & 0o777;

/** Runs a command with a umask that would open every new file to everybody. */
const runWithOpenUmask = async (...args: string[]): Promise<{ code: number; err: string }> => {
  const before = process.umask(0);
  try {
    return await files.muster(...args);
  } finally {
    process.umask(before);
  }
};
const kinds: [what: string, name: string, args: (path: string) => string[], code: number][] = [
  ['muster export --out', 'people.ndjson', (path) => ['export', '--space', '2', '--out', path], 0],
  [
    'muster export notes --out',
    'notes.csv',
    (path) => ['export', 'notes', '--space', '2', '--format', 'csv', '--out', path],
    0,
  ],
  [
    'muster import --faults',
    'faults.ndjson',
    (path) => ['import', 'contacts', files.path('bad.csv'), '--space', '2', '--dry-run', '--faults', path],
    1,
  ],
];

describe.each(drawSample(kinds, { small: 3 }))('%s', (_, name, args, code) => {
  beforeAll(() => fs.writeFileSync(files.path('bad.csv'), 'surname,birthdate\nAda,never\n'));

  it('writes a file for its owner alone, whatever the umask', async () => {
    const path = files.path(`new-${name}`);
    expect((await runWithOpenUmask(...args(path))).code).toBe(code);
    expect([modeOf(path), fs.statSync(path).size > 0]).toEqual([0o600, true]);
  });

  it('closes a file that was open to others, and cannot be read through a handle that was opened before', async () => {
    const path = files.path(`wide-${name}`);
    fs.writeFileSync(path, 'what was there');
    fs.chmodSync(path, 0o666);
    const reader = fs.openSync(path, 'r');
    onTestFinished(() => fs.closeSync(reader));
    expect((await runWithOpenUmask(...args(path))).code).toBe(code);
    expect(modeOf(path)).toBe(0o600);
    expect(fs.readFileSync(reader, 'utf8')).toBe('what was there');
    expect(fs.readFileSync(path, 'utf8')).not.toContain('what was there');
  });

  it('refuses a file that a symbolic link points to', async () => {
    const [path, victim] = [files.path(`link-${name}`), files.path(`victim-${name}`)];
    fs.writeFileSync(victim, 'precious');
    fs.symlinkSync(victim, path);
    const { code: refused, err } = await runWithOpenUmask(...args(path));
    expect([refused, err]).toEqual([1, expect.stringContaining(`muster: ${path} is a symbolic link`)]);
    expect([fs.readFileSync(victim, 'utf8'), fs.lstatSync(path).isSymbolicLink()]).toEqual(['precious', true]);
    fs.rmSync(victim);
    expect((await runWithOpenUmask(...args(path))).code).toBe(1);
    expect(fs.existsSync(victim)).toBe(false);
  });

  it('writes to a pipe as it is', async () => {
    const pipe = files.path(`pipe-${name}`);
    execFileSync('mkfifo', [pipe]);
    const read = fs.promises.readFile(pipe, 'utf8');
    expect((await runWithOpenUmask(...args(pipe))).code).toBe(code);
    expect((await read).length).toBeGreaterThan(0);
    expect(fs.lstatSync(pipe).isFIFO()).toBe(true);
  });
});

describe('the file beside an export, while it is written', () => {
  it.each(['a file', 'a link'])('is a new one, when the place was taken by %s', async (what) => {
    const [path, victim] = [files.path(`aside-${what}.csv`), files.path(`victim of ${what}`)];
    fs.writeFileSync(victim, 'precious', { mode: 0o600 });
    if (what === 'a link') fs.symlinkSync(victim, `${path}.part`);
    else {
      fs.writeFileSync(`${path}.part`, '');
      fs.chmodSync(`${path}.part`, 0o666);
    }
    expect((await runWithOpenUmask('export', '--space', '2', '--format', 'csv', '--out', path)).code).toBe(0);
    expect([modeOf(path), fs.existsSync(`${path}.part`), fs.lstatSync(path).isFile()]).toEqual([0o600, false, true]);
    expect(fs.readFileSync(victim, 'utf8')).toBe('precious');
  });

  it('is closed to others from the beginning', async () => {
    const path = files.path('watched.ndjson');
    const seen = new Set<number>();
    const watching = setInterval(() => fs.existsSync(`${path}.part`) && seen.add(modeOf(`${path}.part`)), 1);
    await runWithOpenUmask('export', '--space', '1', '--interactions', '--out', path).finally(() =>
      clearInterval(watching),
    );
    expect([...seen]).toEqual([0o600]);
  });
});

describe('the output of a start', () => {
  const made = generateSecret('token');
  const pages = { url: 'http://127.0.0.1:4000', graphiql: true, explore: true, docs: true };
  const facts = { ...pages, dataDir: '/srv/data', version: '18.4', terminal: true };
  const file = `/srv/Ada's data/demo-token`;

  it('to a terminal is the token, with the pages and the request that use it', () => {
    const text = formatWelcome({ ...facts, demo: { file, token: made } });
    expect(text).toContain(`\nMuster answers at ${facts.url}\n`);
    expect(text).toContain(`GraphiQL   ${facts.url}/graphql#token=${made}\n`);
    expect(text).toContain(`Explore    ${facts.url}/explore#token=${made}\n`);
    expect(text).toMatch(new RegExp(`Token +${made}\n.*30 days.*kept in ${file}`));
    expect(text).toContain(`"Authorization: Bearer ${made}"`);
    expect(text).toContain(`Guide      ${facts.url}/docs/guide\n`);
    expect(text).toContain('Data       /srv/data; stop Muster and delete this folder to begin anew\n');
  });

  it('to anything else is the place of the token, with a request that reads it from there', () => {
    const text = formatWelcome({ ...facts, terminal: false, demo: { file, token: made } });
    expect(text).not.toContain(made.slice(4, 12));
    expect(text).toContain(`Token      kept in ${file}\n`);
    const [, header] = /-H ("Authorization.*?") -H/.exec(text)!;
    const place = files.path("Ada's data");
    fs.mkdirSync(place);
    fs.writeFileSync(join(place, 'demo-token'), `${made}\n`);
    const here = header!.replace('/srv', files.path('.').replace(/\/\.?$/, ''));
    expect(execFileSync('sh', ['-c', `printf %s ${here}`], { encoding: 'utf8' })).toBe(`Authorization: Bearer ${made}`);
  });

  it('for a token that is no longer valid tells how to create another', () => {
    const text = formatWelcome({ ...facts, demo: { file } });
    expect(text).toContain('npm run -s muster -- token create --space 1 --user 1 --expires 30d\n');
    expect(text).not.toMatch(/curl|#token/);
  });

  it('on the database of an operator names the pages, and what comes first', () => {
    const text = formatStart({ ...pages, graphiql: false }, true);
    expect(text).toContain(`Muster answers at ${pages.url} (/explore, /docs/guide)\n`);
    expect(text).toContain('npm run -s muster -- setup');
    expect(formatStart(pages, false)).not.toContain('setup');
  });
});
