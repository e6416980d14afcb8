// No cliff: an argument, a count, a cursor or a reference costs the server about what the same records cost without it.
import { beforeAll, expect, it } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const ofContacts = (selection: string): string => `{ contacts(first: 50) { nodes { id firstName ${selection} } } }`;
const notes = 'id content createdAt';
const answers = 'id text answeredAt';

/** Documents, each with the plain one that it is compared with. */
const pairs: [what: string, query: string, plain: string][] = [
  [
    'a page of a size',
    ofContacts(`notes(first: 5) { nodes { ${notes} } }`),
    ofContacts(`notes { nodes { ${notes} } }`),
  ],
  ['a count', ofContacts(`notes { totalCount nodes { ${notes} } }`), ofContacts(`notes { nodes { ${notes} } }`)],
  [
    'the position of a page',
    ofContacts(`notes { nodes { ${notes} } pageInfo { hasNextPage endCursor } }`),
    ofContacts(`notes { nodes { ${notes} } }`),
  ],
  [
    'a reference',
    ofContacts(`notes { nodes { ${notes} author { databaseId } } }`),
    ofContacts(`notes { nodes { ${notes} } }`),
  ],
  [
    'a form',
    ofContacts(`answers { nodes { ${answers} form { databaseId label } } }`),
    ofContacts(`answers { nodes { ${answers} } }`),
  ],
  [
    'edges',
    '{ contacts(first: 50) { edges { cursor node { id firstName lastName email } } } }',
    '{ contacts(first: 50) { nodes { id firstName lastName email } } }',
  ],
];

/** Milliseconds of CPU for some requests. */
const measure = async (query: string): Promise<number> => {
  const before = process.cpuUsage();
  for (let time = 0; time < 20; time++) expect((await door.graphql(query)).body.errors).toBeUndefined();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

// Field by field, these took two to four times as much. Other work on the machine costs some of them a tenth more.
const limit = 1.7;
it.each(pairs)('%s costs little', async (_, query, plain) => {
  const best = { query: Number.POSITIVE_INFINITY, plain: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 12; round++) {
    best.query = Math.min(best.query, await measure(query));
    best.plain = Math.min(best.plain, await measure(plain));
    if (round > 1 && best.query / best.plain < limit) break;
  }
  expect(best.query / best.plain).toBeLessThan(limit);
});
