// Serves GraphiQL: the page and the assets it loads, all from memory.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Problem } from '../problem.ts';
import { loadGraphiqlBundle } from './graphiql/bundle.ts';
import { type Assets, policy, renderGraphiqlPage, startScriptOf } from './graphiql/page.ts';

interface Site {
  page: string;
  tag: string;
  /** Gzipped, by path. */
  assets: Map<string, Uint8Array<ArrayBuffer>>;
}

/** The folder of the assets; the paths below it are hashes of their content. */
const folder = '/graphql/assets/';

/** The answer to a browser that opens the page or loads its assets; undefined for any other request. */
export const serveGraphiql = (request: Request, { pathname, searchParams }: URL): Promise<Response> | undefined => {
  if (request.method !== 'GET') return undefined;
  if (pathname.startsWith(folder)) return assetAt(pathname);
  const asked = request.headers.get('accept')?.includes('text/html') && !searchParams.has('query');
  return asked ? page(request) : undefined;
};

let built: Promise<Site> | undefined;

/** Loaded when the page is first opened. A failure is not kept. */
const site = (): Promise<Site> => {
  built ??= build().catch((error) => {
    built = undefined;
    throw error;
  });
  return built;
};

const build = async (): Promise<Site> => {
  const { js, css, editorWorkerService, jsonWorker, graphqlWorker } = await loadGraphiqlBundle();
  const paths: Assets = {
    script: folder + js.name,
    style: folder + css.name,
    workers: {
      editorWorkerService: folder + editorWorkerService.name,
      json: folder + jsonWorker.name,
      graphql: folder + graphqlWorker.name,
    },
  };
  const start = startScriptOf(paths);
  const startPath = `${folder}${hashOf(start)}.js`;
  const html = renderGraphiqlPage(paths, startPath);
  const assets = new Map(
    [js, css, editorWorkerService, jsonWorker, graphqlWorker].map((part) => [folder + part.name, part.gzipped]),
  );
  assets.set(startPath, await promisify(gzip)(start));
  return { page: html, tag: `"${hashOf(html + policy)}"`, assets };
};

const hashOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 16);

const page = async (request: Request): Promise<Response> => {
  const { page, tag } = await site();
  // On 304 too: its headers replace those that the browser kept.
  const headers = {
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-cache',
    ETag: tag,
    Vary: 'Accept',
  };
  if (request.headers.get('if-none-match')?.includes(tag)) return new Response(null, { status: 304, headers });
  return new Response(page, { headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8' } });
};

/** Always sent compressed, as it is stored, since every browser accepts gzip. All answers share one buffer. */
const assetAt = async (path: string): Promise<Response> => {
  const gzipped = (await site()).assets.get(path);
  if (!gzipped) throw new Problem('not-found', 'There is no such asset');
  return new Response(gzipped, {
    headers: {
      'Content-Type': `text/${path.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
      'Content-Encoding': 'gzip',
      'Cache-Control': 'public, max-age=31536000, immutable',
    },
  });
};
