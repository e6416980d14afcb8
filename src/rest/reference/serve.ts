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
  respondWithAsset,
  respondWithPage,
} from '../../http/static-files.ts';

/** Everything comes from this server, and nothing is inline. Swagger UI draws its icons from data. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `styles` and `scripts` are addresses of assets. */
const renderReferencePage = ({ styles, scripts }: Record<'styles' | 'scripts', string[]>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Muster: REST reference</title>
<link rel="icon" href="data:,">
${styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('\n')}
</head>
<body>
<noscript>The reference needs JavaScript. <a href="/openapi.json">The document</a> does not.</noscript>
<div id="reference"></div>
${scripts.map((path) => `<script src="${path}"></script>`).join('\n')}
</body>
</html>
`;

const style = `
body { margin: 0; }
.swagger-ui .info .title small pre.version { color: #fff; }
.swagger-ui .info .title small { background: #4d5562; }
.swagger-ui .info .title small.version-stamp { background: #3b6500; }
#reference .opblock-post .opblock-summary-method { background: #1a6b45; }
#reference .opblock-get .opblock-summary-method { background: #0b56a4; }
#reference .opblock-patch .opblock-summary-method { background: #7a4a00; }
#reference .opblock-delete .opblock-summary-method { background: #a11616; }
#reference .btn.authorize, #reference .btn.authorize span { border-color: #1a6b45; color: #1a6b45; }
#reference .btn.cancel { border-color: #a11616; color: #a11616; }
#reference .btn.execute { background: #0b56a4; }
#reference .parameter__in { color: #4d5562; }
#reference .download-contents { background: #4d5562; }
.swagger-ui a, .swagger-ui .info a, .swagger-ui .info .url { color: #0b56a4; }
`;

/**
 * Runs in the browser. The token lives in the page's memory alone: a reload forgets it. \`#token=…\` in the address presets it, and leaves the
 * address at once.
 */
const startScript = `{
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token) history.replaceState(null, '', location.pathname + location.search);
  const ui = SwaggerUIBundle({
    url: '/openapi.json',
    domNode: document.querySelector('#reference'),
    presets: [SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    // Links within the buttons that open operations would be out of reach of keyboards and screen readers.
    deepLinking: false,
    syntaxHighlight: { activated: false },
    tryItOutEnabled: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    persistAuthorization: false,
    queryConfigEnabled: false,
    validatorUrl: null,
    onComplete: () => token && ui.preauthorizeApiKey('bearer', token),
  });
  // Swagger UI leaves these without a name, or out of reach of the keyboard.
  const names = { '#servers': 'Server', '.body-param__text': 'Request body', '.body-param textarea': 'Request body' };
  const levels = { 'h3.opblock-tag': '2', '.models > h4': '2', 'h4.opblock-title': '3' };
  const regions = { '.information-container': 'About', '.schemes-server-container': 'Server and token' };
  const mend = () => {
    for (const [selector, name] of Object.entries(names))
      for (const element of document.querySelectorAll(selector)) element.ariaLabel ??= name;
    for (const select of document.querySelectorAll('select:not([aria-label])'))
      select.ariaLabel = select.classList.contains('examples-select-element') ? 'Example' : select.closest('tr')?.dataset.paramName ?? 'Media type';
    for (const table of document.querySelectorAll('.responses-table[role=region]')) table.ariaLabel ??= table.id.replaceAll('_', ' ');
    for (const code of document.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
    for (const [selector, level] of Object.entries(levels))
      for (const heading of document.querySelectorAll(selector)) heading.ariaLevel ??= level;
    for (const [selector, name] of Object.entries(regions))
      for (const element of document.querySelectorAll(selector)) Object.assign(element, { role: 'region', ariaLabel: name });
  };
  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
}
`;

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
const site = loadOnce(async () => {
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

/** The answer for a path of the reference. */
export const serveReference = async (request: Request, path: string): Promise<Response> => {
  if (path === documentPath) return serveDocument(request);
  const { page, assets } = await site();
  return path === pagePath ? respondWithPage(request, page) : respondWithAsset(assets, path);
};
