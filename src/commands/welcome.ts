// The texts that a start prints: the address, the token and the database of the embedded server, and what comes next on an empty database.
import { type DemoToken, demoRoles, demoTokenDays } from './demo-token.ts';

const query = `{"query":"{ viewer { user { firstName } } contacts(first: 3) { nodes { id firstName lastName } totalCount } }"}`;
const createTokenCommand = `npm run -s muster -- token create --space 1 --user 1 --expires ${demoTokenDays}d`;

/** Quotes a text for the shell. */
const quoteForShell = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

interface WelcomeOptions {
  url: string;
  graphiql: boolean;
  /** Whether the front page and the segment builder are served. */
  explore: boolean;
  demo: DemoToken;
  /** The version of the embedded PostgreSQL. */
  version: string;
  /** Whether standard output is a terminal. Elsewhere it is collected as a log, which must not contain the token. */
  terminal: boolean;
}

export const formatWelcome = ({ url, graphiql, explore, demo, version, terminal }: WelcomeOptions): string => {
  const { file, works, made } = demo;
  const token = terminal ? made : undefined;
  const bearer = token ?? `$(cat ${quoteForShell(file)})`;
  const fragment = token ? `#token=${token}` : '';
  const lines = [
    explore && ['Explore', `${url}/explore${fragment}`],
    graphiql && ['GraphiQL', `${url}/graphql${fragment}`],
    works
      ? [
          'Token',
          token
            ? `${token}\n             valid for ${demoTokenDays} days, printed only once, kept in ${file}`
            : `kept in ${file}`,
        ]
      : ['Token', `there is no valid one here; create one: ${createTokenCommand}`],
    works && [
      'Try',
      `curl -s ${url}/graphql -H "Authorization: Bearer ${bearer}" -H 'Content-Type: application/json' -d '${query}'`,
    ],
    works && ['Roles', `tokens of others are in ${file}.{${demoRoles.join(',')}}`],
    ['Database', `PostgreSQL ${version}, embedded. In production set DATABASE_URL to a maintained PostgreSQL`],
    ['Stop', 'Ctrl-C'],
  ].filter((line) => line !== false);
  return `\nMuster answers at ${url}\n\n${lines.map(([name, text]) => `  ${name!.padEnd(10)} ${text}\n`).join('')}`;
};

/** The text of a start on a database of the operator; `empty` when it has no space yet. */
export const formatStart = (url: string, empty: boolean): string => {
  const next = `
The database has no space yet, so nobody can sign in. Two commands come next, with the same DATABASE_URL:

  npm run -s muster -- setup                                        creates your organisation, and prints a token
  npm run -s muster -- member invite --space <id> --mail <mail>     invites the first colleague
`;
  return `Muster answers at ${url}\n${empty ? next : ''}`;
};
