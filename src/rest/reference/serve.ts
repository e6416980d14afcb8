// Serves the OpenAPI document, and the page that shows it: bytes in memory, which need no token.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { locatePackageFile } from '../../database/package-file.ts';
import { acceptsGzip } from '../../http/negotiation.ts';
import {
  type Assets,
  addAsset,
  createPage,
  hashContent,
  loadOnce,
  matchesTag,
  type Page,
  respondWithAsset,
  respondWithPage,
} from '../../http/static-files.ts';
import { Problem } from '../../problem.ts';
import { policy, renderReferencePage, startScript, style } from './page.ts';

export const documentPath = '/openapi.json';
export const pagePath = '/docs';
export const referenceAssets = `${pagePath}/assets/`;

const readDocument = loadOnce(async () => {
  const text = await readFile(locatePackageFile('openapi.json'));
  return { text, gzipped: await promisify(gzip)(text), tag: `"${hashContent(text)}"` };
});

const serveDocument = async (request: Request): Promise<Response> => {
  const { text, gzipped, tag } = await readDocument();
  const headers = { 'Cache-Control': 'no-cache', ETag: tag, Vary: 'Accept-Encoding' };
  if (matchesTag(request, tag)) return new Response(null, { status: 304, headers });
  const isGzipped = acceptsGzip(request.headers.get('accept-encoding'));
  return new Response(isGzipped ? gzipped : text, {
    headers: {
      ...headers,
      'Content-Type': 'application/json; charset=utf-8',
      ...(isGzipped && { 'Content-Encoding': 'gzip' }),
    },
  });
};

/** Loaded when the page is first opened. */
const site = loadOnce(async (): Promise<{ page: Page; assets: Assets }> => {
  const { resolve } = createRequire(import.meta.url);
  const read = (name: string): Promise<Buffer> => readFile(resolve(`swagger-ui-dist/${name}`));
  const assets: Assets = new Map();
  const add = (content: string | Buffer, extension: string): Promise<string> =>
    addAsset(assets, referenceAssets, content, extension);
  const html = renderReferencePage({
    styles: [await add(await read('swagger-ui.css'), '.css'), await add(style, '.css')],
    scripts: [await add(await read('swagger-ui-bundle.js'), '.js'), await add(startScript, '.js')],
  });
  return { page: createPage(html, policy), assets };
});

/** The answer for a path of the reference. Throws 405 for another method than GET. */
export const serveReference = async (request: Request, path: string): Promise<Response> => {
  if (request.method !== 'GET')
    throw new Problem('method-not-allowed', `This path answers GET, not ${request.method}`, {
      headers: { Allow: 'GET' },
    });
  if (path === documentPath) return serveDocument(request);
  const { page, assets } = await site();
  return path === pagePath ? respondWithPage(request, page) : respondWithAsset(assets, path);
};
