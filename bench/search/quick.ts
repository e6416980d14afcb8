// Measures quick search over HTTP: the texts that people type, in the large space.
import { cpus, loadavg, totalmem } from 'node:os';
import type { Client } from 'pg';
import { limitless, startMuster } from '../harness/process.ts';
import { connectByHand } from './by-hand.ts';
import { measureUse, quantile } from './measure.ts';
import { createSpaceToken } from './run.ts';
import { type Ask, createAsker } from './service.ts';

const query =
  'query ($search: String!) { contacts(search: $search, first: 50) { nodes { databaseId firstName lastName email address { city } } } }';

interface Person {
  id: number;
  firstname: string;
  surname: string;
  city: string;
}

/** What is typed, and the contact that is looked for, if there is one. */
interface Typed {
  text: string;
  id?: number;
}

/** The same people in each run. */
const drawPeople = async (client: Client, count: number): Promise<Person[]> =>
  (
    await client.query(
      `select c.id::float8 as id, c.firstname, c.surname, a.city from contacts c join addresses a on a.group_id = 1 and a.contact_id = c.id
        where c.group_id = 1 and c.deleted_at is null and length(c.firstname) > 3 and length(c.surname) > 3 and a.city <> ''
        order by md5(c.id::text) limit $1`,
      [count],
    )
  ).rows;

/** Makes one of the four errors of a letter, by turns. */
const misspell = (word: string, turn: number): string => {
  const place = 1 + (turn % (word.length - 2));
  const [start, letter, next, end] = [word.slice(0, place), word[place]!, word[place + 1]!, word.slice(place + 2)];
  return [start + next + end, `${start}x${letter}${next}${end}`, `${start}x${next}${end}`, start + next + letter + end][
    turn % 4
  ]!;
};

const listTexts = (people: Person[]): [kind: string, texts: Typed[]][] => [
  ['first and family name', people.map(({ id, firstname, surname }) => ({ id, text: `${firstname} ${surname}` }))],
  [
    'one letter of a name wrong',
    people.map(({ id, firstname, surname }, turn) => ({
      id,
      text: turn % 2 ? `${firstname} ${misspell(surname, turn >> 1)}` : `${misspell(firstname, turn >> 1)} ${surname}`,
    })),
  ],
  ['name and city', people.map(({ surname, city }) => ({ text: `${surname} ${city}` }))],
  [
    'very frequent names',
    ['Martin Paris', 'Martin', 'Marie Martin', 'Paul Martin', 'Paris', 'Marie Lyon', 'Marie Martin Paris'].map(
      (text) => ({ text }),
    ),
  ],
  [
    'a name as it is typed',
    ['m', 'ma', 'mar', 'mart', 'marti', 'martin', 'martin p', 'martin pa', 'martin par', 'lert', 'lertin ly'].map(
      (text) => ({ text }),
    ),
  ],
  [
    'nonsense',
    ['qxzjk', 'wvvq qxzjk', 'martin qxzjk', 'marie qxzj', 'paris qxzjk martin', '0000000000', 'qx@zj.wv', '%'].map(
      (text) => ({ text }),
    ),
  ],
];

const ask = async (asked: Ask, text: string): Promise<number[]> => {
  const answer = await asked('/graphql', { query, variables: { search: text } });
  const { data, errors } = JSON.parse(answer.text);
  if (errors) throw new Error(`${text}: ${JSON.stringify(errors)}`);
  return data.contacts.nodes.map(({ databaseId }: { databaseId: number }) => databaseId);
};

const format = (milliseconds: number): string => milliseconds.toFixed(milliseconds < 10 ? 1 : 0);

/** The table of quick search, in Markdown. */
export const measureQuickSearch = async (
  url: string,
  { repeat, command }: { repeat: number; command: string },
): Promise<string> => {
  const client = await connectByHand(url);
  const service = await startMuster(url, limitless);
  try {
    const asked = createAsker(service.port, await createSpaceToken(url, 1));
    const people = await drawPeople(client, 60);
    const rows: string[] = [];
    for (const [kind, texts] of listTexts(people)) {
      const works = texts.map(
        ({ text }) =>
          () =>
            ask(asked, text),
      );
      const { timed, taken, cpu } = await measureUse(url, repeat, works);
      const at = (share: number): string => format(quantile(taken, share));
      const wanted = texts.flatMap(({ id }, place) =>
        id === undefined ? [] : [{ id, found: timed[place]!.result as number[] }],
      );
      const hits = wanted.filter(({ id, found }) => found.includes(id)).length;
      const listed = timed.map(({ result }) => (result as number[]).length).toSorted((a, b) => a - b);
      rows.push(
        `| ${kind} | ${texts.length} | ${at(0.5)} | ${at(0.95)} | ${at(1)} | ${cpu.toFixed(1)} | ${listed[listed.length >> 1]} | ${wanted.length > 0 ? `${hits} of ${wanted.length}` : ''} |`,
      );
    }
    return [
      '## Quick search',
      `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: the data and the machine of the section above (${cpus().length} × ${cpus()[0]?.model ?? 'CPU'},
${Math.round(totalmem() / 2 ** 30)} GB; load average ${loadavg()[0]!.toFixed(1)} at the end of the run). \`contacts(search: …, first: 50)\` in the space of a million, one request after the other, ${repeat} rounds
after one that is not counted. Milliseconds, from sending to the last byte. \`CPU\` is that of PostgreSQL for one search. \`person listed\`: the
person whose names were typed is among the 50; many of them have homonyms.`,
      `| texts | number | median | 95th percentile | slowest | CPU, ms | contacts listed, median | person listed |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}`,
    ].join('\n\n');
  } finally {
    await service.stop();
    await client.end();
  }
};
