// The scripts and styles of the pages, compressed once: from the bundle, or made of the sources when the server runs from them.
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { locatePackageFile } from '../database/package-file.ts';

export interface Asset {
  type: string;
  gzipped: Uint8Array<ArrayBuffer>;
}

/** By name, such as `explore-4F2QK7AB.js`. The hash in a name is that of the content. */
export type Assets = ReadonlyMap<string, Asset>;

interface BuiltFile {
  name: string;
  content: Uint8Array;
}

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Reads the files that `build.js` puts beside the bundled server. */
const readBundle = async (): Promise<BuiltFile[]> => {
  const folder = locatePackageFile('dist/pages/');
  const names = await readdir(folder);
  return Promise.all(names.map(async (name) => ({ name, content: await readFile(new URL(name, folder)) })));
};

/** The name is no literal, so that the bundle of the server does not contain the bundler. */
const buildFromSources = async (): Promise<BuiltFile[]> => {
  const { buildPages } = await import(locatePackageFile('build-pages.js').href);
  const files: { path: string; contents: Uint8Array }[] = await buildPages();
  return files.map(({ path, contents }) => ({ name: path.split('/').at(-1)!, content: contents }));
};

const load = async (): Promise<Assets> => {
  const files = await (import.meta.url.endsWith('.ts') ? buildFromSources() : readBundle());
  const compress = promisify(gzip);
  return new Map(
    await Promise.all(
      files.map(async ({ name, content }): Promise<[string, Asset]> => {
        const gzipped = await compress(content, { level: 9 });
        return [name, { type: types[name.split('.').at(-1)!]!, gzipped }];
      }),
    ),
  );
};

let loading: Promise<Assets> | undefined;

/** Loads the assets when they are first asked for. A failure is not kept. */
export const loadAssets = (): Promise<Assets> => {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
};

/** The name of the file that an entry became: `explore` and `js` lead to `explore-4F2QK7AB.js`. */
export const findAsset = (assets: Assets, entry: string, extension: string): string =>
  [...assets.keys()].find((name) => name.startsWith(`${entry}-`) && name.endsWith(`.${extension}`))!;
