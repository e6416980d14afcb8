// The page of GraphiQL: its HTML, its content security policy, and the script that starts GraphiQL in the browser.
import { examples } from './examples.ts';

/** Addresses of the page's assets. */
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
  '.share { position: fixed; right: 16px; bottom: 12px; z-index: 9; display: flex; gap: 8px; } .share > * { font: inherit; padding: 4px 10px; border: 1px solid #8888; border-radius: 6px; background: Canvas; color: CanvasText; color-scheme: light dark; } .share > :empty { display: none; }';

export const renderGraphiqlPage = (assets: Assets, start: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Muster</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(logo)}">
<link rel="stylesheet" href="${assets.style}">
<style>${steadyTabs}${shareButtons}</style>
</head>
<body class="no-focus-outline">
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"></div>
<script src="${assets.script}"></script>
<script src="${start}"></script>
</body>
</html>
`;

export const startScriptOf = ({ workers }: Assets): string => `(${start})(${JSON.stringify({ workers, logo, tabs })});`;

const tabs = examples.map(({ title, query, variables }) => ({
  query: `# ${title}\n${query}\n`,
  variables: variables && JSON.stringify(variables, null, 2),
}));

/**
 * Runs in the browser, so it is text: a compiler of this file would rewrite a function.
 *
 * The token lives in the headers editor, in `known`, and in the storage of the browser's tab: it survives a reload, and is gone when
 * the tab is closed. A link with another token asks before it replaces it. GraphiQL's own storage, which outlives the tab, never has it.
 * GraphiQL asks for the schema before its editors exist, and each tab has its own headers; a request without a
 * token uses `known`. GraphiQL's own shortcut, the only handle it offers, loads the schema again.
 *
 * A link may bring a document and its variables, in the part of the address that no server sees. They fill a tab, and nothing runs by itself.
 */
const start = `({ workers, logo, tabs }) => {
  const placeholder = 'Bearer paste-your-token-here';
  const hint = 'Put an access token into the Headers editor, in place of paste-your-token-here';

  const readAddress = () => new URLSearchParams(location.hash.slice(1));
  const brought = readAddress();
  const token = brought.get('token');
  if (token || brought.get('query')) history.replaceState(null, '', location.pathname + location.search);
  addEventListener('hashchange', () => (readAddress().get('token') || readAddress().get('query')) && location.reload());
  const tokenKey = 'muster:token';
  let known = sessionStorage.getItem(tokenKey);
  const question = 'This link brings another access token than the one of this tab. Use it? You may then be in another space. Accept only a link that you expected.';
  if (token && (!known || known === 'Bearer ' + token || confirm(question))) known = 'Bearer ' + token;
  const keepToken = () => known && sessionStorage.setItem(tokenKey, known);
  keepToken();

  const price = document.createElement('output');

  const fetcher = async (params, { headers: given } = {}) => {
    const headers = new Headers(given);
    const own = headers.get('Authorization');
    if (own === placeholder || (own === null && params.operationName === 'IntrospectionQuery')) {
      if (!known) return { errors: [{ message: hint }] };
      headers.set('Authorization', known);
    }
    headers.set('Accept', 'application/json');
    headers.set('Content-Type', 'application/json');
    const response = await fetch(location.pathname, { method: 'POST', headers, body: JSON.stringify(params) });
    const [cost, left] = ['Cost', 'Remaining'].map((name) => response.headers.get('X-Ratelimit-' + name));
    if (cost !== null) price.textContent = 'Cost: ' + cost + ' of the bucket; ' + left + ' left';
    return response.json();
  };

  let timer;
  const onEditHeaders = (text) => {
    let pasted;
    try {
      pasted = new Headers(JSON.parse(text)).get('Authorization');
    } catch {
      return;
    }
    if (pasted === known || !/^Bearer mst_[\\w-]{49}$/.test(pasted)) return;
    known = pasted;
    keepToken();
    clearTimeout(timer);
    timer = setTimeout(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'R', ctrlKey: true, shiftKey: true })), 300);
  };

  // A prefix of our own, since another GraphiQL may have used the same port.
  const prefix = 'muster:';
  const storage = {
    getItem: (key) => localStorage.getItem(prefix + key),
    setItem: (key, value) => localStorage.setItem(prefix + key, value),
    removeItem: (key) => localStorage.removeItem(prefix + key),
    get length() {
      return Object.keys(localStorage).filter((key) => key.startsWith(prefix)).length;
    },
    clear: () => Object.keys(localStorage).forEach((key) => key.startsWith(prefix) && localStorage.removeItem(key)),
  };

  self.MonacoEnvironment = { getWorkerUrl: (_module, label) => workers[label] ?? workers.editorWorkerService };
  const headers = JSON.stringify({ Authorization: known ?? placeholder }, null, 2);
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    title: 'Muster',
    logo,
    fetcher,
    storage,
    defaultTabs: tabs,
    headers,
    initialHeaders: headers,
    isHeadersEditorEnabled: true,
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
    onEditHeaders,
    // Otherwise every keystroke would go into the address, and a reload would run it.
    onEditQuery: () => {},
    ...(brought.get('query') && { initialQuery: brought.get('query'), initialVariables: brought.get('variables') ?? '' }),
  });

  /** The tab that is open, as GraphiQL keeps it. */
  const readTab = () => {
    const { tabs: kept, activeTabIndex } = JSON.parse(storage.getItem('graphiql:tabState'));
    const { query, variables } = kept[activeTabIndex];
    return { query: query ?? '', ...(variables && { variables }) };
  };
  const writeLink = () => location.origin + location.pathname + '#' + new URLSearchParams(readTab());
  const writeCurl = () => {
    const { query, variables } = readTab();
    const body = JSON.stringify({ query, ...(variables && { variables: JSON.parse(variables) }) }).replaceAll("'", "'\\\\''");
    return 'curl -s ' + location.origin + location.pathname + ' -H "Authorization: Bearer $TOKEN" -H ' + "'Content-Type: application/json' -d '" + body + "'";
  };
  const bar = document.createElement('div');
  bar.className = 'share';
  bar.append(price);
  for (const [label, write] of [['Copy link', writeLink], ['Copy curl', writeCurl]]) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.onclick = async () => {
      await navigator.clipboard.writeText(write()).then(() => 'Copied', () => 'Not copied').then((text) => {
        button.textContent = text;
        setTimeout(() => { button.textContent = label; }, 1500);
      });
    };
    bar.append(button);
  }
  document.body.append(bar);
}`;
