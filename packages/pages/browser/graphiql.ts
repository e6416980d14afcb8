// Starts GraphiQL in its page: its token, its tabs and examples, and the bar that tells the cost and copies the open tab.
import { copyText } from './copy-text.ts';
import { isEventStream, readEvents } from './event-stream.ts';
import { type Tab, writeApollo, writeCurl, writeLink, writeTypeScript } from './operation-texts.ts';
import { keepToken, openStorage, readToken, reloadForOtherToken } from './session.ts';
import { showChoices } from './show-choices.ts';

/** An operation of docs/examples/, as the file has it. */
interface Example {
  title: string;
  query: string;
  variables?: string;
}

/** The build puts them here. */
declare const EXAMPLES: Example[];
const tabsAtFirst = 7;

declare const YogaGraphiQL: { renderYogaGraphiQL(root: Element, options: object): void };
declare const monaco: {
  editor: { getModels(): { uri: { path: string }; getValue(): string; setValue(text: string): void }[] };
};

const root = document.querySelector<HTMLElement>('#root')!;
const { logo, workers } = JSON.parse(root.dataset.settings!) as { logo: string; workers: Record<string, string> };
Object.assign(self, {
  MonacoEnvironment: {
    getWorkerUrl: (_module: string, label: string) => workers[label] ?? workers.editorWorkerService,
    // The texts of the open tab are read from its editors, and an example is written to them.
    globalAPI: true,
  },
});

const placeholder = 'Bearer paste-your-token-here';
const hint = 'Put an access token into the Headers editor, in place of paste-your-token-here';

/** A link may bring a document, in the part of the address that no server sees. It fills a tab, and nothing runs by itself. */
const readAddress = () => new URLSearchParams(location.hash.slice(1));
const brought = readAddress();
const broughtQuery = brought.get('query');
const broughtToken = brought.get('token');
if (broughtToken || broughtQuery) history.replaceState(null, '', location.pathname + location.search);
addEventListener('hashchange', () => {
  if (readAddress().get('token') || readAddress().get('query')) location.reload();
});

/**
 * The token lives in the headers editor, in `known`, and in the storage of the browser's tab: it survives a reload, and is gone when
 * the tab is closed. A link with another token asks before it replaces it. GraphiQL's own storage, which outlives the tab, never has it.
 */
const held = readToken();
let known = held && `Bearer ${held}`;
const keepKnown = () => known && keepToken(known.replace('Bearer ', ''));
const question =
  'This link brings another access token than the one of this tab. Use it? You may then be in another space. Accept only a link that you expected.';
if (broughtToken && (!known || known === `Bearer ${broughtToken}` || confirm(question)))
  known = `Bearer ${broughtToken}`;
keepKnown();
reloadForOtherToken(() => known?.replace('Bearer ', ''));

const price = document.createElement('output');
/** The operation that was run last, for documents with several. */
let chosen = brought.get('operationName') ?? undefined;

/** The results of a subscription, until it ends or GraphiQL stops it. */
const followResults = (response: Response, stop: AbortController): AsyncIterable<unknown> => {
  const read = async function* () {
    try {
      for await (const event of readEvents(response)) if (event) yield JSON.parse(event);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  };
  const results = read();
  const end = async () => {
    // Here, since a generator ends only once the next event has come.
    stop.abort();
    return { done: true as const, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => results.next(), return: end }) };
};

/**
 * GraphiQL asks for the schema before its editors exist, and each tab has its own headers; a request without a token uses `known`.
 */
const fetcher = async (params: { operationName?: string }, { headers: given }: { headers?: HeadersInit } = {}) => {
  const headers = new Headers(given);
  const own = headers.get('Authorization');
  const isIntrospection = params.operationName === 'IntrospectionQuery';
  if (own === placeholder || (own === null && isIntrospection)) {
    if (!known) return { errors: [{ message: hint }] };
    headers.set('Authorization', known);
  }
  if (!isIntrospection) chosen = params.operationName;
  headers.set('Accept', 'application/json, text/event-stream');
  headers.set('Content-Type', 'application/json');
  const stop = new AbortController();
  const body = JSON.stringify(params);
  price.textContent = '';
  // A fetch fails only where no answer comes, since nothing aborts it before.
  const response = await fetch(location.pathname, { method: 'POST', headers, body, signal: stop.signal }).catch(
    () => {},
  );
  if (!response) return { errors: [{ message: 'The server cannot be reached' }] };
  const [cost, left] = ['Cost', 'Remaining'].map((name) => response.headers.get(`X-Ratelimit-${name}`));
  price.textContent = cost === null ? '' : `Cost: ${cost} ${cost === '1' ? 'point' : 'points'}; ${left} left`;
  if (isEventStream(response)) return followResults(response, stop);
  // A proxy answers with a page of its own when the server is away.
  return response.json().catch(() => ({ errors: [{ message: `HTTP ${response.status}, and no JSON` }] }));
};

let timer: ReturnType<typeof setTimeout>;
const onEditHeaders = (text: string) => {
  let pasted: string | null;
  try {
    pasted = new Headers(JSON.parse(text)).get('Authorization');
  } catch {
    return;
  }
  // A whole token: ours, or one of the identity provider.
  if (pasted === known || !pasted || !/^Bearer (?:mst_[\w-]{49}|[\w-]+\.[\w-]+\.[\w-]+)$/.test(pasted)) return;
  const isFirst = !known;
  known = pasted;
  keepKnown();
  clearTimeout(timer);
  timer = isFirst
    ? // The only way to have it load the schema again.
      setTimeout(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'R', ctrlKey: true, shiftKey: true })), 300)
    : // Every tab has the answers of the former token, and that token in its headers. GraphiQL stores what is written in the tabs after half a second.
      setTimeout(() => location.reload(), 1000);
};

// A prefix of our own, since another GraphiQL may have used the same port.
const prefix = 'muster:';
const stored = openStorage(() => localStorage);
const listKeys = () => Object.keys(stored).filter((key) => key.startsWith(prefix));
const storage = {
  getItem: (key: string) => stored[prefix + key] ?? null,
  setItem: (key: string, value: string) => {
    stored[prefix + key] = value;
  },
  removeItem: (key: string) => delete stored[prefix + key],
  get length() {
    return listKeys().length;
  },
  clear: () => {
    for (const key of listKeys()) delete stored[key];
  },
};

const findModel = (name: string) => monaco.editor.getModels().find(({ uri }) => uri.path.endsWith(name))!;
const readOpenTab = (): Tab => ({
  query: findModel('operation.graphql').getValue(),
  variables: findModel('variables.json').getValue(),
  chosen,
});

const openExample = ({ query, variables = '' }: Example) => {
  document.querySelector<HTMLElement>('.graphiql-tab-add')!.click();
  findModel('operation.graphql').setValue(query);
  findModel('variables.json').setValue(variables);
};

const makeMenu = (examples: Example[]): HTMLSelectElement => {
  const menu = document.createElement('select');
  menu.setAttribute('aria-label', 'More examples');
  menu.onkeydown = showChoices;
  menu.append(new Option('More examples'), ...examples.map(({ title }) => new Option(title)));
  menu.onchange = () => {
    openExample(examples[menu.selectedIndex - 1]!);
    menu.selectedIndex = 0;
  };
  return menu;
};

const makeButton = (label: string, write: (address: string, tab: Tab) => string): HTMLButtonElement => {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  button.onclick = async () => {
    try {
      const isCopied = await copyText(write(location.origin + location.pathname, readOpenTab()));
      button.textContent = isCopied ? 'Copied' : 'Not copied: the browser refuses';
    } catch (error) {
      const reason = error instanceof SyntaxError ? 'the variables are not JSON' : (error as Error).message;
      button.textContent = `Not copied: ${reason}`;
    }
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  };
  return button;
};

/** When the script of GraphiQL has run, which stands below this one. */
addEventListener('DOMContentLoaded', () => {
  const headers = JSON.stringify({ Authorization: known ?? placeholder }, null, 2);
  const variables = brought.get('variables') ?? '';
  const examples = EXAMPLES.slice(0, tabsAtFirst).map(({ query, variables }) => ({ query, variables }));
  const tabs = broughtQuery ? [{ query: broughtQuery, variables }, ...examples] : examples;
  const [first] = tabs;
  YogaGraphiQL.renderYogaGraphiQL(root, {
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
    // It stores no query before one is edited or another tab is opened, and adds an empty tab to stored ones when it knows of none.
    ...((broughtQuery || storage.getItem('graphiql:query') === null) && {
      initialQuery: first!.query,
      initialVariables: first!.variables,
    }),
  });
  const bar = document.createElement('footer');
  bar.className = 'share';
  bar.append(
    price,
    makeMenu(EXAMPLES.slice(tabsAtFirst)),
    makeButton('Copy link', writeLink),
    makeButton('Copy curl', writeCurl),
    makeButton('Copy TypeScript', writeTypeScript),
    makeButton('Copy Apollo', writeApollo),
  );
  document.body.append(bar);
});
