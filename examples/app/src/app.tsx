// The frame of the app: the login, or the pages of the space with the way between them.
import { useMemo } from 'react';
import { Provider, useQuery } from 'urql';
import { ContactsPage } from './contacts-page.tsx';
import { Viewer } from './documents.ts';
import { createGraph } from './graph.ts';
import { Login } from './login.tsx';
import { formatRoute, type Page, useRoute } from './route.ts';
import { SegmentsPage } from './segments-page.tsx';
import { logOut, type Session, useSession } from './session.ts';
import { useLiveChanges } from './use-live-changes.ts';

export const App = () => {
  const session = useSession();
  return session ? <Space session={session} /> : <Login />;
};

const Space = ({ session }: { session: Session }) => {
  const graph = useMemo(() => createGraph(session), [session]);
  return (
    <Provider value={graph}>
      <Header />
      <CurrentPage />
    </Provider>
  );
};

const Header = () => {
  const { page } = useRoute();
  const [{ data }] = useQuery({ query: Viewer });
  const link = (to: Page, text: string) => (
    <a href={formatRoute(to)} aria-current={page === to ? 'page' : undefined}>
      {text}
    </a>
  );
  return (
    <header className="bar">
      <strong>{data?.viewer.space.name ?? 'Muster'}</strong>
      <nav aria-label="Pages">
        {link('contacts', 'Contacts')}
        {link('segments', 'Segments')}
      </nav>
      <span>{data?.viewer.user && `${data.viewer.user.firstName ?? ''} ${data.viewer.user.lastName ?? ''}`}</span>
      <button type="button" onClick={logOut}>
        Log out
      </button>
    </header>
  );
};

const CurrentPage = () => {
  const { page, id } = useRoute();
  // Here, since what changes while the segments are shown is in the cache of the contacts too.
  const changes = useLiveChanges();
  return page === 'segments' ? <SegmentsPage id={id} /> : <ContactsPage id={id} {...changes} />;
};
