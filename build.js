// Bundles the command line into dist/, packages included: one small set of files starts several times faster than thousands.
// Does nothing when the sources are those of the bundle, so that every start may call it.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const runtimePackages = readJson('packages/release/runtime-packages.json');

// Before `npm start` comes to the program, which says the same. All of this file must be readable to an old Node.
const [lowest, own] = [readJson('package.json').engines.node, process.versions.node].map((text) => text.match(/\d+/g));
if (own[0] - lowest[0] < 0 || (own[0] === lowest[0] && own[1] - lowest[1] < 0)) {
  console.error(
    `muster: Node ${own.join('.')} is too old: Muster needs Node ${lowest.join('.')} or newer. See https://nodejs.org`,
  );
  process.exit(1);
}

const sources = [
  'build.js',
  'package-lock.json',
  ...readdirSync('.').filter((file) => file.endsWith('.md')),
  ...['src', 'packages', 'schema', 'docs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`),
  ),
];
/** Names, sizes and times, not the newest time alone: files also disappear, and become those of an older commit. */
const describe = (file) => {
  const { size, mtimeMs } = statSync(file);
  return `${file} ${size} ${mtimeMs}\n`;
};
const fingerprint = createHash('sha256').update(sources.map(describe).join('')).digest('hex');
const isFresh = () => {
  try {
    return readFileSync('dist/sources.sha256', 'utf8') === fingerprint;
  } catch {
    return false;
  }
};

/** Writes the files of the guide under their numbers, and an index of them. What renders them stays out of the bundle. */
const buildGuideInto = async (folder, build) => {
  mkdirSync(folder);
  const outfile = `${folder}/build.mjs`;
  const options = { bundle: true, platform: 'node', target: 'node20', format: 'esm', logLevel: 'error' };
  await build({ ...options, entryPoints: ['packages/pages/guide/build.ts'], outfile, external: ['esbuild'] });
  const { buildGuide } = await import(pathToFileURL(outfile).href);
  const files = await buildGuide('.');
  for (const [number, { content }] of files.entries()) writeFileSync(`${folder}/${number}`, content);
  writeFileSync(`${folder}/index.json`, JSON.stringify(files.map(({ path, type }) => ({ path, type }))));
  rmSync(outfile);
};

if (!isFresh()) {
  if (process.stderr.isTTY) console.error('Building Muster (some seconds, after a change only).');
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
  // Made beside the old bundle: an interrupted build leaves that one, and two builds at once do not mix their files.
  const made = `dist-${process.pid}`;
  await build({
    entryPoints: ['src/main.ts'],
    outdir: made,
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
    external: [
      // Drivers of other databases, which knex names but never asks for.
      'better-sqlite3',
      'mariadb',
      'mysql',
      'mysql2',
      'oracledb',
      'pg-native',
      'pg-query-stream',
      'sqlite3',
      'tedious',
      // The program reads their files, or starts their programs: they are installed beside it.
      ...Object.keys(runtimePackages.bundled),
      ...runtimePackages.optional,
    ],
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
  const { buildPages } = await import('./packages/pages/build.js');
  await buildPages(`${made}/pages`);
  await buildGuideInto(`${made}/guide`, build);
  writeFileSync(`${made}/sources.sha256`, fingerprint);
  rmSync('dist', { recursive: true, force: true });
  try {
    renameSync(made, 'dist');
  } catch (error) {
    rmSync(made, { recursive: true });
    if (!isFresh()) throw error;
  }
}
