// Where the user is: a path after the `#`, such as `#/contacts/Contact:1`, so that any static server can serve the app.
import { useSyncExternalStore } from 'react';

export type Page = 'contacts' | 'segments';

export interface Route {
  page: Page;
  id: string | undefined;
}

const subscribe = (listener: () => void): (() => void) => {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
};

export const formatRoute = (page: Page, id?: string): string => `#/${page}${id ? `/${id}` : ''}`;

export const useRoute = (): Route => {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [, page, id] = /^#\/(contacts|segments)(?:\/(.+))?$/.exec(hash) ?? [];
  return { page: (page as Page | undefined) ?? 'contacts', id };
};
