// Searches at once beside writes, in the largest space of a database: what each kind of request waits for, and what is refused.
import { setTimeout as sleep } from 'node:timers/promises';
import { tokenOf, useClient } from '../harness/database.ts';
import { limitless, startMuster } from '../harness/process.ts';
import { describeMachine } from './machine.ts';
import { quantile } from './measure.ts';
import { ms, number, table } from './report.ts';
import { type Ask, createAsker } from './service.ts';

/** Conditions as people combine them, by the kind of request that is reported together. */
const questions: Record<string, readonly [query: string, fields: string][]> = {
  'first pages': [
    ['{ lastName: { startsWith: "mar" } }', 'nodes { id firstName lastName email }'],
    ['{ email: { startsWith: "camille" } }', 'nodes { id firstName lastName email }'],
    ['{ tags: { in: ["Sympathisant", "Bénévole"] } }', 'nodes { id lastName tags { name } }'],
    [
      '{ and: [{ gender: { equals: F } } { birthDate: { between: { from: "now-35y", to: "now-18y" } } }] }',
      'nodes { id lastName birthDate }',
    ],
    ['{ address: { city: { equals: "Lyon" } } }', 'nodes { id lastName address { city } }'],
    ['{ and: [{ donations: { total: { gte: 10000 } } } { optedOut: { equals: false } }] }', 'nodes { id lastName }'],
    [
      '{ and: [{ emails: { openedAt: { exists: true } } } { not: { address: { country: { equals: "FR" } } } }] }',
      'nodes { id lastName }',
    ],
  ],
  'counts with a ceiling': [
    ['{ gender: { equals: F } }', 'count { value isExact }'],
    ['{ emails: { createdAt: { within: { this: YEAR } } } }', 'count { value isExact }'],
  ],
  'exact counts': [
    ['{ emails: { type: { equals: "campaign" } } }', 'totalCount'],
    ['{ or: [{ address: { street: { exists: true } } } { birthCity: { exists: true } }] }', 'totalCount'],
    ['{ and: [{ birthDate: { lte: "1980-01-01" } } { tags: { notIn: ["Bénévole"] } }] }', 'totalCount'],
  ],
  'all e-mails and notes': [
    ['{ emails: { subject: { notContains: "qxzjk" } } }', 'totalCount'],
    ['{ notes: { content: { contains: "qxzjk" } } }', 'totalCount'],
  ],
};
const writes = ['notes', 'updates'] as const;
const mutations = {
  notes:
    'mutation ($id: ID!, $text: String!) { createNote(input: { contactId: $id, content: $text }) { note { id } } }',
  updates:
    'mutation ($id: ID!, $text: String!) { updateContact(input: { id: $id, firstName: $text }) { contact { id } } }',
};

/** Over which the writes are sent. */
const connections = 40;

interface Kind {
  taken: number[];
  refused: number;
}

/** Waits for all, so that none is cut when the server stops, and fails with the first that failed. */
const settle = async (works: readonly Promise<void>[]): Promise<void> => {
  const failed = (await Promise.allSettled(works)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
};

/** Sends a document. A refusal with 429 or 503 is counted, and waits a moment; anything else that fails ends the benchmark. */
const send = async (ask: Ask, body: object, kind: Kind): Promise<void> => {
  const started = performance.now();
  const { status, text } = await ask('/graphql', body);
  if (status === 429 || status === 503 || /"status":(429|503)/.test(text)) {
    kind.refused++;
    await sleep(100);
    return;
  }
  if (status !== 200 || text.includes('"errors"')) throw new Error(`${status} ${text.slice(0, 300)}`);
  kind.taken.push(performance.now() - started);
};

interface LoadOptions {
  searchers: number;
  writesPerSecond: number;
  seconds: number;
  command: string;
}

const pickSearches = (kinds: Record<string, Kind>): Record<string, Kind> =>
  Object.fromEntries(Object.entries(kinds).filter(([name]) => name in questions));

/** The table, in Markdown: each kind of request with so many searches at once beside the writes, and beside none. */
export const measureLoad = async (url: string, options: LoadOptions): Promise<string> => {
  const { space, contacts, user, ids, names } = await useClient(url, async (client) => {
    const { rows } = await client.query(
      `select space, contacts, (select min(m.user_id)::int from members m where m.group_id = space) as user,
              (select array_agg(id::int) from (select id from contacts where group_id = space and deleted_at is null order by id limit 5000) c) as ids,
              (select array_agg(firstname) from (select distinct firstname from contacts where group_id = space and firstname > '' limit 500) f) as names
         from (select group_id::int as space, count(*)::int as contacts from contact_search group by 1 order by 2 desc limit 1) s`,
    );
    return rows[0];
  });
  const token = await tokenOf(url, space, user);
  const service = await startMuster(url, limitless);
  const createKinds = (): Record<string, Kind> =>
    Object.fromEntries([...Object.keys(questions), ...writes].map((name) => [name, { taken: [], refused: 0 }]));
  const asked = Object.entries(questions).flatMap(([kind, list]) =>
    list.map(([query, fields]) => {
      const first = fields.startsWith('nodes') ? 'first: 50, orderBy: { field: LAST_NAME }, ' : '';
      return { kind, body: { query: `{ searchContacts(${first}query: ${query}) { ${fields} } }` } };
    }),
  );
  const search = async (searcher: number, kinds: Record<string, Kind>, goesOn: () => boolean): Promise<void> => {
    const ask = createAsker(service.port, token);
    for (let turn = searcher * 5; goesOn(); turn++) {
      const { kind, body } = asked[turn % asked.length]!;
      await send(ask, body, kinds[kind]!);
    }
  };
  /** At their rate, whatever the answers take. */
  const write = async (kinds: Record<string, Kind>, goesOn: () => boolean): Promise<void> => {
    const askers = Array.from({ length: connections }, () => createAsker(service.port, token));
    const sent: Promise<void>[] = [];
    const started = performance.now();
    for (let turn = 0; goesOn(); turn++) {
      const kind = writes[turn % writes.length]!;
      const variables = { id: `Contact:${ids[(turn * 7919) % ids.length]}`, text: names[turn % names.length] };
      sent.push(send(askers[turn % askers.length]!, { query: mutations[kind], variables }, kinds[kind]!));
      await sleep(Math.max(0, started + ((turn + 1) * 1000) / options.writesPerSecond - performance.now()));
    }
    await settle(sent);
  };
  const run = async (searchers: number, writing: boolean): Promise<Record<string, Kind>> => {
    const kinds = createKinds();
    const deadline = performance.now() + options.seconds * 1000;
    const goesOn = (): boolean => performance.now() < deadline;
    await settle([
      ...Array.from({ length: searchers }, (_, searcher) => search(searcher, kinds, goesOn)),
      ...(writing ? [write(kinds, goesOn)] : []),
    ]);
    return kinds;
  };
  try {
    // This warms the process too: its first writes are slow, and those behind them wait.
    const alone = { ...(await run(0, true)), ...pickSearches(await run(1, false)) };
    console.error('one search at a time: done');
    const loaded = await run(options.searchers, true);
    const cells = (kind: Kind | undefined): string[] => {
      if (!kind || kind.taken.length + kind.refused === 0) return ['', '', '', ''];
      const [median, p95, slowest] = [0.5, 0.95, 1].map((share) => ms(quantile(kind.taken, share)));
      return [number(kind.taken.length), `${median} / ${p95}`, `${slowest}`, number(kind.refused)];
    };
    const rows = Object.keys(loaded).map((name) => [name, ...cells(alone[name]).slice(0, 2), ...cells(loaded[name])]);
    const head = ['', 'alone', 'median / 95 %', 'under load', 'median / 95 %', 'slowest', 'refused'];
    return `## Searches beside writes

\`${options.command}\` on ${describeMachine()}
${options.searchers} clients that search, each again as soon as it has its answer, in a space of ${number(contacts)} contacts, and ${options.writesPerSecond} writes a second there, for ${options.seconds} s; before that, the writes alone, and one client that searches, alone. Milliseconds. \`refused\`
got 429 or 503 and came again later.

${table(head, rows)}

A space runs two searches at once, of which one may be long; of those that wait, shorter ones go first. A long search that waits for more than five seconds is refused.`;
  } finally {
    await service.stop();
  }
};
