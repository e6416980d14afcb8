// Who is logged in: the address of the graph and a token. They last as long as the tab, and are never part of an address.
import { useSyncExternalStore } from 'react';

export interface Session {
  url: string;
  token: string;
}

const key = 'muster-session';
const listeners = new Set<() => void>();

const read = (): Session | null => JSON.parse(sessionStorage.getItem(key) ?? 'null');
let session = read();

const change = (next: Session | null): void => {
  session = next;
  if (next) sessionStorage.setItem(key, JSON.stringify(next));
  else sessionStorage.removeItem(key);
  for (const listener of listeners) listener();
};

export const logIn = (next: Session): void => change(next);
export const logOut = (): void => change(null);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useSession = (): Session | null => useSyncExternalStore(subscribe, () => session);
