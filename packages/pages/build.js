// Bundles what runs in the browser: the script and the style of each page, named by a hash of their content; GraphiQL's with its examples.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';

const folder = new URL('browser/', import.meta.url).pathname;
const exampleFolder = new URL('../../docs/examples/', import.meta.url);

/** The operations that GraphiQL offers, in the order of their files. The first line has the title; variables are in a JSON file beside. */
export const readExamples = () =>
  readdirSync(exampleFolder)
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => {
      const query = readFileSync(new URL(file, exampleFolder), 'utf8');
      const json = new URL(file.replace(/graphql$/, 'json'), exampleFolder);
      const variables = existsSync(json) ? readFileSync(json, 'utf8').trimEnd() : undefined;
      return { title: query.slice(2, query.indexOf('\n')), query, variables };
    });

/** The files, as esbuild describes them. They are written to `outdir` unless it is undefined. */
export const buildPages = async (outdir) => {
  const { outputFiles } = await build({
    entryPoints: {
      explore: `${folder}main.tsx`,
      front: `${folder}front.ts`,
      graphiql: `${folder}graphiql.ts`,
      site: `${folder}site.css`,
    },
    entryNames: '[name]-[hash]',
    outdir: outdir ?? 'pages',
    write: outdir !== undefined,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"', EXAMPLES: JSON.stringify(readExamples()) },
  });
  return outputFiles;
};
