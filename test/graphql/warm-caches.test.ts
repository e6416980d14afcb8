// What is remembered of a document decides nothing about another one: documents are sent twice, in another order, by other callers, with other variables and names.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { createMember } from '../harness/member.ts';

let door: Door;
let reader: string;
let superadmin: string;
let contact: string;
beforeAll(async () => {
  door = await openApp();
  reader = await createMember(door, { type: 'custom', permissions: ['contacts.read'] });
  superadmin = await door.token(1, 1);
  const [{ id }] = await door.sql(
    `select d.contact_id as id from donations d join contacts c on c.group_id = 1 and c.id = d.contact_id and c.deleted_at is null
      where d.group_id = 1 and d.deleted_at is null limit 1`,
  );
  contact = `Contact:${id}`;
});

interface Sent {
  query: string;
  variables?: Json;
  operationName?: string;
}
const post = (sent: Sent, token: string, headers: Record<string, string> = {}): Promise<Answer> =>
  door.rest('POST', '/graphql', sent, token, headers);
const listCodes = ({ body }: Answer): string[] => (body.errors ?? []).map(({ extensions }: Json) => extensions.code);

describe('a permission that a document needs only with some variables', () => {
  const money = 'donations { nodes { amount { amount } } }';
  const documents: [what: string, query: () => string][] = [
    [
      'of a root field that is written twice',
      () =>
        `query ($a: Boolean!) { contact(id: "${contact}") { id } contact(id: "${contact}") @include(if: $a) { ${money} } }`,
    ],
    [
      'with @skip',
      () =>
        `query ($a: Boolean!) { contact(id: "${contact}") { id } ... @skip(if: $a) { b: contact(id: "${contact}") { id } }
           contact(id: "${contact}") @include(if: $a) @skip(if: false) { ${money} } }`,
    ],
    [
      'below a list',
      () =>
        `query ($a: Boolean!) { contacts(first: 2) { nodes { id } } contacts(first: 2) @include(if: $a) { nodes { ${money} } } }`,
    ],
    [
      'below a search',
      () =>
        `query ($a: Boolean!) { searchContacts(first: 2) { nodes { id } } searchContacts(first: 2) @include(if: $a) { nodes { ${money} } } }`,
    ],
    [
      'below node',
      () =>
        `query ($a: Boolean!) { node(id: "${contact}") { id } node(id: "${contact}") @include(if: $a) { ... on Contact { ${money} } } }`,
    ],
    [
      'in a fragment on Query',
      () => `query ($a: Boolean!) { contact(id: "${contact}") { id } ...F @include(if: $a) }
             fragment F on Query { contact(id: "${contact}") { ${money} } }`,
    ],
    [
      'in an inline fragment on Query',
      () =>
        `query ($a: Boolean!) { ... { contact(id: "${contact}") { id } } ... @include(if: $a) { contact(id: "${contact}") { ${money} } } }`,
    ],
    [
      'in a fragment that is spread in two places',
      () => `query ($a: Boolean!) { contact(id: "${contact}") { ...F } b: contact(id: "${contact}") { ...F } ...G @include(if: $a) }
             fragment F on Contact { id } fragment G on Query { contact(id: "${contact}") { ${money} } }`,
    ],
  ];

  it.each(documents)('is required when they say so, whoever sent the document before: %s', async (_, query) => {
    for (const warmer of [reader, superadmin]) {
      const text = `${query()} # ${warmer === reader ? 'reader' : 'superadmin'}`;
      const send = (a: boolean, token: string) => post({ query: text, variables: { a } }, token);
      expect(listCodes(await send(false, warmer))).toEqual([]);
      expect(listCodes(await send(true, reader))).toEqual(['forbidden']);
      expect((await send(true, reader)).text).not.toContain('"donations"');
      expect((await send(true, superadmin)).text).toContain('"donations"');
      expect(listCodes(await send(false, reader))).toEqual([]);
    }
  });

  it('is required by the operation that is named, whatever another one of the document shares with it', async () => {
    const query = `query Plain { ...F } query Money { ...F ...G } fragment F on Query { contact(id: "${contact}") { id } }
      fragment G on Query { contact(id: "${contact}") { ${money} } }`;
    for (const [operationName, codes] of [
      ['Plain', []],
      ['Money', ['forbidden']],
      ['Plain', []],
      ['Money', ['forbidden']],
    ] as const)
      expect(listCodes(await post({ query, operationName }, reader))).toEqual(codes);
  });

  it.each([false, true])('is required of mutations, with a key: %s', async (keyed) => {
    const writer = await createMember(door, { type: 'custom', permissions: ['contacts.read', 'notes.write'] });
    const note = (content: string) => `createNote(input: { contactId: "${contact}", content: "${content}" })`;
    const query = `mutation ($a: Boolean!) { ${note('Same')} { note { id } } ${note('Same')} @include(if: $a) { note { contact { ${money} } } } }`;
    const send = (a: boolean) =>
      post({ query, variables: { a } }, writer, keyed ? { 'Idempotency-Key': `warm-${a}` } : {});
    expect(listCodes(await send(false))).toEqual([]);
    expect(listCodes(await send(true))).toEqual(['forbidden']);
  });

  it('is not required where a literal leaves it out', async () => {
    const query = `{ contact(id: "${contact}") { id donations @include(if: false) { totalCount } ... @skip(if: true) { ${money} } } }`;
    expect(listCodes(await post({ query }, reader))).toEqual([]);
  });

  it('is required for the default of a variable, and when it is not sent', async () => {
    const query = `query ($a: Boolean = true) { contact(id: "${contact}") { id ... @include(if: $a) { ${money} } } }`;
    expect(listCodes(await post({ query, variables: { a: false } }, reader))).toEqual([]);
    expect(listCodes(await post({ query }, reader))).toEqual(['forbidden']);
  });
});

describe('a document that does not parse', () => {
  it('decides nothing about one that reads alike with the name of its operation', async () => {
    const create = 'mutation M { createTeam(input: { name: "Poisoned" }) { team { id } } }';
    const search =
      '{ ...F } fragment F on Query { searchContacts(first: 1000) { nodes { id interactions(first: 9) { nodes { id } } } } }';
    const pairs: { poison: string; query: string }[] = [
      { poison: `M\n${create}`, query: create },
      { poison: `M\nquery M ${search}`, query: `query M ${search}` },
      { poison: 'M\nsubscription M { changes { id } }', query: 'subscription M { changes { id } }' },
    ];
    for (const { poison, query } of pairs) {
      const cost = async (fresh: string) => {
        const { headers, status } = await post({ query: fresh, operationName: 'M' }, superadmin);
        return [status, headers.get('x-ratelimit-cost')];
      };
      expect(listCodes(await post({ query: poison }, reader))).toEqual(['syntax-error']);
      const poisoned = await cost(query);
      expect(poisoned).toEqual(await cost(`${query} # never seen`));
    }
  });

  it('does not make a mutation ignore its key, or be allowed by GET', async () => {
    const query = 'mutation K { createTeam(input: { name: "Keyed once" }) { team { id } } }';
    expect(listCodes(await post({ query: `K\n${query}` }, reader))).toEqual(['syntax-error']);
    const send = () => post({ query, operationName: 'K' }, superadmin, { 'Idempotency-Key': 'poison' });
    const [first, again] = [await send(), await send()];
    expect([first.text, again.headers.get('idempotency-replayed')]).toEqual([again.text, 'true']);
    expect((await door.sql(`select count(*) from teams where name = 'Keyed once'`))[0].count).toBe(1);
    const url = `/graphql?operationName=K&query=${encodeURIComponent(query)}`;
    expect((await door.rest('GET', url, undefined, superadmin)).status).toBe(405);
  });

  it('is not the document that differs from it by half a surrogate pair', async () => {
    const search = (text: string) => `{ contacts(search: "${text}", first: 1) { totalCount } }`;
    const send = (query: string) => post({ query }, superadmin);
    const [cold] = [await send(search('\ufffd'))];
    expect((await send(search('\ud800'))).status).toBe((await send(`${search('\ud800')} # again`)).status);
    expect((await send(search('\ufffd'))).text).toBe(cold!.text);
  });
});

describe('an empty name of an operation', () => {
  it('is none', async () => {
    const query = 'mutation { createTeam(input: { name: "Named by nothing" }) { team { name } } }';
    const { status, body } = await post({ query, operationName: '' }, superadmin);
    expect([status, body.errors]).toEqual([200, undefined]);
  });
});

describe('a named fragment below an interface, beside records that PostgreSQL writes', () => {
  it.each([
    [
      'on a record',
      (id: string) =>
        `{ contact(id: "${id}") { id } node(id: "${id}") { ...F } } fragment F on Contact { id lastName }`,
    ],
    [
      'with records below it',
      (id: string) =>
        `{ contacts(first: 2) { nodes { id } } node(id: "${id}") { ...F } }
         fragment F on Contact { id ...G } fragment G on Node { ... on Contact { tags { name } answers { nodes { id } } } }`,
    ],
    [
      'on Node',
      (id: string) =>
        `{ contact(id: "${id}") { ...F } nodes(ids: ["${id}"]) { ...F } } fragment F on Node { id __typename }`,
    ],
  ])('is selected: %s', async (_, write) => {
    const { status, body } = await post({ query: write(contact) }, reader);
    const { node, nodes } = body.data;
    expect([status, body.errors, (node ?? nodes[0]).id]).toEqual([200, undefined, contact]);
  });
});
