// Makes the guide of the Markdown: every page as compressed HTML, its style, its script and the index of its search. Runs at build time.
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build } from 'esbuild';
import type { AssetPaths } from '../html.ts';
import {
  derivedNote,
  type Found,
  findListingPage,
  guidePath,
  isGuideFile,
  listedFolders,
  locatePage,
  modelIndexPath,
  type Part,
  parts,
  schemaPath,
  wholeGuidePath,
} from './contents.ts';
import { listImages, renderMarkdown, type Section } from './markdown.ts';
import { type GuideAssets, type Neighbours, renderHomePage, renderTextPage } from './page.ts';

/** A file of the site. It is stored compressed, unless its format is compressed already. */
export interface SiteFile {
  /** The address on the server. */
  path: string;
  type: string;
  content: Uint8Array;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

const assetFolder = `${guidePath}/assets/`;

/** Links to these files lead to where the server has their content. */
const served: Record<string, string> = { 'README.md': guidePath, 'openapi.json': '/openapi.json' };

/** The target of a link or an image on the site; undefined for a source file, which the site does not have. */
export const resolveTarget = (file: string, target: string, pages: readonly string[]): string | undefined => {
  if (/^(https?:|#)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const found = normalize(join(dirname(file), path));
  const page =
    Object.entries(listedFolders).find(([folder]) => folder === found || folder === `${found}/`)?.[1] ?? found;
  if (pages.includes(page)) return `${locatePage(page)}${anchor === undefined ? '' : `#${anchor}`}`;
  return served[page];
};

/** The Markdown files of the guide that exist below this folder. */
const listPages = async (root: string): Promise<string[]> => {
  const inDocs = await readdir(join(root, 'docs'), { recursive: true });
  const inRoot = await readdir(root);
  return [...inDocs.map((name) => `docs/${name}`), ...inRoot].filter(isGuideFile).sort();
};

const compress = promisify(gzip);

class Assets {
  readonly files: SiteFile[] = [];

  /** Adds a file under the hash of its content, and returns its address. */
  add(name: string, content: Uint8Array): string {
    const extension = extname(name);
    const digest = hash('sha256', content, 'base64url').slice(0, 16);
    const path = `${assetFolder}${name.slice(0, -extension.length)}-${digest}${extension}`;
    if (!this.files.some((file) => file.path === path)) this.files.push({ path, type: types[extension]!, content });
    return path;
  }
}

const bundleBrowserFiles = async (root: string, assets: Assets): Promise<AssetPaths> => {
  const folder = join(root, 'packages/pages/guide/browser');
  const { outputFiles } = await build({
    entryPoints: { guide: join(folder, 'search.ts'), style: join(folder, 'guide.css') },
    outdir: 'guide',
    write: false,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  });
  const add = (extension: string): string =>
    assets.add(`guide${extension}`, outputFiles.find(({ path }) => path.endsWith(extension))!.contents);
  return { style: add('.css'), script: add('.js') };
};

const listFound = (file: string, title: string, sections: readonly Section[]): Found[] =>
  sections.map(({ depth, text, anchor, body }) => ({
    id: depth === 1 ? locatePage(file) : `${locatePage(file)}#${anchor}`,
    page: title,
    heading: text,
    body: body.replace(/\s+/g, ' ').trim(),
  }));

/** Lists the pages for language models, by the convention of llms.txt. */
const writeModelIndex = (known: readonly Part[]): string => {
  const list = known.map(
    ({ title, entries }) =>
      `## ${title}\n\n${entries.map((entry) => `- [${entry.title}](${locatePage(entry.file)}): ${entry.says}`).join('\n')}\n`,
  );
  return `# Muster

> A self-hosted contact platform for campaigns, associations and unions: a GraphQL API, and REST at the paths of its contract, over PostgreSQL.

- [The whole guide](${wholeGuidePath}): all of the pages below in one Markdown file
- [The schema of the graph](${schemaPath}): types, fields and arguments with their descriptions; it asks for an access token
- [OpenAPI](/openapi.json): the REST paths

${list.join('\n')}`;
};

/** Makes every file of the site of the repository at `root`. */
export const buildGuide = async (root: string): Promise<SiteFile[]> => {
  const pages = await listPages(root);
  const assets = new Assets();
  const browserFiles = await bundleBrowserFiles(root, assets);
  const known = parts
    .map(({ title, entries }) => ({ title, entries: entries.filter(({ file }) => pages.includes(file)) }))
    .filter(({ entries }) => entries.length > 0);
  const entries = known.flatMap((part) => part.entries);
  const texts = await Promise.all(
    pages.map(async (file) => {
      // This line is for those who change a page.
      const markdown = (await readFile(join(root, file), 'utf8')).replace(`${derivedNote}\n\n`, '');
      const images = await loadImages(root, file, markdown, assets);
      const rendered = renderMarkdown(markdown, (target) => images.get(target) ?? resolveTarget(file, target, pages));
      if (rendered.sections[0]?.depth !== 1) throw new Error(`${file} must begin with a heading of the first level`);
      const entry = entries.find((one) => one.file === file);
      return {
        file,
        markdown,
        rendered,
        title: entry?.title ?? rendered.sections[0].text,
        says: entry?.says ?? rendered.sections[0].text,
      };
    }),
  );
  const found = texts.flatMap(({ file, title, rendered }) => listFound(file, title, rendered.sections));
  const guideAssets: GuideAssets = {
    ...browserFiles,
    index: assets.add('index.json', Buffer.from(JSON.stringify(found))),
  };
  const findNeighbours = (file: string): Neighbours => {
    const listing = findListingPage(file);
    const siblings = listing ? texts.filter((text) => findListingPage(text.file) === listing) : entries;
    const place = siblings.findIndex((entry) => entry.file === file);
    return { before: siblings[place - 1], after: siblings[place + 1] };
  };
  const inOrder = [...entries.map(({ file }) => file), ...pages].filter((file, at, all) => all.indexOf(file) === at);
  const whole = inOrder.map((file) => `<!-- ${file} -->\n\n${texts.find((text) => text.file === file)!.markdown}`);
  const describe = (path: string, extension: string, text: string): SiteFile => ({
    path,
    type: types[extension]!,
    content: Buffer.from(text),
  });
  const documents = texts.map(({ file, says, rendered }) => {
    const page = { file, says, rendered, parts: known, assets: guideAssets, neighbours: findNeighbours(file) };
    return describe(locatePage(file), '.html', renderTextPage(page));
  });
  const files = [
    describe(guidePath, '.html', renderHomePage(known, guideAssets)),
    ...documents,
    describe(wholeGuidePath, '.md', whole.join('\n')),
    describe(modelIndexPath, '.txt', writeModelIndex(known)),
    describe(schemaPath, '.txt', await readFile(join(root, 'schema/schema.graphql'), 'utf8')),
    ...assets.files,
  ];
  return Promise.all(files.map(compressFile));
};

/** The images of a page, by their targets in its text. Throws for a file that does not exist. */
const loadImages = async (root: string, file: string, markdown: string, assets: Assets) => {
  const images = new Map<string, string>();
  for (const target of listImages(markdown)) {
    const path = join(dirname(file), target);
    images.set(target, assets.add(basename(path), await readFile(join(root, path))));
  }
  return images;
};

const compressFile = async (file: SiteFile): Promise<SiteFile> =>
  file.type === 'image/png' ? file : { ...file, content: await compress(file.content, { level: 9 }) };
