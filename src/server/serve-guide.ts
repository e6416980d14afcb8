// Serves the guide: files that were made and compressed at build time, from memory, to anybody; the schema of the graph to callers.
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { SiteFile } from '../../packages/pages/guide/build.ts';
import { guidePath, schemaPath } from '../../packages/pages/guide/contents.ts';
import { locatePackageFile } from '../database/package-file.ts';
import { formatRateHeaders, type Gate } from '../gate/gate.ts';
import type { RequestLog } from '../gate/request-log.ts';
import { acceptsGzip } from '../http/negotiation.ts';
import { hashContent, loadOnce, matchesTag } from '../http/static-files.ts';
import { Problem } from '../problem.ts';
import { pagePolicy } from './serve-pages.ts';

const assetFolder = `${guidePath}/assets/`;

/** Reads the files of `dist/guide/`, which are there under their numbers. */
const readBundle = async (): Promise<SiteFile[]> => {
  const folder = locatePackageFile('dist/guide/');
  const index: Pick<SiteFile, 'path' | 'type'>[] = JSON.parse(await readFile(new URL('index.json', folder), 'utf8'));
  return Promise.all(
    index.map(async (file, number) => ({ ...file, content: await readFile(new URL(String(number), folder)) })),
  );
};

/** The name is no literal, so that the bundle of the server does not contain the renderer. */
const buildFromSources = async (): Promise<SiteFile[]> => {
  const { buildGuide } = await import(locatePackageFile('packages/pages/guide/build.ts').href);
  return buildGuide(locatePackageFile('./').pathname);
};

const loadGuide = loadOnce(async () => {
  const files = await (import.meta.url.endsWith('.ts') ? buildFromSources() : readBundle());
  return new Map(
    files.map(({ path, type, content }) => {
      const tag = `"${hashContent(content)}"`;
      return [path, { type, tag, content: new Uint8Array(content) }] as const;
    }),
  );
});

/** Throws 404 for a page that does not exist. */
export const serveGuide = async (request: Request, path: string): Promise<Response> => {
  const file = (await loadGuide()).get(path);
  if (!file) throw new Problem('not-found', `There is no such page; ${guidePath} lists all of them`);
  const isGzipped = file.type !== 'image/png';
  const sendsGzip = isGzipped && acceptsGzip(request.headers.get('accept-encoding'));
  const headers = {
    'Content-Security-Policy': pagePolicy,
    'Cache-Control': path.startsWith(assetFolder) ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: file.tag,
    Vary: 'Accept-Encoding',
  };
  if (matchesTag(request, file.tag)) return new Response(null, { status: 304, headers });
  const content = isGzipped && !sendsGzip ? await promisify(gunzip)(file.content) : file.content;
  return new Response(new Uint8Array(content), {
    headers: { ...headers, 'Content-Type': file.type, ...(sendsGzip && { 'Content-Encoding': 'gzip' }) },
  });
};

/** The door of the schema: as introspection, of which it is another form, it asks for a token and costs a point. */
export const createSdlDoor =
  (gate: Gate) =>
  async (request: Request, _url: URL, exchange: RequestLog): Promise<Response> => {
    exchange.entry = await gate.admit(exchange.credentials, 1);
    const response = await serveGuide(request, schemaPath);
    response.headers.set('Cache-Control', 'private, no-cache');
    for (const [name, value] of Object.entries(formatRateHeaders(exchange.entry.bucket)))
      response.headers.set(name, value);
    return response;
  };
