// The table of the compared entries: how to install, start and ask each.
import { type Manner, musterGraphql, musterRest } from '../harness/requests.ts';
import { createPostgraphileManner, handGraphql, plainRest } from './requests.ts';
import { directusGraphql, directusRest } from './requests-directus.ts';

export interface Entry {
  name: string;
  /** Its description in the report. */
  what: string;
  manner: Manner;
  /** A file of servers/ (`.ts` is bundled with the project's packages, `.mjs` runs beside its own), or Muster itself. */
  server: string;
  env?: Record<string, string>;
  /** Exact versions, installed on demand into the cache, never into the project. */
  packages?: Record<string, string>;
  /** The entry whose packages it uses, if it has none. */
  besides?: string;
  /** The oldest Node that it supports, if newer than ours. */
  node?: number;
  /** A command that runs once in its folder after the installation: a file of its packages and arguments. */
  prepare?: string[];
  /** Its credential, if it does not accept Muster's token. */
  token?: string;
  /** The entry whose answers it must give, and with which it is compared. */
  yardstick: 'gate' | 'gate-rest';
  sameProcessAs?: string;
}

const pg = { pg: '8.23.1' };
const fastify = { fastify: '5.12.8' };
const directusToken = 'token-of-the-benchmark';
const selected = { yardstick: 'gate' } as const;

export const entries: Entry[] = [
  {
    name: 'floor',
    what: 'node:http, one statement, its JSON passed through',
    manner: plainRest,
    server: 'floor.ts',
    ...selected,
  },
  {
    name: 'gate',
    what: 'the floor behind Muster’s gate statement',
    manner: plainRest,
    server: 'floor.ts',
    env: { GATE: 'true' },
    ...selected,
  },
  {
    name: 'gate-rest',
    what: 'the gate with the one shape of a contact that the REST contract has',
    manner: plainRest,
    server: 'floor.ts',
    env: { GATE: 'true', SHAPE: 'contract' },
    yardstick: 'gate-rest',
  },
  { name: 'muster-graphql', what: 'Muster, POST /graphql', manner: musterGraphql, server: 'muster', ...selected },
  {
    name: 'muster-rest',
    what: 'Muster, its REST routes',
    manner: musterRest,
    server: 'muster',
    sameProcessAs: 'muster-graphql',
    yardstick: 'gate-rest',
  },
  {
    name: 'fastify-rest',
    what: 'Fastify, SQL by hand, relations in batches',
    manner: plainRest,
    server: 'fastify-rest.mjs',
    packages: { ...fastify, ...pg },
    ...selected,
  },
  {
    name: 'fastify-gate',
    what: 'that Fastify doing what Muster does besides: its gate statement, and a note marks its contact',
    manner: plainRest,
    server: 'fastify-rest.mjs',
    env: { GATE: 'true' },
    besides: 'fastify-rest',
    ...selected,
  },
  {
    name: 'fastify-contract',
    what: 'that Fastify, likewise, with the one shape of a contact that the REST contract has',
    manner: plainRest,
    server: 'fastify-contract.mjs',
    env: { GATE: 'true' },
    besides: 'fastify-rest',
    yardstick: 'gate-rest',
  },
  {
    name: 'mercurius-jit',
    what: 'Mercurius with its loaders and JIT, SQL by hand',
    manner: handGraphql,
    server: 'mercurius-jit.mjs',
    packages: { ...fastify, ...pg, mercurius: '16.10.1', graphql: '16.15.0' },
    ...selected,
  },
  {
    name: 'mercurius-gate',
    what: 'that Mercurius, likewise',
    manner: handGraphql,
    server: 'mercurius-jit.mjs',
    env: { GATE: 'true' },
    besides: 'mercurius-jit',
    ...selected,
  },
  {
    name: 'apollo5',
    what: 'Apollo Server 5 on Express 5 with DataLoader, SQL by hand',
    manner: handGraphql,
    server: 'apollo5.mjs',
    packages: {
      ...pg,
      '@apollo/server': '5.5.1',
      '@as-integrations/express5': '1.1.2',
      express: '5.3.0',
      dataloader: '2.2.3',
      graphql: '16.15.0',
    },
    ...selected,
  },
  {
    name: 'postgraphile5',
    what: 'PostGraphile 5, generated from the plain schema, with filters and aggregates',
    manner: createPostgraphileManner('rowId'),
    server: 'postgraphile5.mjs',
    packages: {
      postgraphile: '5.1.5',
      '@graphile/simplify-inflection': '9.0.0',
      'postgraphile-plugin-connection-filter': '3.0.3',
      '@graphile/pg-aggregates': '0.2.0-rc.2',
    },
    node: 22,
    ...selected,
  },
  {
    name: 'drizzle-rest',
    what: 'Drizzle’s relational queries, prepared, behind Fastify',
    manner: plainRest,
    server: 'drizzle-rest.mjs',
    packages: { ...fastify, ...pg, 'drizzle-orm': '0.45.4' },
    ...selected,
  },
  {
    name: 'drizzle-gate',
    what: 'that Drizzle, likewise',
    manner: plainRest,
    server: 'drizzle-rest.mjs',
    env: { GATE: 'true' },
    besides: 'drizzle-rest',
    ...selected,
  },
  {
    name: 'postgraphile4',
    what: 'PostGraphile 4, generated from the plain schema, with filters and aggregates',
    manner: createPostgraphileManner('id'),
    server: 'postgraphile4.mjs',
    packages: {
      ...pg,
      postgraphile: '4.14.1',
      '@graphile-contrib/pg-simplify-inflector': '6.1.0',
      'postgraphile-plugin-connection-filter': '2.3.0',
      '@graphile/pg-aggregates': '0.1.1',
    },
    ...selected,
  },
  {
    name: 'prisma-rest',
    what: 'Prisma 7 with its adapter for node-postgres, behind Fastify',
    manner: plainRest,
    server: 'prisma-rest.mjs',
    packages: { ...fastify, prisma: '7.10.0', '@prisma/client': '7.10.0', '@prisma/adapter-pg': '7.10.0' },
    prepare: ['node_modules/prisma/build/index.js', 'generate', '--schema=schema.prisma'],
    ...selected,
  },
  {
    name: 'directus-rest',
    what: 'Directus, its REST items',
    manner: directusRest,
    server: 'directus.mjs',
    env: { TOKEN: directusToken },
    packages: { directus: '12.3.1' },
    node: 22,
    token: directusToken,
    ...selected,
  },
  {
    name: 'directus-graphql',
    what: 'Directus, its generated graph',
    manner: directusGraphql,
    server: 'directus.mjs',
    sameProcessAs: 'directus-rest',
    token: directusToken,
    ...selected,
  },
];

export const findEntry = (name: string): Entry => {
  const entry = entries.find((one) => one.name === name);
  if (!entry) throw new Error(`There is no entry ${name}: ${entries.map((one) => one.name).join(', ')}`);
  return entry;
};

/** The entry whose process serves this one. */
export const findServingEntry = (entry: Entry): Entry => (entry.sameProcessAs ? findEntry(entry.sameProcessAs) : entry);
/** The entry whose packages it uses. */
export const findPackageEntry = (entry: Entry): Entry =>
  entry.besides ? findEntry(entry.besides) : findServingEntry(entry);
