// The page of segments: all of them, and the contacts of the one that is open.
import { useState } from 'react';
import { useQuery } from 'urql';
import { ContactList } from './contact-list.tsx';
import { SegmentMembers, Segments } from './documents.ts';
import { describeError } from './graph.ts';
import { formatRoute } from './route.ts';

export const SegmentsPage = ({ id }: { id: string | undefined }) => {
  const [after, setAfter] = useState<string | null>(null);
  const [{ data, error, fetching }] = useQuery({ query: Segments, variables: { after } });
  const segments = data?.segments.nodes;
  return (
    <main className="columns">
      <section aria-labelledby="segments">
        <h1 id="segments">Segments</h1>
        <p role="status">{error ? describeError(error) : segments ? `${segments.length} shown` : 'Loading'}</p>
        <ul className="list">
          {segments?.map((segment) => (
            <li key={segment.id}>
              <a href={formatRoute('segments', segment.id)} aria-current={segment.id === id ? 'true' : undefined}>
                {segment.name}
                <small>{segment.contactCount ?? 'cannot run'}</small>
              </a>
            </li>
          ))}
        </ul>
        {data?.segments.pageInfo.hasNextPage && (
          <button type="button" disabled={fetching} onClick={() => setAfter(data.segments.pageInfo.endCursor)}>
            Show more
          </button>
        )}
      </section>
      {id && <Members key={id} id={id} />}
    </main>
  );
};

const Members = ({ id }: { id: string }) => {
  const [after, setAfter] = useState<string | null>(null);
  const [{ data, error, fetching }] = useQuery({ query: SegmentMembers, variables: { id, after } });
  const segment = data?.segment;
  if (segment === null)
    return (
      <section className="card" aria-label="Segment">
        <p role="status">There is no such segment.</p>
      </section>
    );
  return (
    <section className="card" aria-labelledby="segment">
      <h2 id="segment">{segment?.name ?? 'Segment'}</h2>
      <p>{segment?.description}</p>
      {segment?.faults.map(({ location, message }) => (
        <p key={location} role="alert">
          {location} {message}
        </p>
      ))}
      <ContactList connection={segment?.contacts} error={error} isBusy={fetching} onMore={setAfter} />
    </section>
  );
};
