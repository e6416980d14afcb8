// Finds the files of this package, whether the code runs from its sources or from the bundle.
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

const root = ((): URL => {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const above = new URL('../', folder);
    if (above.href === folder.href)
      throw new Error(`No package.json lies above ${new URL('./', import.meta.url).pathname}`);
    folder = above;
  }
  return folder;
})();

/** The address of a file or folder of the package, such as `migrations/`. */
export const locatePackageFile = (path: string): URL => new URL(path, root);

/** The version of the program, and the versions of Node that it runs on. */
export const readPackage = (): { version: string; engines: { node: string } } =>
  JSON.parse(readFileSync(locatePackageFile('package.json'), 'utf8'));

export interface PageFile {
  /** Ends with a hash of the content: `explore-4F2QK7AB.js`. */
  name: string;
  content: Uint8Array;
}

/** Reads the files that `build.js` puts beside the bundled server. */
const readBundle = async (): Promise<PageFile[]> => {
  const folder = locatePackageFile('dist/pages/');
  const names = await readdir(folder);
  return Promise.all(names.map(async (name) => ({ name, content: await readFile(new URL(name, folder)) })));
};

/** The name is no literal, so that the bundle of the server does not contain the bundler. */
const buildFromSources = async (): Promise<PageFile[]> => {
  const { buildPages } = await import(locatePackageFile('packages/pages/build.js').href);
  const files: { path: string; contents: Uint8Array }[] = await buildPages();
  return files.map(({ path, contents }) => ({ name: path.split('/').at(-1)!, content: contents }));
};

/** The scripts and styles of all pages. */
export const readPageFiles = (): Promise<PageFile[]> =>
  import.meta.url.endsWith('.ts') ? buildFromSources() : readBundle();
