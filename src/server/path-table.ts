// Which handler answers which path: one look at a table, so that a request of a door asks no page first.
import { guidePath, modelIndexPath, schemaPath } from '../../packages/pages/guide/contents.ts';
import type { RequestLog } from '../gate/request-log.ts';
import { graphqlMethods } from '../graphql/door.ts';
import { endpoint } from '../graphql/engine.ts';
import { graphiqlAssets, serveGraphiql } from '../graphql/graphiql.ts';
import { importsPath, listImportMethods } from '../rest/imports.ts';
import { joinPath } from '../rest/join.ts';
import { documentPath, pagePath, referenceAssets, serveReference } from '../rest/reference/serve.ts';
import { listMethods } from '../rest/router.ts';
import { serveGuide } from './serve-guide.ts';
import { assetFolder, explorePath, servePages } from './serve-pages.ts';

/** Answers a request; undefined leaves it to the REST door, which knows the paths that are not here. */
type Handler = (
  request: Request,
  url: URL,
  exchange: RequestLog,
  path: string,
) => Promise<Response> | Response | undefined;
type Door = (request: Request, url: URL, exchange: RequestLog) => Promise<Response>;

interface Row {
  /** Those that end with a slash stand for all paths below. */
  paths: readonly string[];
  /** The path as the log and the metrics name it. */
  route: string;
  methods: readonly string[];
  /** Whether it refuses other methods itself, as it does requests without a token. */
  isDoor?: true;
  serve: Handler;
}

interface Options {
  graphql: Door;
  join(request: Request, exchange: RequestLog): Promise<Response>;
  imports: Door;
  /** The schema of the graph; undefined where callers may not ask for it. */
  sdl: Door | undefined;
  offers: { graphiql: boolean; docs: boolean; explore: boolean };
}

export const createPathTable = ({ graphql, join, imports, sdl, offers }: Options) => {
  const openGraphiql: Handler = (request, url, exchange) => {
    const opened = offers.graphiql && request.method === 'GET' ? serveGraphiql(request, url) : undefined;
    if (opened) exchange.operation = 'graphiql';
    return opened;
  };
  const answerGraphql: Handler = (request, url, exchange, path) =>
    openGraphiql(request, url, exchange, path) ?? graphql(request, url, exchange);
  const openReference: Handler = (request, _url, _exchange, path) => serveReference(request, path);
  const openGuide: Handler = (request, _url, _exchange, path) => serveGuide(request, path);
  const openPage: Handler = (request, url, _exchange, path) => servePages(request, url, path, offers);
  const get = ['GET'];
  const rows: Row[] = [
    { paths: [endpoint], route: endpoint, methods: graphqlMethods, isDoor: true, serve: answerGraphql },
    { paths: [graphiqlAssets], route: endpoint, methods: get, serve: openGraphiql },
    { paths: [joinPath], route: joinPath, methods: ['POST'], serve: (request, _, exchange) => join(request, exchange) },
    {
      paths: [importsPath, `${importsPath}/`],
      route: importsPath,
      methods: ['GET', 'POST', 'DELETE'],
      isDoor: true,
      serve: imports,
    },
    { paths: [documentPath], route: documentPath, methods: get, serve: openReference },
  ];
  if (offers.docs)
    rows.push(
      { paths: [pagePath], route: pagePath, methods: get, serve: openReference },
      { paths: [referenceAssets], route: referenceAssets, methods: get, serve: openReference },
      { paths: [guidePath, `${guidePath}/`, modelIndexPath], route: guidePath, methods: get, serve: openGuide },
    );
  if (sdl) rows.push({ paths: [schemaPath], route: schemaPath, methods: get, serve: sdl });
  if (offers.explore)
    rows.push(
      { paths: ['/'], route: '/', methods: get, serve: openPage },
      { paths: [explorePath, assetFolder], route: explorePath, methods: get, serve: openPage },
    );
  const places = rows.flatMap((row) => row.paths.map((path): [string, Row] => [path, row]));
  const exact = new Map(places);
  const folders = places.filter(([path]) => path.length > 1 && path.endsWith('/'));
  const findRow = (path: string): Row | undefined =>
    exact.get(path) ?? folders.find(([folder]) => path.startsWith(folder))?.[1];
  return {
    findRow,
    /** The methods of a path; undefined for an unknown one. */
    listMethodsOf(path: string): readonly string[] | undefined {
      const row = findRow(path);
      const methods = row?.route === importsPath ? listImportMethods(path) : (row?.methods ?? listMethods(path));
      return methods.length > 0 ? methods : undefined;
    },
  };
};
