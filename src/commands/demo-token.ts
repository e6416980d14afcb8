// The access token of the demo's superadmin, which the start that fills the demo creates, and the texts that a start prints.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { quoteForShell } from '../../packages/embedded-server/file-access.ts';
import { isValidToken } from '../database/access-token.ts';
import type { Database } from '../database/database.ts';
import { digestSecret, isSecretForm } from '../database/secret.ts';
import { createAccessToken } from '../gate/token.ts';
import { writePrivateFile } from './private-file.ts';

/** Its lifetime in days. */
const demoTokenDays = 30;

/** The users of the demo whose tokens are created along: one of each other role. The treasurer has a custom role. */
const others = { admin: 2, manager: 4, treasurer: 7, user: 10 };

/** The demo token as a start reports it. */
export interface DemoToken {
  /** The file that stores it. */
  file: string;
  /** The token itself; none when the stored one is no longer valid. */
  token?: string;
}

const locateTokenFile = (dataDir: string): string => join(resolve(dataDir), 'demo-token');

/**
 * Creates the token. Only the start that has just seeded calls it. When that start dies before this call, the demo has no token, and later
 * starts create none: otherwise a start would restore access that somebody has revoked.
 */
export const createDemoToken = async (database: Database, dataDir: string): Promise<DemoToken> => {
  const expires = new Date(Date.now() + demoTokenDays * 86_400_000).toISOString();
  const created = await createAccessToken(database, 1, 1, expires);
  const file = locateTokenFile(dataDir);
  const write = (path: string, token: string) =>
    writePrivateFile(path, async (target) => void target.write(`${token}\n`));
  for (const [role, user] of Object.entries(others))
    await write(`${file}.${role}`, await createAccessToken(database, 1, user, expires));
  await write(file, created);
  return { file, token: created };
};

/** Reads the token that an earlier start created. */
export const findDemoToken = async (database: Database, dataDir: string): Promise<DemoToken> => {
  const file = locateTokenFile(dataDir);
  const stored = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  const isValid = isSecretForm('token', stored) && (await isValidToken(database.readers, digestSecret(stored)));
  return { file, ...(isValid && { token: stored }) };
};

const query = `{"query":"{ viewer { user { firstName } } contacts(first: 3) { nodes { id firstName lastName } totalCount } }"}`;
const createTokenCommand = `npm run -s muster -- token create --space 1 --user 1 --expires ${demoTokenDays}d`;

interface Served {
  url: string;
  graphiql: boolean;
  /** Whether the front page and the segment builder are served. */
  explore: boolean;
  /** Whether the guide is served. */
  docs: boolean;
}

interface WelcomeOptions extends Served {
  demo: DemoToken;
  /** The folder of the embedded PostgreSQL. */
  dataDir: string;
  /** The version of the embedded PostgreSQL. */
  version: string;
  /** Whether standard output is a terminal. Elsewhere it is collected as a log, which must not contain the token. */
  terminal: boolean;
}

type Line = [name: string, text: string];

/** The pages that are served, with a fragment that brings a token. */
const listPages = ({ url, graphiql, explore, docs }: Served, fragment = ''): Line[] => [
  ...(explore ? [['Explore', `${url}/explore${fragment}`] as Line] : []),
  ...(graphiql ? [['GraphiQL', `${url}/graphql${fragment}`] as Line] : []),
  ...(docs ? [['Guide', `${url}/docs/guide`] as Line] : []),
];

/** The text of a start with the embedded PostgreSQL. */
export const formatWelcome = ({ demo, dataDir, version, terminal, ...served }: WelcomeOptions): string => {
  const { file, token } = demo;
  const shown = terminal ? token : undefined;
  const bearer = shown ?? `$(cat ${quoteForShell(file)})`;
  const kept = `kept in ${file}`;
  const access: Line[] = token
    ? [
        [
          'Token',
          shown ? `${shown}\n             valid for ${demoTokenDays} days from the first start, ${kept}` : kept,
        ],
        [
          'Try',
          `curl -s ${served.url}/graphql -H "Authorization: Bearer ${bearer}" -H 'Content-Type: application/json' -d '${query}'`,
        ],
        ['Roles', `tokens of others are in ${file}.{${Object.keys(others).join(',')}}`],
      ]
    : [['Token', `there is no valid one here; create one: ${createTokenCommand}`]];
  const lines: Line[] = [
    ...listPages(served, shown && `#token=${shown}`),
    ...access,
    ['Database', `PostgreSQL ${version}, embedded. In production set DATABASE_URL to a maintained PostgreSQL`],
    ['Data', `${resolve(dataDir)}; stop Muster and delete this folder to begin anew`],
    ['Stop', 'Ctrl-C'],
  ];
  const body = lines.map(([name, text]) => `  ${name.padEnd(10)} ${text}\n`).join('');
  return `\nMuster answers at ${served.url}\n\n${body}\n`;
};

/** The text of a start on a database of the operator, a line among those of the log; `empty` when it has no space yet. */
export const formatStart = (served: Served, empty: boolean): string => {
  const next = `
The database has no space yet, so nobody can sign in. Two commands come next, with the same DATABASE_URL:

  npm run -s muster -- setup                                        creates your organisation, and prints a token
  npm run -s muster -- member invite --space <id> --mail <mail>     invites the first colleague
`;
  const pages = listPages(served).map(([, address]) => address.slice(served.url.length));
  return `Muster answers at ${served.url}${pages.length > 0 ? ` (${pages.join(', ')})` : ''}\n${empty ? next : ''}`;
};
