// Serves GraphiQL: the page and its bundle, all from memory.

import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { readPageFiles } from '../database/package-file.ts';
import { listAcceptedTypes } from '../http/negotiation.ts';
import {
  type Assets as AssetMap,
  addAsset,
  createPage,
  loadOnce,
  respondWithAsset,
  respondWithPage,
} from '../http/static-files.ts';
import { type Assets, policy, renderGraphiqlPage } from './graphiql/page.ts';

interface BundlePart {
  /** Starts with a hash of the content. */
  name: string;
  gzipped: Uint8Array<ArrayBuffer>;
}

/** Loads and compresses the package in a worker thread, whose end frees the memory. */
const work = `
const { createHash } = require('node:crypto');
const { promisify } = require('node:util');
const { parentPort, workerData } = require('node:worker_threads');
const gzip = promisify(require('node:zlib').gzip);
const parts = require(workerData.module);
const pack = async ([part, extension]) => {
  const hash = createHash('sha256').update(parts[part]).digest('base64url').slice(0, 16);
  return [part, { name: hash + extension, gzipped: await gzip(parts[part], { level: 6 }) }];
};
Promise.all(Object.entries(workerData.extensions).map(pack)).then((packed) => parentPort.postMessage(Object.fromEntries(packed)));
`;

const extensions = { js: '.js', css: '.css', editorWorkerService: '.js', jsonWorker: '.js', graphqlWorker: '.js' };
type PartName = keyof typeof extensions;

const loadGraphiqlBundle = (): Promise<Record<PartName, BundlePart>> =>
  new Promise((resolve, reject) => {
    const module = createRequire(import.meta.url).resolve('@graphql-yoga/render-graphiql/graphiql');
    const worker = new Worker(work, { eval: true, workerData: { module, extensions } });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('GraphiQL could not be loaded')));
  });

/** The folder of the assets; the paths below it are hashes of their content. */
export const graphiqlAssets = '/graphql/assets/';

/** The answer to the GET of a browser that opens the page or loads its assets; undefined for any other. */
export const serveGraphiql = (request: Request, { pathname, searchParams }: URL): Promise<Response> | undefined => {
  if (pathname.startsWith(graphiqlAssets)) return site().then(({ assets }) => respondWithAsset(assets, pathname));
  const asked = listAcceptedTypes(request.headers.get('accept')).includes('text/html') && !searchParams.has('query');
  return asked ? site().then(({ page }) => respondWithPage(request, page)) : undefined;
};

/** Loaded when the page is first opened. */
const site = loadOnce(async () => {
  const bundle = await loadGraphiqlBundle();
  const pathOf = (part: PartName): string => graphiqlAssets + bundle[part].name;
  const paths: Assets = {
    script: pathOf('js'),
    style: pathOf('css'),
    workers: {
      editorWorkerService: pathOf('editorWorkerService'),
      json: pathOf('jsonWorker'),
      graphql: pathOf('graphqlWorker'),
    },
  };
  const assets: AssetMap = new Map(Object.values(bundle).map(({ name, gzipped }) => [graphiqlAssets + name, gzipped]));
  const start = (await readPageFiles()).find(({ name }) => name.startsWith('graphiql-'))!;
  const startPath = await addAsset(assets, graphiqlAssets, start.content, '.js');
  return { page: createPage(renderGraphiqlPage(paths, startPath), policy), assets };
});
