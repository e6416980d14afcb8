// What a start with the embedded server says to whoever started it: where it answers, how to come in, what the database is.
import { type DemoToken, demoTokenDays } from './demo-token.ts';

const query = `{"query":"{ viewer { user { firstname } } contacts(first: 3) { nodes { id firstname surname } totalCount } }"}`;
const another = `npm run -s muster -- token create --space 1 --user 1 --expires ${demoTokenDays}d`;

/** A text that the shell takes as it is. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

interface Facts {
  url: string;
  graphiql: boolean;
  demo: DemoToken;
  /** The version of the embedded PostgreSQL. */
  version: string;
  /** Whether a person reads it. What goes elsewhere is kept, by whoever collects logs: no token goes there. */
  terminal: boolean;
}

export const printWelcome = ({ url, graphiql, demo, version, terminal }: Facts): string => {
  const { file, works, made } = demo;
  const shown = terminal ? made : undefined;
  const bearer = shown ?? `$(cat ${quoted(file)})`;
  const lines = [
    graphiql && ['GraphiQL', `${url}/graphql${shown ? `#token=${shown}` : ''}`],
    works
      ? [
          'Token',
          shown
            ? `${shown}\n             for ${demoTokenDays} days, shown this once, kept in ${file}`
            : `kept in ${file}`,
        ]
      : ['Token', `none that works is kept here; make one: ${another}`],
    works && [
      'Try',
      `curl -s ${url}/graphql -H "Authorization: Bearer ${bearer}" -H 'Content-Type: application/json' -d '${query}'`,
    ],
    [
      'Database',
      `PostgreSQL ${version}, embedded. In production set DATABASE_URL to a PostgreSQL that is kept up to date`,
    ],
    ['Stop', 'Ctrl-C'],
  ].filter((line) => line !== false);
  return `\nMuster answers at ${url}\n\n${lines.map(([name, text]) => `  ${name!.padEnd(10)} ${text}\n`).join('')}`;
};
