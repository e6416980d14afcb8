// The page of contacts: a search box above the list, and the contact that is open beside it.
import { useEffect, useState } from 'react';
import { useClient, useQuery } from 'urql';
import { ContactCard } from './contact-card.tsx';
import { ContactList } from './contact-list.tsx';
import { Contacts } from './documents.ts';
import type { LiveChanges } from './use-live-changes.ts';

/** The value once it has not changed for so many milliseconds. */
const useSettled = <Value,>(value: Value, ms: number): Value => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
};

export const ContactsPage = ({ id, ...changes }: { id: string | undefined } & LiveChanges) => {
  const [text, setText] = useState('');
  const search = useSettled(text.trim(), 200);
  return (
    <main className="columns">
      <section aria-labelledby="contacts">
        <h1 id="contacts">Contacts</h1>
        <label>
          Search by name, city or mail
          <input type="search" value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        {/* Another search is another list, which begins with its first page. */}
        <FoundContacts key={search} search={search || null} openId={id} {...changes} />
      </section>
      {id && <ContactCard key={id} id={id} />}
    </main>
  );
};

interface FoundProps extends LiveChanges {
  search: string | null;
  openId: string | undefined;
}

const FoundContacts = ({ search, openId, created, reset }: FoundProps) => {
  const client = useClient();
  const [after, setAfter] = useState<string | null>(null);
  // urql cancels the request of a search that nobody waits for any more. The cache joins the pages; it does not know of new contacts.
  const [{ data, error, fetching }] = useQuery({
    query: Contacts,
    variables: { search, after },
    requestPolicy: 'cache-and-network',
  });
  const readAgain = (): void => {
    reset();
    // A new contact is in the first page if it matches the search best, else in the last one.
    for (const page of new Set([null, after]))
      void client.query(Contacts, { search, after: page }, { requestPolicy: 'network-only' }).toPromise();
  };
  return (
    <>
      {created > 0 && (
        <p role="status" className="notice">
          {created === 1 ? 'There is a new contact.' : `There are ${created} new contacts.`}{' '}
          <button type="button" onClick={readAgain}>
            Read the list again
          </button>
        </p>
      )}
      <ContactList connection={data?.contacts} openId={openId} error={error} isBusy={fetching} onMore={setAfter} />
    </>
  );
};
