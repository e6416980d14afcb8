// Runs hand-written SQL directly on PostgreSQL.
import pg, { type QueryResult } from 'pg';
import type { Hand } from './hand.ts';

/** Connects with the settings that the server uses for its searches. */
export const connectByHand = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, application_name: 'muster bench' });
  // A lost connection also fails the running query. Without a listener the event would end the process.
  client.on('error', () => {});
  await client.connect();
  await client.query(`set timezone = 'UTC'; set work_mem = '64MB'; set random_page_cost = 1.1; set jit = off`);
  return client;
};

/** The page, then the count. */
export const prepareHandQueries = (
  client: pg.Client,
  space: number,
  { page, count }: Hand,
): (() => Promise<unknown>)[] => [() => client.query(page, [space]), () => client.query(count, [space])];

export const pageByHand = (result: unknown): number[] =>
  (result as QueryResult).rows.map(({ contact_id }) => Number(contact_id));
export const countByHand = (result: unknown): number => Number((result as QueryResult).rows[0].count);
