// Bundles what runs in the browser: the script and the style of each page, named by a hash of their content.
import { build } from 'esbuild';

const folder = new URL('browser/', import.meta.url).pathname;

/** The files, as esbuild describes them. They are written to `outdir` unless it is undefined. */
export const buildPages = async (outdir) => {
  const { outputFiles } = await build({
    entryPoints: { explore: `${folder}main.tsx`, front: `${folder}front.ts`, site: `${folder}site.css` },
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
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles;
};
