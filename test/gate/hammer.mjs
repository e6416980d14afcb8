// Takes tokens from the bucket of one space as fast as it can, for some seconds, beside other such processes. Prints every decision.
import pg from 'pg';

const [url, hash, seconds] = process.argv.slice(2);
const sql =
  'select admitted, tokens, extract(epoch from instant)::text as at from enter_gate($1, $2, 100, 10, $3) order by place';
const until = Date.now() + Number(seconds) * 1000;
const decisions = [];

/**
 * Each connection sends one, two or three requests at once, some of them expensive. Those that do not wait get no answer while another
 * connection locks the bucket.
 */
const worker = async (number) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (let count = number; Date.now() < until; count++) {
    const costs = Array.from({ length: 1 + (count % 3) }, (_, place) => ((count + place) % 7 === 0 ? 5 : 1));
    const values = [costs.map(() => Buffer.from(hash, 'hex')), costs, count % 2 === 0];
    const { rows } = await client.query({ name: 'gate', text: sql, values });
    decisions.push(...rows.map(({ at, admitted, tokens }, place) => [at, place, costs[place], admitted, tokens]));
  }
  await client.end();
};

await Promise.all([0, 1, 2, 3].map(worker));
process.stdout.write(JSON.stringify(decisions));
