// The yardstick of the corpus: node:http, Muster's gate, and one prepared statement whose JSON is passed on as text.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { enterGate } from '../harness/gate.ts';
import { readStatements } from './documents.ts';

// JSON stays the text that PostgreSQL made.
pg.types.setTypeParser(pg.types.builtins.JSON, (text: string) => text);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: 10, options: '-c timezone=UTC' });

const statements = new Map(
  [...readStatements()].map(([name, text]) => {
    const numbers = [...text.matchAll(/\$(\d)/g)].map(([, number]) => Number(number));
    return [name, { name, text, count: Math.max(...numbers) }];
  }),
);

const reply = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [path, query] = request.url!.slice(1).split('?') as [string, string | undefined];
  const statement = statements.get(path);
  if (!statement) return reply(response, 404, '{}');
  const caller = await enterGate(pool, request);
  if (!caller) return reply(response, 401, '{}');
  const { name, text, count } = statement;
  const values = [caller.group_id, ...new URLSearchParams(query).values(), caller.user_id].slice(0, count);
  const { rows } = await pool.query<[string]>({ name, text, values, rowMode: 'array' });
  reply(response, 200, rows[0]?.[0] ?? 'null');
};

createServer((request, response) => {
  answer(request, response).catch((error: Error) => reply(response, 500, JSON.stringify({ error: error.message })));
}).listen(Number(process.env.PORT), '127.0.0.1');
