// The token of the page. It lives in the storage of the browser's tab, where GraphiQL has it too: it survives a reload, and is gone with the tab.

const key = 'muster:token';

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

export const readToken = (): string | undefined => sessionStorage.getItem(key)?.replace(/^Bearer /, '');

export const keepToken = (token: string): void => sessionStorage.setItem(key, `Bearer ${token}`);

export const forgetToken = (): void => sessionStorage.removeItem(key);
