// In charge of the yardsticks: node:http and one prepared statement whose JSON is passed through as text. With GATE=true Muster's gate goes
// before it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { enterGate } from '../../harness/gate.ts';
import { buildStatements, type Shape } from './floor-sql.ts';

const asText = (text: string): string => text;
// JSON stays the text that PostgreSQL made.
pg.types.setTypeParser(pg.types.builtins.JSON, asText);
const pool = new pg.Pool({ connectionString: process.env.PLAIN_URL!, max: 10 });
const sql = buildStatements((process.env.SHAPE ?? 'selected') as Shape);
const gated = process.env.GATE === 'true';

const values: Record<string, (query: URLSearchParams) => unknown[]> = {
  '/single': (query) => [Number(query.get('id'))],
  '/list50': (query) => [Number(query.get('skip'))],
  '/filter': (query) => [query.get('city'), `{${query.get('tags')}}`],
  '/agg': (query) => [query.get('letter')],
  '/bulk': (query) => [Number(query.get('skip'))],
};

const bodyOf = async (request: IncomingMessage): Promise<{ content: string; pinned: boolean }> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
};

const reply = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const body = request.method === 'POST' ? await bodyOf(request) : undefined;
  const given = body && path === '/note' ? [Number(query.get('id')), body.content, body.pinned] : values[path]?.(query);
  if (!given) return reply(response, 404, '{}');
  if (gated && !(await enterGate(pool, request))) return reply(response, 401, '{}');
  const name = path.slice(1);
  const { rows } = await pool.query({ name, text: sql[name]!, values: given, rowMode: 'array' });
  reply(response, 200, rows[0]?.[0] ?? 'null');
};

createServer((request, response) => {
  answer(request, response).catch((error: Error) => reply(response, 500, JSON.stringify({ error: error.message })));
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));
