// In charge of what attacks cost: the server's CPU for each request, how long a neighbour waits beside them, and memory, as a table.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import pg from 'pg';
import { wholeNumber } from '../../src/commands/arguments.ts';
import { Database } from '../../src/data/database.ts';
import { startEmbedded } from '../../src/data/embedded.ts';
import { migrate } from '../../src/data/migrate.ts';
import { packageFile } from '../../src/data/package-file.ts';
import { createToken } from '../../src/gate/token.ts';
import { demoPlan, seed } from '../../src/seed/index.ts';
import { cpuOf, memoryOf, type Server, startProcess } from '../peers/process.ts';
import { writeSection } from '../section.ts';
import { attack } from './attacker.ts';
import { type Attack, attacksOf, type Sent } from './attacks.ts';
import { percentile, readSteadily } from './load.ts';

interface Options {
  seconds: number;
  only?: string;
  out?: string;
}

const program = new Command('bench:abuse')
  .description(
    'What attacks cost: a server of its own, with the limits that it has by default and a heap of 1 GB, is attacked by strangers and by a ' +
      'member, while members of other spaces read a contact 25 times a second.',
  )
  .option('--seconds <number>', 'seconds of each attack', wholeNumber(2, 600), 10)
  .option('--only <text>', 'only attacks whose name contains this')
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

const everyMs = 40;
/** In seconds: how long an attack lives on the full bucket that it finds. It is told apart from what comes after. */
const burst = 3;
const heapMiB = 1024;

/** Spaces of neighbours, who take turns: one alone would run into its own bucket. */
const neighbours = 4;

/** Space 1 attacks: it has contacts with many e-mails. Each neighbour has a space with a contact. */
const prepare = async (url: string): Promise<{ attacker: string; reads: Sent[] }> => {
  await migrate(url);
  await seed(url, demoPlan(2000, 7));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into emails (group_id, contact_id, type, clicked_urls)
     select 1, c.id, 'newsletter', array['https://example.org/' || c.id || '/' || n] from contacts c, generate_series(1, 20) n where c.group_id = 1`,
  );
  const database = new Database(url, { poolSize: 1 });
  const reads: Sent[] = [];
  for (let n = 0; n < neighbours; n++) {
    const { rows } = await client.query<{ space: number; user_id: number; contact: number }>(
      `with space as (insert into spaces (name) values ('Neighbour') returning id),
            person as (insert into users (mail) values ($1) returning id),
            role as (insert into roles (group_id, name, type) select id, 'User', 'user' from space returning group_id, id),
            belonging as (insert into members (group_id, user_id, role_id) select group_id, person.id, role.id from role, person),
            contact as (insert into contacts (group_id, surname) select id, 'Neighbour' from space returning id)
       select space.id::int as space, person.id::int as user_id, contact.id::int as contact from space, person, contact`,
      [`neighbour-${n}@example.org`],
    );
    const { space, user_id, contact } = rows[0]!;
    const token = await createToken(database, space, user_id);
    reads.push({ method: 'GET', path: `/v1/contacts/${contact}`, headers: { Authorization: `Bearer ${token}` } });
  }
  await client.query('analyze');
  await client.end();
  const attacker = await createToken(database, 1, 1);
  await database.close();
  return { attacker, reads };
};

const start = (url: string): Promise<Server> => {
  const folder = fileURLToPath(packageFile('./'));
  return startProcess('muster', {
    args: [`--max-old-space-size=${heapMiB}`, join(folder, 'dist/main.js'), 'serve'],
    cwd: folder,
    env: { DATABASE_URL: url, LOG_LEVEL: 'silent', HOST: '127.0.0.1' },
  });
};

/** The largest asset of GraphiQL's page. */
const assetOf = async (port: number): Promise<string> => {
  const page = await fetch(`http://127.0.0.1:${port}/graphql`, { headers: { Accept: 'text/html' } });
  const [path] = [...(await page.text()).matchAll(/<script src="([^"]+)"/g)].map(([, found]) => found!);
  if (!path) throw new Error('GraphiQL shows no script');
  return path;
};

const round = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

const measure = async (
  server: Server,
  { name }: Attack,
  { reads, seconds, ...as }: { reads: readonly Sent[]; seconds: number; bearer: string; asset: string },
) => {
  const until = (ms: number) => {
    const end = performance.now() + ms;
    return () => performance.now() > end;
  };
  const read = (ms: number): Promise<number[]> => readSteadily(server.port, reads, everyMs, until(ms));
  const rested = cpuOf(server.pid);
  const alone = await read(seconds * 1000);
  const idle = (cpuOf(server.pid) - rested) / seconds;
  let memory = 0;
  const watch = setInterval(() => {
    memory = Math.max(memory, memoryOf(server.pid));
  }, 50);
  const begun = cpuOf(server.pid);
  const attacking = attack({ port: server.port, name, seconds: burst + seconds, ...as });
  const first = await read(burst * 1000);
  const beside = await read(seconds * 1000);
  const attacked = await attacking;
  clearInterval(watch);
  // What the neighbours' reads take is not the attack's.
  const cpu = Math.max(0, cpuOf(server.pid) - begun - idle * (burst + seconds)) / 1000 / attacked.requests;
  const statuses = [...attacked.statuses]
    .sort(([, a], [, b]) => b - a)
    .map(([status, count]) => `${count} × ${status || 'ended'}`);
  const [p99Alone, p99] = [percentile(alone, 0.99), percentile(beside, 0.99)];
  return [
    name,
    Math.round(attacked.requests / (burst + seconds)),
    statuses.slice(0, 3).join(', '),
    round(cpu),
    round(p99Alone),
    round(p99),
    (p99 / p99Alone).toFixed(1),
    round(first.at(-1)!),
    Math.round(memory),
  ];
};

const run = async ({ seconds, only, out }: Options): Promise<void> => {
  const place = mkdtempSync(join(tmpdir(), 'muster-bench-abuse-'));
  const database = await startEmbedded(join(place, 'data'), { onStep: (text) => console.error(text) });
  let server: Server | undefined;
  try {
    const { attacker, reads } = await prepare(database.url);
    server = await start(database.url);
    const as = { bearer: attacker, asset: await assetOf(server.port) };
    const attacks = attacksOf(as).filter(({ name }) => !only || name.includes(only));
    const rows: unknown[][] = [];
    for (const one of attacks) {
      await sleep(3000);
      const row = await measure(server, one, { reads, seconds, ...as });
      console.error(row.join(' | '));
      rows.push(row);
    }
    const head = [
      'attack',
      'requests a second',
      'answers',
      'server CPU per request, ms',
      'neighbour alone, p99 ms',
      'beside, p99 ms',
      'ratio',
      'longest in the burst, ms',
      'peak memory, MiB',
    ];
    const text = [
      `\`npm run bench:abuse -- --seconds ${seconds}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'};
attacker, neighbours, server (heap of ${heapMiB} MiB) and database on this one machine. The 99th percentiles are of the time after the first ${burst} seconds, in which a
member spends the full bucket: the longest read of those is in a column of its own.`,
      attacks.map(({ name, what, rate }) => `- ${name}: ${what}; ${rate} a second at most`).join('\n'),
      [head, head.map((_, index) => (index === 0 || index === 2 ? '---' : '---:')), ...rows]
        .map((cells) => `| ${cells.join(' | ')} |`)
        .join('\n'),
    ].join('\n\n');
    console.log(text);
    if (out) writeSection(out, 'abuse', text);
  } finally {
    await server?.stop();
    await database.stop();
    rmSync(place, { recursive: true, force: true });
  }
};

try {
  await run(program.parse().opts<Options>());
} catch (error) {
  console.error(`bench:abuse: ${(error as Error).message}`);
  process.exitCode = 1;
}
