// The scripts and styles of the pages: from the bundle, or made of the sources when the server runs from them.
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { locatePackageFile } from '../database/package-file.ts';
import { type Assets, loadOnce } from '../http/static-files.ts';

/** The folder of the assets. The hash in a name, such as `explore-4F2QK7AB.js`, is that of the content. */
export const assetFolder = '/explore/assets/';

interface BuiltFile {
  name: string;
  content: Uint8Array;
}

/** Reads the files that `build.js` puts beside the bundled server. */
const readBundle = async (): Promise<BuiltFile[]> => {
  const folder = locatePackageFile('dist/pages/');
  const names = await readdir(folder);
  return Promise.all(names.map(async (name) => ({ name, content: await readFile(new URL(name, folder)) })));
};

/** The name is no literal, so that the bundle of the server does not contain the bundler. */
const buildFromSources = async (): Promise<BuiltFile[]> => {
  const { buildPages } = await import(locatePackageFile('packages/pages/build.js').href);
  const files: { path: string; contents: Uint8Array }[] = await buildPages();
  return files.map(({ path, contents }) => ({ name: path.split('/').at(-1)!, content: contents }));
};

/** Loads the assets when they are first asked for. */
export const loadAssets = loadOnce(async (): Promise<Assets> => {
  const files = await (import.meta.url.endsWith('.ts') ? buildFromSources() : readBundle());
  const compress = promisify(gzip);
  return new Map(
    await Promise.all(files.map(async ({ name, content }) => [assetFolder + name, await compress(content)] as const)),
  );
});

/** The path of the file that an entry became: `explore` and `js` lead to `/explore/assets/explore-4F2QK7AB.js`. */
export const findAsset = (assets: Assets, entry: string, extension: string): string =>
  [...assets.keys()].find((path) => path.startsWith(`${assetFolder}${entry}-`) && path.endsWith(`.${extension}`))!;
