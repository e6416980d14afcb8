// Serves the front page, the page of the segment builder, and their scripts and styles, all from memory and to anybody: they say nothing about data.
import { renderExplorePage } from '../../packages/pages/explore-page.ts';
import { renderFrontPage } from '../../packages/pages/front-page.ts';
import type { AssetPaths, Offers } from '../../packages/pages/html.ts';
import { isLanguage, type Language } from '../../packages/pages/language.ts';
import { chooseOffer, listPreferredLanguages } from '../http/negotiation.ts';
import { createPage, respondWithAsset, respondWithPage } from '../http/static-files.ts';
import { assetFolder, findAsset, loadAssets } from './serve-assets.ts';

export const explorePath = '/explore';

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

/** The language that an address names, else the first of `Accept-Language` by weight that the pages have; English for none. */
export const chooseLanguage = (named: string | null, acceptLanguage: string | null): Language => {
  if (isLanguage(named)) return named;
  const preferred = listPreferredLanguages(acceptLanguage).map((range) => range.split('-')[0]!.toLowerCase());
  return preferred.find(isLanguage) ?? 'en';
};

/** The answer to a request for a page or an asset; undefined for a client of the API. */
export const servePages = (request: Request, url: URL, path: string, offers: Offers): Promise<Response> | undefined => {
  if (request.method !== 'GET') return undefined;
  if (path.startsWith(assetFolder)) return loadAssets().then((assets) => respondWithAsset(assets, path));
  // A client of the API, which asks for JSON or for nothing, learns that there is no such route.
  const accept = request.headers.get('accept');
  if (accept === null || !chooseOffer(accept, ['text/html'])) return undefined;
  return answerPage(request, url, (language, paths) =>
    path === '/' ? renderFrontPage(language, paths, offers) : renderExplorePage(language, paths, offers),
  );
};

const answerPage = async (
  request: Request,
  { searchParams }: URL,
  render: (language: Language, paths: AssetPaths) => string,
): Promise<Response> => {
  const assets = await loadAssets();
  const paths = { script: findAsset(assets, 'explore', 'js'), style: findAsset(assets, 'site', 'css') };
  const language = chooseLanguage(searchParams.get('lang'), request.headers.get('accept-language'));
  return respondWithPage(request, createPage(render(language, paths), pagePolicy), {
    Vary: 'Accept, Accept-Language',
    'Content-Language': language,
  });
};
