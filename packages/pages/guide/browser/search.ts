// The search of the guide. It appears where scripts run, and loads its index when it is first used.
import MiniSearch from 'minisearch';
import type { Found } from '../contents.ts';

const mostResults = 12;
const place = document.querySelector<HTMLElement>('#search')!;

const make = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
};

const input = make('input', { type: 'search', id: 'search-text', placeholder: 'Search', autocomplete: 'off' });
const label = make('label', { for: 'search-text', class: 'sr-only' }, 'Search the guide');
const status = make('p', { role: 'status', class: 'quiet' });
const list = make('ul', {});
const results = make('div', { class: 'matches', hidden: '' }, status, list);
place.append(label, input, results);

let loading: Promise<MiniSearch<Found>> | undefined;
const load = (): Promise<MiniSearch<Found>> => {
  loading ??= fetch(place.dataset.index!)
    .then((response) => response.json())
    .then((sections: Found[]) => {
      const index = new MiniSearch<Found>({
        fields: ['heading', 'page', 'body'],
        storeFields: ['page', 'heading', 'body'],
        searchOptions: {
          prefix: true,
          fuzzy: (term) => (term.length > 4 ? 0.2 : false),
          combineWith: 'AND',
          boost: { heading: 4, page: 2 },
        },
      });
      index.addAll(sections);
      return index;
    })
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
};

/** The part of a text around the first word that was found. */
const cutExcerpt = (text: string, terms: readonly string[]): string => {
  const lower = text.toLowerCase();
  const first = Math.min(...terms.map((term) => lower.indexOf(term)).filter((position) => position >= 0), text.length);
  const start = first === text.length ? 0 : Math.max(0, first - 40);
  return `${start > 0 ? '…' : ''}${text.slice(start, start + 120)}${text.length > start + 120 ? '…' : ''}`;
};

const show = async (): Promise<void> => {
  const text = input.value.trim();
  results.hidden = text === '';
  if (text === '') return;
  try {
    const found = (await load()).search(text);
    // Another text was typed while the index came.
    if (input.value.trim() !== text) return;
    const shown = found.slice(0, mostResults);
    status.textContent =
      found.length === 0
        ? 'Nothing found'
        : found.length > mostResults
          ? `The best ${mostResults} of ${found.length}`
          : `${found.length} found`;
    list.replaceChildren(
      ...shown.map(({ id, page, heading, body, terms }) =>
        make(
          'li',
          {},
          make(
            'a',
            { href: id },
            make('strong', {}, heading),
            make('span', {}, heading === page ? '' : page),
            make('small', {}, cutExcerpt(body, terms)),
          ),
        ),
      ),
    );
  } catch {
    status.textContent = 'The search could not be loaded. Check the connection, and type again.';
    list.replaceChildren();
  }
};

const close = (): void => {
  input.value = '';
  results.hidden = true;
};

input.addEventListener('focus', () => void load().catch(() => {}));
input.addEventListener('input', () => void show());
place.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  close();
  input.focus();
});
list.addEventListener('click', close);
document.addEventListener('click', ({ target }) => {
  if (!place.contains(target as Node)) results.hidden = true;
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
