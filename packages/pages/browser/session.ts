// The token of the page, and the change of contacts and the import that it has begun. They live in the storage of the browser's tab, where GraphiQL has the token too: they survive a reload, and are gone with the tab.

/** A storage of the browser by its keys. One that the browser refuses lasts as long as the page. */
export const openStorage = (open: () => Storage): Record<string, string | undefined> => {
  try {
    return open();
  } catch {
    return {};
  }
};
const storage = openStorage(() => sessionStorage);

const key = 'muster:token';
const changeKey = 'muster:change';
const importKey = 'muster:import';

/**
 * Takes the parameters of a fragment, and removes the token from the address. A link must not put somebody into another space unnoticed: when the tab has
 * another token, the user is asked `question` before that one is replaced.
 */
export const takeFragment = (fragment: string, question: string): URLSearchParams => {
  const parameters = new URLSearchParams(fragment.slice(1));
  const token = parameters.get('token');
  if (token) {
    const held = readToken();
    if (held === undefined || held === token || confirm(question)) keepToken(token);
    parameters.delete('token');
    const rest = parameters.toString();
    history.replaceState(null, '', `${location.pathname}${location.search}${rest && `#${rest}`}`);
  }
  return parameters;
};

export const readToken = (): string | undefined => storage[key]?.replace(/^Bearer /, '');

export const keepToken = (token: string): void => {
  // The same number is another change in another space.
  if (token !== readToken()) forgetToken();
  storage[key] = `Bearer ${token}`;
};

export const forgetToken = (): void => {
  keepChangeId(undefined);
  keepImportId(undefined);
  delete storage[key];
};

/** Loads a page anew that the browser has kept, and shows again on the way back, when the tab has another token by then, or none. */
export const reloadForOtherToken = (getShown: () => string | undefined, controller?: AbortController): void =>
  addEventListener(
    'pageshow',
    ({ persisted }) => {
      if (persisted && readToken() !== getShown()) location.reload();
    },
    controller,
  );

/** Undefined forgets it. */
const keepAt = (place: string, id: string | number | undefined): void => {
  if (id === undefined) delete storage[place];
  else storage[place] = String(id);
};

/** The change of contacts that the tab shows. */
export const readChangeId = (): string | undefined => storage[changeKey];
export const keepChangeId = (id: string | undefined): void => keepAt(changeKey, id);

/** The import that the tab shows. */
export const readImportId = (): number | undefined => Number(storage[importKey]) || undefined;
export const keepImportId = (id: number | undefined): void => keepAt(importKey, id);
