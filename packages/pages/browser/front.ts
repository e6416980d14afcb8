// The front page of somebody who is signed in: who it is, how many contacts they may see, and the last import. Strangers see nothing of it.
import { isLanguage, type Language } from '../language.ts';
import { createApi } from './api.ts';
import { isolate, joinNames } from './lookups.ts';
import { readToken, reloadForOtherToken } from './session.ts';

interface Viewer {
  viewer: { user: { firstName: string | null; lastName: string | null } | null; space: { name: string } };
  contacts: { totalCount: number };
}
interface Imports {
  imports: { nodes: { name: string; family: string; finishedAt: string | null; createdAt: string }[] };
}

const en = {
  signedIn: (name: string, space: string): string => (name ? `You are ${name}, in ${space}.` : `You are in ${space}.`),
  contacts: (count: string): string => `You may see ${count} ${count === '1' ? 'contact' : 'contacts'}.`,
  lastImport: (name: string, day: string): string => `The last import was ${name}, on ${day}.`,
  interrupted: (name: string, day: string): string => `The last import, ${name} of ${day}, is not finished.`,
};
const fr: typeof en = {
  signedIn: (name, space) => (name ? `Vous êtes ${name}, dans ${space}.` : `Vous êtes dans ${space}.`),
  contacts: (count) => `Vous avez accès à ${count} ${'01'.includes(count) ? 'contact' : 'contacts'}.`,
  lastImport: (name, day) => `Dernier import : ${name}, le ${day}.`,
  interrupted: (name, day) => `Le dernier import, ${name} du ${day}, n’est pas terminé.`,
};

/** Asks what the caller may read; what they may not is left out. */
const describeCaller = async (token: string, language: Language): Promise<string[]> => {
  const { query } = createApi(token);
  const t = { en, fr }[language];
  const [caller, last] = await Promise.all([
    query<Viewer>('{ viewer { user { firstName lastName } space { name } } contacts(first: 0) { totalCount } }'),
    query<Imports>(
      '{ imports(first: 20, orderBy: { field: ID, direction: DESC }) { nodes { name family finishedAt createdAt } } }',
    ).catch(() => undefined),
  ]);
  const { user, space } = caller.viewer;
  // Changes and merges of contacts are kept as imports, too.
  const made = last?.imports.nodes.find(({ family }) => !family.startsWith('contact_'));
  const day =
    made &&
    new Date(made.finishedAt ?? made.createdAt).toLocaleDateString(language === 'en' ? 'en-GB' : language, {
      dateStyle: 'long',
    });
  return [
    t.signedIn(isolate(joinNames(user?.firstName, user?.lastName)), isolate(space.name)),
    t.contacts(caller.contacts.totalCount.toLocaleString(language)),
    ...(made ? [(made.finishedAt ? t.lastImport : t.interrupted)(isolate(made.name), day!)] : []),
  ];
};

const { lang } = document.documentElement;
const token = readToken();
reloadForOtherToken(() => token);
if (token)
  describeCaller(token, isLanguage(lang) ? lang : 'en').then(
    (sentences) => {
      document.getElementById('caller')!.textContent = sentences.join(' ');
    },
    // A token that is no longer valid is for the page that asks for another one.
    () => {},
  );
