// The documents of the corpus are answered, by no more statements than there are levels to read: never by one for each record.
import { parse } from 'graphql';
import { beforeAll, expect, inject, it } from 'vitest';
import { readCorpus } from '../../bench/corpus/documents.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { type Ids, prepareIds } from '../requests/index.ts';

let door: Door;
let ids: Ids;
beforeAll(async () => {
  door = await openApp();
  ids = await prepareIds(door, 1);
});

const given = (): Record<string, unknown> => ({
  contact: `Contact:${ids.contacts}`,
  other: `Contact:${ids.otherContacts}`,
  note: `Note:${ids.notes}`,
  team: `Team:${ids.teams}`,
  mail: 'nobody@example.org',
  query: { address: { country: { equals: 'FR' } } },
  text: 'mar',
});

/** Statements at most, with that of the gate. */
const most: Record<string, number> = {
  'campaign-report': 2,
  'change-feed': 3,
  'contact-aliases': 2,
  'contact-by-mail': 2,
  'contact-cards': 2,
  'contact-detail': 2,
  'contact-header': 2,
  'contact-interactions': 2,
  'contact-money': 2,
  'contact-notes': 2,
  'contact-refetch': 2,
  'contact-switched': 2,
  'contact-table': 3,
  'contact-table-answers': 2,
  'contact-table-authors': 2,
  'contact-table-backwards': 2,
  'contact-table-nodes': 2,
  'contact-table-notes': 2,
  'contact-table-owner': 2,
  'create-note': 5,
  // How many of its five lists are ready at the same moment varies.
  dashboard: 9,
  'donation-ledger': 2,
  'form-builder': 2,
  'interaction-feed': 2,
  'log-call': 6,
  'mailing-audience': 3,
  'membership-list': 2,
  'node-note': 2,
  'nodes-mixed': 3,
  'note-feed': 2,
  'quick-search': 9,
  'search-facets': 4,
  'search-map': 2,
  'search-page': 3,
  'segment-contacts': 7,
  settings: 2,
  'tag-contacts': 13,
  'team-detail': 2,
  'team-list': 2,
  'thousand-with-answers': 2,
  'update-contact': 10,
  'user-list': 3,
};

it.each([...readCorpus()])('%s', async (name, query) => {
  const [operation] = parse(query).definitions.flatMap((one) => (one.kind === 'OperationDefinition' ? [one] : []));
  const names = (operation!.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const variables = Object.fromEntries(Object.entries(given()).filter(([key]) => names.includes(key)));
  // The first one of a kind also reads what is kept afterwards.
  if (operation!.operation === 'query') await door.graphql(query, variables);
  let body: Json;
  const statements = await door.statements(async () => ({ body } = await door.graphql(query, variables)));
  expect(body.errors).toBeUndefined();
  const told = `${name}:\n${statements.join('\n')}`;
  expect(statements.length, told).toBeLessThanOrEqual(most[name]! + (inject('onCluster') ? 3 : 0));
  // A budget that nothing needs any more is lowered.
  expect(statements.length, told).toBeGreaterThanOrEqual(most[name]! - 3);
});
