// Serves GraphiQL: the page and the assets it loads, all from memory.
import { listAcceptedTypes } from '../http/negotiation.ts';
import {
  type Assets as AssetMap,
  addAsset,
  createPage,
  loadOnce,
  type Page,
  respondWithAsset,
  respondWithPage,
} from '../http/static-files.ts';
import { loadGraphiqlBundle } from './graphiql/bundle.ts';
import { type Assets, policy, renderGraphiqlPage, startScriptOf } from './graphiql/page.ts';

interface Site {
  page: Page;
  assets: AssetMap;
}

/** The folder of the assets; the paths below it are hashes of their content. */
export const graphiqlAssets = '/graphql/assets/';

/** The answer to the GET of a browser that opens the page or loads its assets; undefined for any other. */
export const serveGraphiql = (request: Request, { pathname, searchParams }: URL): Promise<Response> | undefined => {
  if (pathname.startsWith(graphiqlAssets)) return site().then(({ assets }) => respondWithAsset(assets, pathname));
  const asked = listAcceptedTypes(request.headers.get('accept')).includes('text/html') && !searchParams.has('query');
  return asked ? site().then(({ page }) => respondWithPage(request, page)) : undefined;
};

/** Loaded when the page is first opened. */
const site = loadOnce(async (): Promise<Site> => {
  const { js, css, editorWorkerService, jsonWorker, graphqlWorker } = await loadGraphiqlBundle();
  const paths: Assets = {
    script: graphiqlAssets + js.name,
    style: graphiqlAssets + css.name,
    workers: {
      editorWorkerService: graphiqlAssets + editorWorkerService.name,
      json: graphiqlAssets + jsonWorker.name,
      graphql: graphiqlAssets + graphqlWorker.name,
    },
  };
  const assets: AssetMap = new Map(
    [js, css, editorWorkerService, jsonWorker, graphqlWorker].map((part) => [graphiqlAssets + part.name, part.gzipped]),
  );
  const start = await addAsset(assets, graphiqlAssets, startScriptOf(paths), '.js');
  return { page: createPage(renderGraphiqlPage(paths, start), policy), assets };
});
