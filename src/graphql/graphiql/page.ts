// The page of GraphiQL: its HTML, and its content security policy. packages/pages/browser/graphiql.ts starts GraphiQL in it.
import { escapeHtml } from '../../../packages/pages/html.ts';

export interface Assets {
  script: string;
  style: string;
  /** By Monaco's label for the worker. */
  workers: Record<string, string>;
}

/** Monaco sets styles from scripts, hence 'unsafe-inline'; nothing else is inline and nothing comes from elsewhere. */
export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32"><rect width="32" height="32" rx="7" fill="#1f6f54"/><path d="M8 24V8l8 10 8-10v16" fill="none" stroke="#fff" stroke-width="3.5" stroke-linejoin="round" stroke-linecap="round"/></svg>';

/** GraphiQL miscounts the shift of a pressed tab, which then jumps aside, and the click misses it. */
const steadyTabs = '.graphiql-tab { transform: none !important; }';
const shareButtons =
  '.share { position: fixed; right: 16px; bottom: 12px; z-index: 9; display: flex; flex-wrap: wrap; justify-content: end; gap: 8px; max-width: calc(100% - 90px); } .share > * { font: inherit; padding: 4px 10px; border: 1px solid #8888; border-radius: 6px; background: Canvas; color: CanvasText; color-scheme: light dark; } .share > :empty { display: none; } .share > select { width: 10em; }';
/** On narrow screens the buttons stand below the editors, which they would cover. On a phone the answer stands there, too, since beside the editors it has no room. */
const narrowShare =
  '@media (max-width: 900px) { body { display: flex; flex-direction: column; height: 100dvh; } #root { flex: 1; min-height: 0; } #root .graphiql-container { height: 100%; } .share { position: static; max-width: none; padding: 8px; } } @media (max-width: 560px) { #root :has(> .graphiql-response) { flex-direction: column; } #root .graphiql-editors { flex-grow: 1.5 !important; } #root .graphiql-horizontal-drag-bar { display: none; } }';

export const renderGraphiqlPage = (assets: Assets, start: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Muster</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(logo)}">
<link rel="stylesheet" href="${assets.style}">
<style>${steadyTabs}${shareButtons}${narrowShare}</style>
</head>
<body class="no-focus-outline">
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root" data-settings="${escapeHtml(JSON.stringify({ workers: assets.workers, logo }))}"></div>
<script type="module" src="${start}"></script>
<script defer src="${assets.script}"></script>
</body>
</html>
`;
