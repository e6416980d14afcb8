// Every command in README.md and docs/ is run against a server and a database of its own, or stands in a list that says why it is not.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { listCodeBlocks } from '../../src/guide/markdown.ts';
import { startServer } from '../../src/server.ts';
import { newDatabase } from '../harness/app.ts';
import { buildProgram } from '../harness/program.ts';
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
    /^(\w+=\S+ )*npm (ci|start|install|pack|run (check|build|dev))/,
    'installs packages, runs these tests, or serves until it is stopped',
  ],
  [/^npx openapi-typescript/, 'a program of others; test/rest/ makes the same types'],
  [
    /^(docker|kubectl|install|echo .*openssl)/,
    'needs root, or a service that is not here; the files have tests of their own',
  ],
  [/^(curl -s 127\.0\.0\.1:9464|OTEL_\w+=)/, 'needs a port or a collector of metrics; they have tests of their own'],
  [/\| age /, 'needs a program of others'],
  [/^\d+ \d+ \* \* /, 'a line of cron, which the test of backups runs by its parts'],
  [/^export DATABASE_URL=/, 'names a database of the reader'],
  [/muster (-- )?setup/, 'needs an empty database: test/commands/setup.test.ts'],
  [/muster restore(?! --verify)/, 'needs an empty database: test/commands/backup.test.ts'],
  [/muster restore --verify/, 'creates a second database for minutes: test/commands/backup.test.ts'],
  [/muster doctor/, 'its exit code is about the host'],
  [/muster person erase .*--user/, 'asks for the id in a terminal: test/commands/person.test.ts'],
  [
    /muster user (un)?link|muster user confirm|muster token revoke/,
    'names users and tokens of the reader: test/commands/user.test.ts',
  ],
  [/muster (-- )?import (--help )?qomon/, 'needs another server, or its exports: test/move/'],
  [/muster import undo/, 'names an import of the reader: test/import/'],
  [/muster (-- )?import \w+ .*--contacts 12/, 'names an import of the reader: test/import/'],
];

const { folder, program, place } = buildProgram();
const programs = join(folder, 'bin');
let url: string;
let databaseUrl: string;
let token: string;

/** Writes a program that comes before others of its name. */
const writeProgram = (name: string, text: string): void => {
  writeFileSync(join(programs, name), `#!/bin/bash\n${text}\n`);
  chmodSync(join(programs, name), 0o755);
};

/** The files that the pages speak of. */
const files: Record<string, string> = {
  'people.csv': 'surname,firstname,mail\nCosta,Ana,ana.costa@example.org\n',
  'members.csv': 'Nom,E-mail\nBlum,ben.blum@example.org\n',
  'sync.csv': 'external_id,surname\nA-1,Roux\n',
  'adherents.csv': 'Nom,Prénom,Né le,CP,Newsletter\nRoux,Cléo,31/12/1980,69001,\n',
  'search.json': '{"query":{"$all":[{"$all":[{"$condition":{"attr":"gender","ope":"eql","value":"F"}}]}]}}',
};

beforeAll(async () => {
  databaseUrl = await newDatabase();
  const settings = { PORT: '0', HOST: '127.0.0.1', DRAIN_SECONDS: '0', DATABASE_URL: databaseUrl };
  const server = await startServer(readConfig(settings), databaseUrl, pino({ level: 'silent' }));
  afterAll(() => server.stop());
  url = server.url.replace('127.0.0.1', 'localhost');
  token = await createAccessToken(server.database, 1, 1);
  mkdirSync(programs);
  writeProgram('muster', `exec node ${program} "$@"`);
  writeProgram('npm', '[ "$1 $2 $3 $4" = "run -s muster --" ] || exit 9; shift 4; exec muster "$@"');
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
  const script = commands.map((command, index) => `printf '\\n@@%s\\n' ${index}\n${command}`).join('\n');
  const env = {
    ...{ PATH: `${programs}:${process.env.PATH}`, HOME: place, DATABASE_URL: databaseUrl, MUSTER: url, TOKEN: token },
    NODE_PATH: join(folder, 'node_modules'),
  };
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['-e', '-o', 'pipefail', '-c', script],
      { cwd: place, env, timeout: 120_000 },
      (error, out, err) => {
        const outputs = out.split(/\n@@\d+\n/).slice(1);
        if (error) reject(new Error(`${commands[outputs.length - 1]}\n${outputs.at(-1)}\n${err}`));
        else resolve(outputs);
      },
    );
  });
};

describe.each(pages.filter((page) => !testedElsewhere[page] && listShellBlocks(page).length > 0))('%s', (page) => {
  const all = listShellBlocks(page).flatMap(splitCommands);

  it('has commands that succeed', async () => {
    const run = all
      .filter((command) => findReason(command) === undefined)
      .map((command) => command.replaceAll(/(http:\/\/)?localhost:4000/g, url));
    const outputs = await runInShell(run);
    expect(outputs).toHaveLength(run.length);
    for (const [index, output] of outputs.entries()) {
      if (!run[index]!.startsWith('curl')) continue;
      const { errors, type } = JSON.parse(output);
      expect([run[index], errors, type]).toEqual([run[index], undefined, undefined]);
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
