// Runs a whole measurement: starts the server, measures each space, then the synchronisation.
import { tokenOf } from '../harness/database.ts';
import { limitless, type Server, startMuster } from '../harness/process.ts';
import type { Build } from './build/build.ts';
import { pickSmallSpace } from './build/parameters.ts';
import { connectByHand } from './by-hand.ts';
import { canSearch } from './over-http.ts';
import { formatPreamble, formatSpaceTable, syncTable } from './report.ts';
import { type Doors, runSpace, type SpaceResult } from './run-space.ts';
import { createAsker } from './service.ts';
import { startWatched, type Watched } from './statements.ts';
import { runSync, type Sync } from './sync.ts';

export interface Measurement {
  repeat: number;
  command: string;
  only: string[] | undefined;
  /** Whether to fetch all contacts of the large space. */
  sync: boolean;
  handOnly: boolean;
}

/** Creates a token of the first member of a space, who may read everything. Tokens of earlier runs stay. */
export const createSpaceToken = (url: string, space: number): Promise<string> => tokenOf(url, space, space * 100);

const doorsOf = async (url: string, service: Server, watched: Watched, space: number): Promise<Doors> => {
  const token = await createSpaceToken(url, space);
  const ask = createAsker(service.port, token);
  const other = watched.asker(token);
  if (!(await canSearch(ask))) throw new Error('This server has no POST /search');
  return {
    ask,
    countStatements: async (work) => {
      await work(other);
      return watched.count(() => work(other));
    },
  };
};

/** The tables, in Markdown. */
export const measureSearches = async (
  url: string,
  build: Build,
  { repeat, command, only, sync, handOnly }: Measurement,
): Promise<string> => {
  const client = await connectByHand(url);
  const service = handOnly ? undefined : await startMuster(url, limitless);
  const watched = handOnly ? undefined : await startWatched(url);
  try {
    const results: SpaceResult[] = [];
    const syncs: Sync[] = [];
    const small = pickSmallSpace(build.parameters);
    for (const space of small ? [1, small] : [1]) {
      const doors = service && watched && (await doorsOf(url, service, watched, space));
      const result = await runSpace(client, space, { doors, repeat, only });
      results.push(result);
      if (space !== 1 || !doors || only) continue;
      // The tables are kept even if the rest fails.
      const given = (what: string) => (error: Error) => {
        console.error(`${what}: ${error.message}`);
        process.exitCode = 1;
      };
      for (const order of sync ? ['lastchange', undefined] : []) {
        const { contacts } = result.subject;
        const synced = runSync(doors.ask, contacts, order);
        await synced.then((sync) => syncs.push(sync), given(`all contacts by ${order ?? 'id'}`));
      }
    }
    const parts = [
      await formatPreamble(client, build, { command, repeat }),
      ...results.map(formatSpaceTable),
      ...(syncs.length > 0 ? [syncTable(syncs)] : []),
    ];
    return parts.join('\n\n');
  } finally {
    await watched?.stop();
    await service?.stop();
    await client.end();
  }
};
