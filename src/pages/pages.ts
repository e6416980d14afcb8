// Serves the front page, the page of the segment builder, and their scripts and styles, all from memory and to anybody: they say nothing about data.
import { hash } from 'node:crypto';
import { Problem } from '../problem.ts';
import { type Assets, findAsset, loadAssets } from './assets.ts';
import { renderExplorePage } from './explore-page.ts';
import { renderFrontPage } from './front-page.ts';
import type { AssetPaths, Offers } from './html.ts';
import { chooseLanguage, type Language } from './language.ts';

export const explorePath = '/explore';
const assetFolder = `${explorePath}/assets/`;

/** Nothing is inline, nothing comes from elsewhere, and no text becomes markup. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Whether this path is one of the pages', for the log. */
export const isPagePath = (path: string): boolean =>
  path === '/' || path === explorePath || path.startsWith(assetFolder);

/** The answer to a request for a page or an asset; undefined for any other request. */
export const servePages = (request: Request, url: URL, path: string, offers: Offers): Promise<Response> | undefined => {
  if (!isPagePath(path) || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined;
  if (path.startsWith(assetFolder)) return answerAsset(path.slice(assetFolder.length));
  // A client of the API learns that there is no such route.
  if (!request.headers.get('accept')?.includes('text/html')) return undefined;
  return answerPage(request, url, (language, paths) =>
    path === '/' ? renderFrontPage(language, paths, offers) : renderExplorePage(language, paths, offers),
  );
};

const locateAssets = (assets: Assets): AssetPaths => ({
  script: assetFolder + findAsset(assets, 'explore', 'js'),
  style: assetFolder + findAsset(assets, 'site', 'css'),
});

const answerPage = async (
  { headers }: Request,
  { searchParams }: URL,
  render: (language: Language, paths: AssetPaths) => string,
): Promise<Response> => {
  const language = chooseLanguage(searchParams.get('lang'), headers.get('accept-language'));
  const html = render(language, locateAssets(await loadAssets()));
  const tag = `"${hash('sha256', html + pagePolicy, 'base64url').slice(0, 16)}"`;
  const common = {
    'Content-Security-Policy': pagePolicy,
    'Cache-Control': 'no-cache',
    ETag: tag,
    Vary: 'Accept, Accept-Language',
  };
  if (headers.get('if-none-match')?.includes(tag)) return new Response(null, { status: 304, headers: common });
  return new Response(html, {
    headers: { ...common, 'Content-Type': 'text/html; charset=utf-8', 'Content-Language': language },
  });
};

/** Always sent compressed, as it is stored: every browser accepts gzip, and a stranger's request costs no work. */
const answerAsset = async (name: string): Promise<Response> => {
  const asset = (await loadAssets()).get(name);
  if (!asset) throw new Problem('not-found', 'There is no such asset');
  return new Response(asset.gzipped, {
    headers: {
      'Content-Type': asset.type,
      'Content-Encoding': 'gzip',
      'Cache-Control': 'public, max-age=31536000, immutable',
    },
  });
};
