// Measures the cost of Knex's public interface, compared with its private interface and with the driver alone.
import { Command } from 'commander';
import pg from 'pg';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { Pool } from '../../src/database/pool.ts';
import { useDatabase } from '../harness/database.ts';

const { seconds, rounds, connections } = new Command('bench:knex')
  .description(
    'Measures how many statements and transactions a second each way to send them does, on an embedded PostgreSQL; medians of rounds.',
  )
  .option('--seconds <number>', 'seconds of each round', parseWholeNumber(1, 600), 2)
  .option('--rounds <number>', 'rounds of each way', parseWholeNumber(1, 99), 5)
  .option('--connections <number>', 'connections, each with one statement at a time', parseWholeNumber(1, 100), 10)
  .parse()
  .opts<{ seconds: number; rounds: number; connections: number }>();

const sql = 'select cast(:id as bigint) as id, cast(:name as text) as name, now() as at';
const values = { id: 7, name: 'Ada' };

interface Rate {
  perSecond: number;
  /** Of this process, in microseconds for each statement. */
  cpu: number;
}

/** Measures the calls of `send` per second with this many concurrent callers, and the CPU of each. */
const measureRate = async (send: () => Promise<unknown>, seconds: number): Promise<Rate> => {
  const before = process.cpuUsage();
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const call = async (): Promise<void> => {
    while (performance.now() < end) {
      await send();
      done++;
    }
  };
  await Promise.all(Array.from({ length: connections }, call));
  const { user, system } = process.cpuUsage(before);
  return { perSecond: done / seconds, cpu: (user + system) / done };
};

await useDatabase(async (url) => {
  const muster = Pool.connect(url, { size: connections });
  const { knex } = muster;
  const pool = new pg.Pool({ connectionString: url, max: connections });
  const statements: Record<string, () => Promise<unknown>> = {
    'the driver alone': () =>
      pool.query({ name: 'bench', text: sql.replace(':id', '$1').replace(':name', '$2'), values: [7, 'Ada'] }),
    'as Muster sends them': () => muster.run(sql, values, 'bench.ours'),
    'knex.raw(sql, values).options({ name })': () => knex.raw(sql, values).options({ name: 'bench.raw' }),
    'the query builder': () =>
      knex.select(knex.raw('cast(? as bigint) as id, cast(? as text) as name, now() as at', [7, 'Ada'])),
  };
  const transactions: Record<string, () => Promise<unknown>> = {
    'as Muster begins one, with one statement': () =>
      muster.transaction((transaction) => transaction.run(sql, values, 'bench.ours')),
    'knex.transaction, with the same statement': () =>
      knex.transaction((transaction) => transaction.raw(sql, values).options({ name: 'bench.raw' })),
  };
  try {
    console.log('| way | a second | ratio | CPU of Node each, µs |\n| --- | ---: | ---: | ---: |');
    for (const ways of [statements, transactions]) {
      const measured = new Map(Object.keys(ways).map((way) => [way, [] as Rate[]]));
      for (let round = 0; round <= rounds; round++)
        for (const [way, send] of Object.entries(ways)) {
          const rate = await measureRate(send, round === 0 ? seconds / 4 : seconds);
          // The first round warms up.
          if (round > 0) measured.get(way)!.push(rate);
        }
      const medianOf = (way: string, key: keyof Rate): number =>
        measured
          .get(way)!
          .map((rate) => rate[key])
          .sort((one, other) => one - other)[Math.floor(rounds / 2)]!;
      const ours = medianOf(Object.keys(ways).find((way) => way.includes('as Muster'))!, 'perSecond');
      for (const way of Object.keys(ways)) {
        const perSecond = medianOf(way, 'perSecond');
        const cells = [
          Math.round(perSecond).toLocaleString('en-US'),
          (perSecond / ours).toFixed(2),
          medianOf(way, 'cpu').toFixed(0),
        ];
        console.log(`| ${way} | ${cells.join(' | ')} |`);
      }
    }
  } finally {
    await Promise.all([muster.close(), pool.end()]);
  }
});
