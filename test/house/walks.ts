// Walks: the files and functions of the program that one warm request runs, counted by V8. A contributor has to read them.
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { readSpace } from '../../src/data/access/space.ts';
import { Database } from '../../src/database/database.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { createApp } from '../../src/server/app.ts';
import { buildDatabaseUrl, runStatement } from '../harness/databases.ts';
import { startSeeded } from '../harness/seeded-server.ts';
import { root } from './tree.ts';

export interface Walk {
  what: string;
  files: string[];
  functions: number;
}

const contact = `query { contact(id: "Contact:1") { id firstName lastName email birthDate address { street city }
  tags { name } notes(first: 5) { nodes { content author { firstName } } } } }`;
const search = {
  data: {
    advanced_search: {
      page: 1,
      per_page: 20,
      query: { $all: [{ $all: [{ $condition: { attr: 'address.city', ope: 'eql', value: 'Lyon' } }] }] },
    },
  },
};

/** The files of the program that ran since the last call, each with the number of its functions. */
const takeWalk = async (session: Session, what: string): Promise<Walk> => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result
    .filter(({ url }) => url.startsWith('file:'))
    .map(({ url, functions }) => ({
      path: relative(root, fileURLToPath(url)),
      // The loader of TypeScript adds `__name` to each file.
      functions: functions.filter(({ functionName, ranges }) => ranges[0]!.count > 0 && functionName !== '__name')
        .length,
    }))
    .filter(({ path, functions }) => /^(src|schema)\//.test(path) && functions > 0);
  return {
    what,
    files: ran.map(({ path }) => path).sort(),
    functions: ran.reduce((sum, one) => sum + one.functions, 0),
  };
};

/** Walks of a contact by its id, a search, a change of a team, an upsert, and of one SQL statement. */
export const measureWalks = async (): Promise<Walk[]> => {
  const server = await startSeeded();
  const url = buildDatabaseUrl(server.url, 'muster_walks');
  await runStatement(server.url, `create database muster_walks template ${server.template}`);
  const database = new Database(url);
  const session = new Session();
  try {
    const app = createApp({
      database,
      config: { BUCKET_CAPACITY: 1_000_000, BUCKET_REFILL: 1000, GRAPHIQL: true, EXPLORE: true },
      log: pino({ level: 'silent' }),
    });
    const token = await createAccessToken(database, 1, 1);
    const ask = async (method: string, path: string, body: unknown): Promise<void> => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const request = new Request(`http://localhost${path}`, { method, headers, body: JSON.stringify(body) });
      const answer = await app.fetch(request, { address: () => '127.0.0.1', hasLeft: () => false });
      const text = await answer.text();
      if (!answer.ok || text.includes('"errors"')) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    };
    let turn = 0;
    const walks: [what: string, walk: () => Promise<unknown>][] = [
      ['contact by id', () => ask('POST', '/graphql', { query: contact })],
      ['search', () => ask('POST', '/search', search)],
      ['PATCH /teams', () => ask('PATCH', '/teams', { data: { team: { id: 1, name: `Walkers ${turn++}` } } })],
      [
        'upsert',
        () => ask('POST', '/contacts/upsert', { data: { mail: 'walk@example.org', firstname: `Walker ${turn++}` } }),
      ],
      ['one SQL statement', () => readSpace(database.space(1))],
    ];
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const measured: Walk[] = [];
    for (const [what, walk] of walks) {
      for (let time = 0; time < 3; time++) await walk();
      await takeWalk(session, what);
      await walk();
      measured.push(await takeWalk(session, what));
    }
    return measured;
  } finally {
    session.disconnect();
    await database.close();
    await server.stop();
  }
};
