// One contact: its fields, its tags and its notes, and the form that changes it.
import { useState } from 'react';
import { useQuery } from 'urql';
import { ContactForm } from './contact-form.tsx';
import { formatName } from './contact-list.tsx';
import { ContactNotes } from './contact-notes.tsx';
import { Contact } from './documents.ts';
import type { ContactFieldsFragment } from './generated/graphql.ts';
import { describeError } from './graph.ts';

export const ContactCard = ({ id }: { id: string }) => {
  const [isEditing, setEditing] = useState(false);
  const [{ data, error }] = useQuery({ query: Contact, variables: { id } });
  const contact = data?.contact;
  if (!contact)
    return (
      <section className="card" aria-label="Contact">
        <p role="status">{error ? describeError(error) : data ? 'There is no such contact.' : 'Loading'}</p>
      </section>
    );
  return (
    <section className="card" aria-labelledby="contact">
      <h2 id="contact">{formatName(contact)}</h2>
      {contact.tags.length > 0 && (
        <ul className="tags" aria-label="Tags">
          {contact.tags.map((tag) => (
            <li key={tag.id}>{tag.name}</li>
          ))}
        </ul>
      )}
      {isEditing ? (
        <ContactForm contact={contact} onDone={() => setEditing(false)} />
      ) : (
        <>
          <ContactFacts contact={contact} />
          <button type="button" onClick={() => setEditing(true)}>
            Edit
          </button>
        </>
      )}
      <ContactNotes contactId={contact.id} notes={contact.notes.nodes} />
    </section>
  );
};

const ContactFacts = ({ contact }: { contact: ContactFieldsFragment }) => {
  const { email, phone, birthDate, address } = contact;
  const place = [address?.street, [address?.postalCode, address?.city].filter(Boolean).join(' ')].filter(Boolean);
  const rows: [label: string, value: string | null][] = [
    ['Mail', email],
    ['Phone', phone],
    ['Born', birthDate],
    ['Address', place.join(', ') || null],
  ];
  return (
    <dl>
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
};
