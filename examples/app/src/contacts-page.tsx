// The page of contacts: a search box above the list, and the contact that is open beside it.
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { ContactCard } from './contact-card.tsx';
import { ContactList } from './contact-list.tsx';
import { Contacts } from './documents.ts';
import { useLiveChanges } from './use-live-changes.ts';

/** The value once it has not changed for so many milliseconds. */
const useSettled = <Value,>(value: Value, ms: number): Value => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
};

export const ContactsPage = ({ id }: { id: string | undefined }) => {
  const [text, setText] = useState('');
  const { created, reset } = useLiveChanges();
  const [round, setRound] = useState(0);
  const search = useSettled(text.trim(), 200) || null;
  return (
    <main className="columns">
      <section aria-labelledby="contacts">
        <h1 id="contacts">Contacts</h1>
        <label>
          Search by name, city or mail
          <input type="search" value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        {created > 0 && (
          <p role="status" className="notice">
            {created === 1 ? 'There is a new contact.' : `There are ${created} new contacts.`}{' '}
            <button
              type="button"
              onClick={() => {
                reset();
                setRound(round + 1);
              }}
            >
              Read the list again
            </button>
          </p>
        )}
        {/* Another search is another list, which begins with its first page. */}
        <FoundContacts key={`${round} ${search}`} isRenewed={round > 0} search={search} openId={id} />
      </section>
      {id && <ContactCard key={id} id={id} />}
    </main>
  );
};

interface FoundProps {
  search: string | null;
  openId: string | undefined;
  /** Whether the cache does not know all contacts. */
  isRenewed: boolean;
}

const FoundContacts = ({ search, openId, isRenewed }: FoundProps) => {
  const [after, setAfter] = useState<string | null>(null);
  // urql cancels the request of a search that nobody waits for any more. The cache joins the pages.
  const [{ data, error, fetching }] = useQuery({
    query: Contacts,
    variables: { search, after },
    requestPolicy: isRenewed ? 'cache-and-network' : 'cache-first',
  });
  return <ContactList connection={data?.contacts} openId={openId} error={error} isBusy={fetching} onMore={setAfter} />;
};
