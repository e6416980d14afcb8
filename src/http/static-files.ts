// Pages for browsers and their assets, all from memory: pages are compared by ETag, assets are named by their content and never change.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Problem } from '../problem.ts';

/** Assets by path, gzipped. */
export type Assets = Map<string, Uint8Array<ArrayBuffer>>;

export interface Page {
  html: string;
  policy: string;
  tag: string;
}

/** A short name for a content. */
export const hashContent = (content: string | Uint8Array): string => hash('sha256', content, 'base64url').slice(0, 16);

export const createPage = (html: string, policy: string): Page => ({
  html,
  policy,
  tag: `"${hashContent(html + policy)}"`,
});

/** Compresses an asset outside of the thread of requests, adds it under the hash of its content, and returns its path. */
export const addAsset = async (
  assets: Assets,
  folder: string,
  content: string | Uint8Array,
  extension: string,
): Promise<string> => {
  const path = `${folder}${hashContent(content)}${extension}`;
  assets.set(path, await promisify(gzip)(content));
  return path;
};

/** Whether the client has this version already. */
export const matchesTag = (request: Request, tag: string): boolean =>
  request.headers.get('if-none-match')?.includes(tag) === true;

/** `more` are headers of this page alone. */
export const respondWithPage = (
  request: Request,
  { html, policy, tag }: Page,
  more: Record<string, string> = {},
): Response => {
  // On 304 too: its headers replace those that the browser kept.
  const headers = {
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-cache',
    ETag: tag,
    Vary: 'Accept',
    ...more,
  };
  if (matchesTag(request, tag)) return new Response(null, { status: 304, headers });
  return new Response(html, { headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8' } });
};

/** Always sent compressed, as it is stored, since every browser accepts gzip. All answers share one buffer. Throws 404 for a missing asset. */
export const respondWithAsset = (assets: Assets, path: string): Response => {
  const gzipped = assets.get(path);
  if (!gzipped) throw new Problem('not-found', 'There is no such asset');
  return new Response(gzipped, {
    headers: {
      'Content-Type': `text/${path.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
      'Content-Encoding': 'gzip',
      'Cache-Control': 'public, max-age=31536000, immutable',
    },
  });
};

/** Remembers what `load` returned, from its first use on. A failure is not kept. */
export const loadOnce = <Value>(load: () => Promise<Value>): (() => Promise<Value>) => {
  let loaded: Promise<Value> | undefined;
  return () => {
    loaded ??= load().catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
};
