// Every command in README.md and docs/ is run against a server and a database of its own, or stands in a list that says why it is not.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCodeBlocks } from '../../packages/pages/guide/markdown.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/database/database.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { startServer } from '../../src/server/server.ts';
import { createDatabase } from '../harness/app.ts';
import { findFreePort } from '../harness/free-port.ts';
import { buildProgram } from '../harness/program.ts';
import { drawSample } from '../harness/sizes.ts';
import { findUnknown, splitCommands } from './shell.ts';

const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync('docs').map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);

/** Pages whose commands another test runs, in their order. It names the page. */
const testedElsewhere: Record<string, string> = {
  'docs/setup.md': 'test/commands/setup.test.ts',
  'docs/graphql.md': 'test/docs/graphql-guide.test.ts',
  'docs/typescript.md': 'test/docs/typescript-guide.test.ts',
};

/** Commands that are not run, and why. Their calls of `muster` are compared with the table of commands. */
const notRun: readonly [pattern: RegExp, reason: string][] = [
  [
    /^npm (ci|install|pack|run (check|build|dev))/,
    'installs packages, builds, runs these tests, or serves until it is stopped',
  ],
  [/^git clone ADDRESS/, 'names the repository that the reader looks at'],
  [/^npx openapi-typescript/, 'a program of others; test/rest/ makes the same types'],
  [
    /^(docker|kubectl|install|echo .*openssl)/,
    'needs root, or a service that is not here; the files have tests of their own',
  ],
  [/^OTEL_\w+=/, 'needs packages that are not here: test/server/ makes the traces'],
  [/\| age /, 'needs a program of others'],
  [/^\d+ \d+ \* \* /, 'a line of cron, which the test of backups runs by its parts'],
  [/^export DATABASE_URL=/, 'names a database of the reader'],
  [/muster (-- )?setup/, 'needs an empty database: test/commands/setup.test.ts'],
  [/muster restore(?! --verify)/, 'needs an empty database: test/commands/backup.test.ts'],
  [/muster restore --verify/, 'creates a second database for minutes: test/commands/backup.test.ts'],
  [/muster person erase .*--user/, 'asks for the id in a terminal: test/commands/person.test.ts'],
  [/muster move-in/, 'needs another server, or its exports: test/move/'],
  [/muster import undo/, 'names an import of the reader: test/import/'],
  [/muster (-- )?import \w+ .*--contacts 12/, 'names an import of the reader: test/import/'],
];

const { folder, program, place } = buildProgram();
const programs = join(folder, 'bin');
let url: string;
let databaseUrl: string;
let token: string;
let metricsPort: number;

/** Writes a program that comes before others of its name. */
const writeProgram = (name: string, text: string): void => {
  writeFileSync(join(programs, name), `#!/bin/bash\n${text}\n`);
  chmodSync(join(programs, name), 0o755);
};

/** `npm start`: serves at a free port until the shell ends, and is done when the server answers. */
const start = `
  PORT=0 DRAIN_SECONDS=0 muster serve > served 2>&1 &
  echo $! >> servers
  until grep -q 'Muster answers at' served; do kill -0 $! || { cat served >&2; exit 1; }; sleep 0.1; done`;

/** User 7 and token 7, of whom the pages speak. The pages use another token. */
const addSeventh = async (database: Database): Promise<void> => {
  await database.readers.knex('users').where({ id: 7 }).update({ mail: 'ana@example.org', mail_confirmed: false });
  for (let count = 0; count < 7; count++) await createAccessToken(database, 1, 1);
};

/** Settings that a command on a page takes from the text around it. */
const settings = {
  OIDC_ISSUER: 'https://login.example.org/realms/association',
  OIDC_AUDIENCE: 'https://muster.example.org',
};

/** The files that the pages speak of. */
const files: Record<string, string> = {
  'people.csv': 'surname,firstname,mail\nCosta,Ana,ana.costa@example.org\n',
  'members.csv': 'Nom,E-mail\nBlum,ben.blum@example.org\n',
  'mails.txt': 'ana.costa@example.org\n',
  'sync.csv': 'external_id,surname\nA-1,Roux\n',
  'adherents.csv': 'Nom,Prénom,Né le,CP,Newsletter\nRoux,Cléo,31/12/1980,69001,\n',
  'persisted-documents.json': JSON.stringify({
    [createHash('sha256').update('{ __typename }').digest('hex')]: '{ __typename }',
  }),
  'search.json': '{"query":{"$all":[{"$all":[{"$condition":{"attr":"gender","ope":"eql","value":"F"}}]}]}}',
};

beforeAll(async () => {
  databaseUrl = await createDatabase();
  const config = readConfig({ PORT: '0', HOST: '127.0.0.1', DRAIN_SECONDS: '0', DATABASE_URL: databaseUrl });
  const server = await startServer(config, databaseUrl, pino({ level: 'silent' }));
  afterAll(() => server.stop());
  url = server.url.replace('127.0.0.1', 'localhost');
  token = await createAccessToken(server.database, 1, 1);
  await addSeventh(server.database);
  metricsPort = await findFreePort();
  mkdirSync(programs);
  writeProgram('muster', `exec node ${program} "$@"`);
  writeProgram(
    'npm',
    `if [ "$1" = start ]; then ${start}\nexit; fi\n[ "$1 $2 $3 $4" = "run -s muster --" ] || exit 9; shift 4; exec muster "$@"`,
  );
  mkdirSync(join(place, '.muster'));
  writeFileSync(join(place, '.muster/demo-token'), token);
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(place, name), text, name === 'adherents.csv' ? 'latin1' : 'utf8');
}, 120_000);

const listShellBlocks = (page: string): string[] =>
  listCodeBlocks(readFileSync(page, 'utf8'))
    .filter(({ language }) => ['sh', 'console', 'bash', 'shell'].includes(language))
    .map(({ text }) => text);

const findReason = (command: string): string | undefined => notRun.find(([pattern]) => pattern.test(command))?.[1];

/** Runs commands in one shell, and returns the output of each. Throws for the first that fails. */
const runInShell = (commands: readonly string[]): Promise<string[]> => {
  const marked = commands.map((command, index) => `printf '\\n@@%s\\n' ${index}\n${command}`);
  // Servers that have been started serve the commands after them.
  const script = [`trap '[ ! -e servers ] || { kill $(cat servers); rm servers; }' EXIT`, ...marked].join('\n');
  const env = {
    ...settings,
    PATH: `${programs}:${process.env.PATH}`,
    HOME: place,
    DATABASE_URL: databaseUrl,
    MUSTER: url,
    TOKEN: token,
    NODE_PATH: join(folder, 'node_modules'),
  };
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['-e', '-o', 'pipefail', '-c', script],
      { cwd: place, env, timeout: 170_000 },
      (error, out, err) => {
        const outputs = out.split(/\n@@\d+\n/).slice(1);
        if (error) reject(new Error(`${commands[outputs.length - 1]}\n${outputs.at(-1)}\n${err}`));
        else resolve(outputs);
      },
    );
  });
};

/** An answer of either door that is no problem. */
const expectAnswer = (command: string, output: string): void => {
  const { errors, type } = JSON.parse(output);
  expect([command, errors, type]).toEqual([command, undefined, undefined]);
};

const pagesHere = pages.filter((page) => !testedElsewhere[page] && listShellBlocks(page).length > 0);

describe.each(drawSample(pagesHere, { small: 4 }))('%s', (page) => {
  const all = listShellBlocks(page).flatMap(splitCommands);

  it('has commands that succeed', async () => {
    const run = all
      .filter((command) => findReason(command) === undefined)
      .map((command) => command.replaceAll(/(http:\/\/)?localhost:4000/g, url).replaceAll('9464', `${metricsPort}`))
      // A failed check is about the host.
      .map((command) => (command.startsWith('muster doctor') ? `${command} || [ $? = 1 ]` : command));
    const outputs = await runInShell(run);
    expect(outputs).toHaveLength(run.length);
    for (const [index, output] of outputs.entries()) {
      if (run[index]!.startsWith('muster doctor')) expect(output).toMatch(/^\d+ checks: \d+ failed/m);
      if (run[index]!.endsWith('/metrics')) expect(output).toMatch(/^muster_\w+(\{.*\})? \d/m);
      else if (run[index]!.startsWith('curl')) expectAnswer(run[index]!, output);
    }
  }, 180_000);

  it('names commands and options that exist', async () => {
    expect((await Promise.all(all.map(findUnknown))).flat()).toEqual([]);
  });
});

it('commands are in blocks that say so', () => {
  const unmarked = pages
    .filter((page) => !testedElsewhere[page])
    .flatMap((page) =>
      listCodeBlocks(readFileSync(page, 'utf8'))
        .filter(
          ({ language, text }) =>
            language === '' && /^(\w+=\S+ )*(muster|npm|npx|curl|node|export|docker|kubectl) /m.test(text),
        )
        .map(({ text }) => `${page}: ${text.split('\n')[0]}`),
    );
  expect(unmarked).toEqual([]);
});

it('pages that are tested elsewhere are named there', () => {
  const present = Object.entries(testedElsewhere).filter(([page]) => existsSync(page));
  const unnamed = present.filter(([page, test]) => !readFileSync(test, 'utf8').includes(page));
  expect(unnamed).toEqual([]);
});

describe('commands', () => {
  it('are told apart by line, quote and comment', () => {
    const text = "a 1 # no\nb 'x\ny' \\\n  --z # no\nc |\n  d\n\n# no\ne \"#\" '#'\n";
    expect(splitCommands(text)).toEqual(['a 1', "b 'x\ny' \\\n  --z", 'c |\n  d', 'e "#" \'#\'']);
  });

  it('that do not exist are found', async () => {
    const lines = ['muster nothing', 'npm run -s muster -- token create --never x', 'X=$(muster token list --space 1)'];
    expect((await Promise.all(lines.map(findUnknown))).flat()).toEqual([
      'There is no command nothing',
      'muster token has no option --never',
    ]);
  });
});
