// Measures over HTTP what the graph alone can ask: a text beside a query, conditions that one record satisfies together, places, and timelines.
import { limitless, startMuster } from '../harness/process.ts';
import { connectByHand } from './by-hand.ts';
import { measureUse, quantile } from './measure.ts';
import { createSpaceToken } from './run.ts';
import { createAsker } from './service.ts';

interface Question {
  title: string;
  document: string;
  /** The variables of each request. */
  asked: object[];
}

const page = 'nodes { databaseId firstName lastName address { city } } pageInfo { hasNextPage endCursor }';
const search = (query: string, rest = ''): string =>
  `{ searchContacts(first: 50, query: ${query}${rest}) { ${page} } }`;
const beside = `query ($text: String!) { searchContacts(search: $text, first: 50, query: { gender: { equals: F } }) { ${page} } }`;
const dear = 'amount: { gte: 10000 }';

interface Person {
  id: number;
  firstname: string;
  surname: string;
  latitude: number;
  longitude: number;
}

const askPlaces = (page: string, query = 'address: { near: { point: $point, km: $km } }'): string =>
  `query ($point: Coordinates!, $km: Float!) { searchContacts(${page}: 50, orderBy: { field: DISTANCE }, query: { ${query} }) {
  edges { distance node { databaseId firstName lastName address { city } } } pageInfo { hasNextPage endCursor } } }`;
const near = askPlaces('first');
/** A square of about 20 km. */
const askSquare = (people: readonly Person[]): object[] =>
  people.map(({ latitude, longitude }) => {
    const [south, north, west, east] = [latitude - 0.1, latitude + 0.1, longitude - 0.1, longitude + 0.1];
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ];
    return { polygon: [ring] };
  });
const askNear = (people: readonly Person[], km: number): object[] =>
  people.map(({ latitude, longitude }) => ({ point: { latitude, longitude }, km }));

const listQuestions = (people: readonly Person[]): Question[] => [
  {
    title: 'a text of two names, among women',
    document: beside,
    asked: people.map(({ firstname, surname }) => ({ text: `${firstname} ${surname}` })),
  },
  {
    title: 'a frequent name, or the beginning of one, among women',
    document: beside,
    asked: ['martin', 'marie', 'dupo', 'mar', 'ma'].map((text) => ({ text })),
  },
  {
    title: 'a donation of 100 € or more within the last year',
    document: search(`{ donations: { any: { ${dear}, transactionDate: { within: { last: { days: 365 } } } } } }`),
    asked: [{}],
  },
  {
    title: 'two donations of 100 € or more, by name',
    document: search(`{ donations: { count: { of: { ${dear} }, gte: 2 } } }`, ', orderBy: { field: LAST_NAME }'),
    asked: [{}],
  },
  {
    title: 'no donation of 100 € or more, by name',
    document: search(`{ donations: { none: { ${dear} } } }`, ', orderBy: { field: LAST_NAME }'),
    asked: [{}],
  },
  { title: 'within 2 km of somebody, the nearest first', document: near, asked: askNear(people, 2) },
  { title: 'within 50 km of somebody, the nearest first', document: near, asked: askNear(people, 50) },
  { title: 'the same, the farthest first', document: askPlaces('last'), asked: askNear(people, 50) },
  {
    title: 'women within 50 km who gave 100 € or more in all, the nearest first',
    document: askPlaces(
      'first',
      'and: [{ address: { near: { point: $point, km: $km } } }, { gender: { equals: F } }, { donations: { total: { gte: 10000 } } }]',
    ),
    asked: askNear(people, 50),
  },
  {
    title: 'within a square of 20 km',
    document: `query ($polygon: [[[Float!]!]!]!) { searchContacts(first: 50, query: { address: { within: { polygon: $polygon } } }) { ${page} } }`,
    asked: askSquare(people),
  },
  {
    title: 'the timeline of a contact, 20 entries with their items',
    document: `query ($id: ID!) { contact(id: $id) { timeline(first: 20) { nodes { at kind item { __typename ... on Note { content }
      ... on Interaction { type } ... on Email { openedAt } ... on Donation { amount { amount } } ... on Transaction { amount { amount } } ... on Answer { text } ... on Change { fields } } } pageInfo { endCursor } } } }`,
    asked: people.map(({ id }) => ({ id })),
  },
];

/** The table of these questions, in Markdown. */
export const measureDocuments = async (
  url: string,
  { repeat, command }: { repeat: number; command: string },
): Promise<string> => {
  const client = await connectByHand(url);
  const service = await startMuster(url, limitless);
  try {
    const ask = createAsker(service.port, await createSpaceToken(url, 1));
    const { rows: people } = await client.query(
      `select c.id::float8 as id, c.firstname, c.surname, a.latitude, a.longitude from contacts c join addresses a on a.group_id = 1 and a.contact_id = c.id
        where c.group_id = 1 and c.deleted_at is null and c.firstname <> '' and c.surname <> '' and a.latitude is not null and a.longitude is not null
        order by md5(c.id::text) limit 40`,
    );
    const rows: string[] = [];
    for (const { title, document, asked } of listQuestions(people)) {
      const send = async (variables: object): Promise<void> => {
        const { text } = await ask('/graphql', { query: document, variables });
        if (JSON.parse(text).errors) throw new Error(`${title}: ${text}`);
      };
      const works = asked.map((variables) => () => send(variables));
      const { taken, cpu } = await measureUse(url, repeat, works);
      const [median, p95, slowest] = [0.5, 0.95, 1].map((share) => quantile(taken, share).toFixed(1));
      rows.push(`| ${title} | ${asked.length} | ${median} | ${p95} | ${slowest} | ${cpu.toFixed(1)} |`);
    }
    return `## What the graph alone can ask

\`${command}\` on ${new Date().toISOString().slice(0, 10)}: the data and the machine of the searches above, over HTTP, one request after the other; ${repeat} rounds after one that is not counted. Milliseconds, from
sending to the last byte; \`CPU\` is that of PostgreSQL for one request.

| question | requests | median | 95th percentile | slowest | CPU, ms |
| --- | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}`;
  } finally {
    await service.stop();
    await client.end();
  }
};
