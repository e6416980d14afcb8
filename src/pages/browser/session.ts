// The token of the page. It lives in the storage of the browser's tab, where GraphiQL has it too: it survives a reload, and is gone with the tab.

const key = 'muster:token';

/** Takes the parameters of a fragment, and removes the token from the address. */
export const takeFragment = (fragment = location.hash): URLSearchParams => {
  const parameters = new URLSearchParams(fragment.slice(1));
  const token = parameters.get('token');
  if (token) {
    keepToken(token);
    parameters.delete('token');
    const rest = parameters.toString();
    history.replaceState(null, '', `${location.pathname}${location.search}${rest && `#${rest}`}`);
  }
  return parameters;
};

export const readToken = (): string | undefined => sessionStorage.getItem(key)?.replace(/^Bearer /, '');

export const keepToken = (token: string): void => sessionStorage.setItem(key, `Bearer ${token}`);

export const forgetToken = (): void => sessionStorage.removeItem(key);
