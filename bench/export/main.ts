// Measures exports while contacts change: missing and repeated contacts, speed and memory.
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import pg from 'pg';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { type SortName, sortNames } from '../../src/search/sort.ts';
import { tokenOf, useClient, useDatabase } from '../harness/database.ts';
import { loadDemo } from '../harness/demo.ts';
import { measureMemory, type Server, startMuster } from '../harness/process.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';

interface Options {
  contacts: number;
  changes: number;
  sorts?: SortName[];
  out?: string;
}

const readSorts = (text: string): string[] => {
  const sorts = text.split(',');
  const unknown = sorts.find((sort) => !(sortNames as readonly string[]).includes(sort));
  if (unknown !== undefined) throw new InvalidArgumentError(`${unknown} is none of ${sortNames.join(', ')}.`);
  return sorts;
};

const program = new Command('bench:export')
  .description('Exports a space while its contacts change, in every order, and counts missing and repeated contacts.')
  .option('--contacts <number>', 'contacts in the space', parseWholeNumber(1000, 5_000_000), 100_000)
  .option('--changes <number>', 'contacts that change each second', parseWholeNumber(0, 100_000), 1000)
  .option('--sorts <names>', 'orders, separated by commas (default: all)', readSorts)
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

const makePeople = async (client: pg.Client, count: number): Promise<void> => {
  await client.query('set statement_timeout = 0');
  await client.query(
    `insert into contacts (group_id, surname, firstname, mail, gender, birthdate, mobile)
     select 1, 'Nom' || n % 9973, 'Prénom' || n % 997, 'p' || n || '@example.org', (array['F', 'M', 'O'])[1 + n % 3], date '1950-01-01' + n % 20000,
            '+336' || lpad(n::text, 8, '0') from generate_series(1, $1::int) n`,
    [count],
  );
  await client.query(
    `insert into addresses (group_id, contact_id, street, postal_code, city)
     select 1, id, 'rue ' || id % 499, (10000 + id % 80000)::text, 'Ville ' || id % 4999 from contacts where group_id = 1 on conflict do nothing`,
  );
  const { rows } = await client.query('select min(id) as first, max(id) as last from contacts where group_id = 1');
  for (let from = Number(rows[0].first); from <= Number(rows[0].last); from += 5000)
    await client.query(
      'select refresh_search(1, array(select id from contacts where group_id = 1 and id between $1::bigint and $1::bigint + 4999))',
      [from],
    );
  await client.query('vacuum analyze');
};

const move = `with moving as (select id from contacts where group_id = 1 and deleted_at is null and id = any($1)),
    moved as (update contacts c set surname = md5(random()::text), firstname = md5(random()::text), married_name = md5(random()::text),
        mail = md5(random()::text) || '@example.org', gender = (array['F', 'M', 'O'])[1 + floor(random() * 3)::int],
        birthdate = date '1950-01-01' + floor(random() * 20000)::int from moving where c.group_id = 1 and c.id = moving.id),
    settled as (update addresses a set city = md5(random()::text) from moving where a.group_id = 1 and a.contact_id = moving.id)
  select array_agg(id) as ids from moving`;

/** Contacts of one transaction. */
const batch = 100;

/** Two writers reach what one alone may not. Each has contacts of its own. */
const writers = 2;

const writeOnAll = async (url: string, ids: number[], perSecond: number, isOver: () => boolean): Promise<number> => {
  const shares = Array.from({ length: writers }, (_, nth) => ids.filter((_, at) => at % writers === nth));
  const rates = await Promise.all(shares.map((share) => writeSteadily(url, share, perSecond / writers, isOver)));
  return rates.reduce((sum, rate) => sum + rate, 0);
};

/** Moves so many contacts a second within every order; deletes one and creates one for each hundred. Resolves to the number of changes a second. */
const writeSteadily = async (url: string, ids: number[], perSecond: number, isOver: () => boolean): Promise<number> => {
  const client = new pg.Client(url);
  await client.connect();
  const begun = performance.now();
  let written = 0;
  while (!isOver()) {
    const due = begun + (written * 1000) / Math.max(perSecond, 1);
    if (perSecond === 0 || due > performance.now()) {
      await sleep(perSecond === 0 ? 100 : due - performance.now());
      continue;
    }
    const some = Array.from({ length: batch }, () => ids[Math.floor(Math.random() * ids.length)]);
    await client.query('begin');
    const { rows } = await client.query(move, [some]);
    await client.query('update contacts set deleted_at = now() where group_id = 1 and id = $1', [some[0]]);
    const come = await client.query(
      `insert into contacts (group_id, surname) values (1, md5(random()::text)) returning id`,
    );
    await client.query('select touch_contacts(1, $1, 1)', [rows[0].ids]);
    await client.query('select refresh_search(1, $1)', [[some[0], come.rows[0].id]]);
    await client.query('commit');
    written += batch;
  }
  await client.end();
  return (written * 1000) / (performance.now() - begun);
};

const show = (value: number): string => Math.round(value).toLocaleString('en-US');

const run = async (
  client: pg.Client,
  url: string,
  { contacts, changes, sorts = [...sortNames], out }: Options,
): Promise<void> => {
  let server: Server | undefined;
  try {
    await makePeople(client, contacts);
    const token = await tokenOf(url);
    server = await startMuster(url, { BUCKET_CAPACITY: '1000' }, ['--max-old-space-size=512']);
    const { port, pid } = server;
    const livingIds = async (): Promise<number[]> =>
      (await client.query('select id from contacts where group_id = 1 and deleted_at is null')).rows.map(({ id }) =>
        Number(id),
      );

    const measure = async (sort: SortName): Promise<string> => {
      const before = await livingIds();
      let [isOver, memory, first] = [false, 0, 0];
      const rested = measureMemory(pid);
      const watch = setInterval(() => {
        memory = Math.max(memory, measureMemory(pid));
      }, 100);
      const writing = writeOnAll(url, before, changes, () => isOver);
      const begun = performance.now();
      const answer = await fetch(`http://127.0.0.1:${port}/export`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ data: { advanced_search: { sort_attr: sort } } }),
      });
      if (answer.status !== 200) throw new Error(await answer.text());
      const seen = new Map<number, number>();
      for await (const line of createInterface({ input: Readable.fromWeb(answer.body as ReadableStream) })) {
        first ||= performance.now() - begun;
        const id = Number(/^\{"id":(\d+)/.exec(line)?.[1] ?? JSON.parse(line).id);
        seen.set(id, (seen.get(id) ?? 0) + 1);
      }
      const seconds = (performance.now() - begun) / 1000;
      isOver = true;
      clearInterval(watch);
      const rate = await writing;
      const after = new Set(await livingIds());
      const missed = before.filter((id) => after.has(id) && !seen.has(id)).length;
      const doubled = [...seen.values()].filter((count) => count > 1).length;
      const cells = [show(seen.size), show(rate), show(doubled), show(missed), show(first), seconds.toFixed(1)];
      return `| ${[sort, ...cells, show(seen.size / seconds), show(rested), show(memory)].join(' | ')} |`;
    };
    const rows: string[] = [];
    for (const sort of sorts) {
      rows.push(await measure(sort));
      console.error(rows.at(-1));
    }
    const text = `## Exports while contacts change

\`npm run bench:export -- --contacts ${contacts} --changes ${changes}${sorts.length < sortNames.length ? ` --sorts ${sorts}` : ''}\` on ${new Date().toISOString().slice(0, 10)}: \`POST /export\` of a space
as NDJSON, in each order, the largest first. Meanwhile ${show(changes)} contacts a second, in batches of ${batch}, get another name, mail, gender, birthdate and
city, and so another place in every order; of each batch one is deleted, and another one made. Doubled: contacts that came twice. Missed: contacts that were
there from the beginning to the end, and did not come. The first line comes once all ids are found. Memory in MiB, of the server alone.
Server, writer, client and database share this machine: what the writer came to is in its column.

| sorted by | contacts | changed per second | doubled | missed | first line, ms | seconds | contacts per second | memory before | at most |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}`;
    printSection('export', text, out);
  } finally {
    await server?.stop();
  }
};

await runProgram<Options>(program, (options) =>
  useDatabase(
    async (url) => {
      await loadDemo(url, 100);
      await useClient(url, (client) => run(client, url, options));
    },
    { shared_buffers: '1GB', max_wal_size: '4GB' },
  ),
);
