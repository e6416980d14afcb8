// Finds the files of this package, whether the code runs from its sources or from the bundle.
import { existsSync } from 'node:fs';

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
