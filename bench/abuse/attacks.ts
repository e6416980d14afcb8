// The attacks: the requests, sender, rate and concurrency of each.
import { randomBytes } from 'node:crypto';
import { generateSecret } from '../../src/database/secret.ts';

export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Attack {
  name: string;
  what: string;
  /** Requests a second, and concurrent requests at most. */
  rate: number;
  concurrency: number;
  /** Whether the attack does not read answers. Each then has its own connection. */
  unread?: true;
  request(count: number): Sent;
}

const json = { 'Content-Type': 'application/json' };
const post = (path: string, body: unknown, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path,
  headers: { ...json, ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** A new document of about 3 kB. */
const freshDocument = (count: number): string =>
  `query Q${count}_${randomBytes(4).toString('hex')} { ${Array.from({ length: 70 }, (_, n) => `a${n}: viewer { space { id } user { id } }`).join(' ')} }`;

const manyFields = Array.from({ length: 12 }, (_, n) => `a${n}: firstName`).join(' ');
const largePage = `{ contacts(first: 1000) { nodes { id ${manyFields} emails { nodes { id type createdAt clickedUrls } } notes { nodes { content } } transactions(first: 10) { nodes { id donations(first: 3) { nodes { id } } } } } } }`;
/** The e-mails of 1,000 contacts under so many aliases. 98 of them once cost one point and 14 seconds of CPU. */
const repeatEmails = (count: number): string =>
  `{ contacts(first: 1000) { nodes { ${Array.from({ length: count }, (_, n) => `a${n}: emails { nodes { id } }`).join(' ')} } } }`;
const upserts = `mutation ($inputs: [ContactUpsertInput!]!) { upsertContacts(input: { contacts: $inputs }) { results { outcome } } }`;
const invitations = `{"data":{"invitations":[${Array.from({ length: 60_000 }, () => '{"email":"x"}').join(',')}]}}`;
const deep = `{"query":"{ viewer { space { id } } }","variables":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;

/** `bearer` is a token of the attacking space, and `asset` is the largest file of GraphiQL. */
export const listAttacks = ({ bearer, asset }: { bearer: string; asset: string }): Attack[] => {
  const as = { Authorization: `Bearer ${bearer}` };
  return [
    {
      name: 'stranger: documents',
      what: 'documents of 3 kB without a token, each a new one',
      rate: 300,
      concurrency: 20,
      request: (count) => post('/graphql', { query: freshDocument(count) }),
    },
    {
      name: 'stranger: names',
      what: '`operationName` of 1 MB without a token, each a new one',
      rate: 40,
      concurrency: 20,
      request: (count) =>
        post('/graphql', {
          query: '{ viewer { space { id } } }',
          operationName: String(count).padEnd(1_000_000, 'x'),
        }),
    },
    {
      name: 'stranger: guesses',
      what: 'tokens of the right form that do not exist',
      rate: 500,
      concurrency: 50,
      request: () => post('/search', {}, { Authorization: `Bearer ${generateSecret('token')}` }),
    },
    {
      name: 'stranger: assets',
      what: 'the largest file of GraphiQL on 100 connections, of which nothing is read',
      rate: 50,
      concurrency: 100,
      unread: true,
      request: () => ({ method: 'GET', path: asset, headers: {} }),
    },
    {
      name: 'member: documents',
      what: 'documents of 3 kB with a token, each a new one: the bucket is empty soon',
      rate: 300,
      concurrency: 20,
      request: (count) => post('/graphql', { query: freshDocument(count) }, as),
    },
    {
      name: 'member: large pages',
      what: '1,000 contacts with their e-mails, notes and transactions',
      rate: 20,
      concurrency: 10,
      request: () => post('/graphql', { query: largePage }, as),
    },
    {
      name: 'member: aliases',
      what: '98 aliases of the e-mails of 1,000 contacts: refused for the aliases',
      rate: 100,
      concurrency: 10,
      request: () => post('/graphql', { query: repeatEmails(98) }, as),
    },
    {
      name: 'member: aliases, 15',
      what: '15 aliases of them, which may yield 301,000 records: refused for the records',
      rate: 100,
      concurrency: 10,
      request: () => post('/graphql', { query: repeatEmails(15) }, as),
    },
    {
      name: 'member: aliases, 4',
      what: '4 aliases of them, which may yield 81,000 records: 17 points each',
      rate: 20,
      concurrency: 10,
      request: () => post('/graphql', { query: repeatEmails(4) }, as),
    },
    {
      name: 'member: one mail',
      what: '`upsertContacts` of 400 records of one mail',
      rate: 5,
      concurrency: 4,
      request: (count) => {
        const inputs = Array.from({ length: 400 }, (_, n) => ({ email: 'one@example.org', phone: `+331${count}${n}` }));
        return post('/graphql', { query: upserts, variables: { inputs } }, as);
      },
    },
    {
      name: 'member: invitations',
      what: '60,000 invitations in one body',
      rate: 10,
      concurrency: 10,
      request: () => post('/users/invitation', invitations, as),
    },
    {
      name: 'member: nesting',
      what: 'variables that nest 200,000 levels deep',
      rate: 20,
      concurrency: 10,
      request: () => post('/graphql', deep, as),
    },
    {
      name: 'member: unread pages',
      what: 'large pages on connections of which nothing is read',
      rate: 20,
      concurrency: 50,
      unread: true,
      request: () => post('/graphql', { query: largePage }, as),
    },
  ];
};
