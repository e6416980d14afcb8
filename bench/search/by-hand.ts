// In charge of asking PostgreSQL directly, with SQL written by hand.
import pg, { type QueryResult } from 'pg';
import type { Hand } from './hand.ts';

/** With the memory and the costs that the server gives to its searches. */
export const connectByHand = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, application_name: 'muster bench' });
  // A lost connection fails the query under way as well; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  await client.query(`set timezone = 'UTC'; set work_mem = '64MB'; set random_page_cost = 1.1; set jit = off`);
  return client;
};

/** The page, then the count. */
export const worksByHand = (client: pg.Client, space: number, { page, count }: Hand): (() => Promise<unknown>)[] => [
  () => client.query(page, [space]),
  () => client.query(count, [space]),
];

export const pageByHand = (result: unknown): number[] =>
  (result as QueryResult).rows.map(({ contact_id }) => Number(contact_id));
export const countByHand = (result: unknown): number => Number((result as QueryResult).rows[0].count);
