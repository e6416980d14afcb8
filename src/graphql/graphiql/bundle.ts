// The parts of the GraphiQL package, compressed and named by their content: its strings of 9 MB never enter this thread.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

export interface BundlePart {
  /** Starts with a hash of the content. */
  name: string;
  gzipped: Uint8Array<ArrayBuffer>;
}

type PartName = 'js' | 'css' | 'editorWorkerService' | 'jsonWorker' | 'graphqlWorker';

export type Bundle = Record<PartName, BundlePart>;

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

const extensions: Record<PartName, string> = {
  js: '.js',
  css: '.css',
  editorWorkerService: '.js',
  jsonWorker: '.js',
  graphqlWorker: '.js',
};

export const loadGraphiqlBundle = (): Promise<Bundle> =>
  new Promise((resolve, reject) => {
    const module = createRequire(import.meta.url).resolve('@graphql-yoga/render-graphiql/graphiql');
    const worker = new Worker(work, { eval: true, workerData: { module, extensions } });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('GraphiQL could not be loaded')));
  });
