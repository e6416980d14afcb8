// Serves the front page, the page of the segment builder, and their scripts and styles, all from memory and to anybody: they say nothing about data.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { renderExplorePage } from '../../packages/pages/explore-page.ts';
import { renderFrontPage } from '../../packages/pages/front-page.ts';
import { guidePath, modelIndexPath } from '../../packages/pages/guide/contents.ts';
import type { AssetPaths, Offers } from '../../packages/pages/html.ts';
import { findLanguage, isLanguage, type Language } from '../../packages/pages/language.ts';
import { readPageFiles } from '../database/package-file.ts';
import { endpoint } from '../graphql/engine.ts';
import { chooseOffer, listPreferredLanguages } from '../http/negotiation.ts';
import { type Assets, createPage, loadOnce, respondWithAsset, respondWithPage } from '../http/static-files.ts';
import { documentPath, pagePath } from '../rest/reference/serve.ts';

export const assetFolder = '/explore/assets/';

/** Loads the assets when they are first asked for. */
const loadAssets = loadOnce(async (): Promise<Assets> => {
  const files = (await readPageFiles()).filter(({ name }) => !name.startsWith('graphiql-'));
  const compress = promisify(gzip);
  return new Map(
    await Promise.all(files.map(async ({ name, content }) => [assetFolder + name, await compress(content)] as const)),
  );
});

/** The path of the file that an entry became: `explore` and `js` lead to `/explore/assets/explore-4F2QK7AB.js`. */
const findAsset = (assets: Assets, entry: string, extension: string): string =>
  [...assets.keys()].find((path) => path.startsWith(`${assetFolder}${entry}-`) && path.endsWith(`.${extension}`))!;

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
  return findLanguage(listPreferredLanguages(acceptLanguage));
};

/** The answer to a request for a page or an asset; undefined for a client of the API. */
export const servePages = (request: Request, url: URL, path: string, offers: Offers): Promise<Response> | undefined => {
  if (path.startsWith(assetFolder)) return loadAssets().then((assets) => respondWithAsset(assets, path));
  // A client of the API asks for JSON, or for nothing.
  const offer = chooseOffer(request.headers.get('accept') ?? 'application/json', ['text/html', 'application/json']);
  if (path === '/') {
    if (offer === 'application/json')
      return Promise.resolve(Response.json(listLinks(offers), { headers: { Vary: 'Accept' } }));
    return offer && answerPage(request, url, 'front', (language, paths) => renderFrontPage(language, paths, offers));
  }
  if (offer !== 'text/html') return undefined;
  return answerPage(request, url, 'explore', (language, paths) => renderExplorePage(language, paths, offers));
};

/** The links that programs get at `/`. */
const listLinks = ({ docs }: Offers): object => ({
  name: 'Muster',
  links: {
    graphql: endpoint,
    openapi: documentPath,
    health: '/health/ready',
    explore: explorePath,
    ...(docs && { docs: pagePath, guide: guidePath, llms: modelIndexPath }),
  },
});

const answerPage = async (
  request: Request,
  { searchParams }: URL,
  entry: 'explore' | 'front',
  render: (language: Language, paths: AssetPaths) => string,
): Promise<Response> => {
  const assets = await loadAssets();
  const paths = { script: findAsset(assets, entry, 'js'), style: findAsset(assets, 'site', 'css') };
  const language = chooseLanguage(searchParams.get('lang'), request.headers.get('accept-language'));
  return respondWithPage(request, createPage(render(language, paths), pagePolicy), {
    Vary: 'Accept, Accept-Language',
    'Content-Language': language,
  });
};
