// The notes of a contact, and a form for another one, which is shown before the server has it.
import { type FormEvent, useState } from 'react';
import { useMutation } from 'urql';
import { formatName } from './contact-list.tsx';
import { CreateNote } from './documents.ts';
import type { NoteFieldsFragment } from './generated/graphql.ts';
import { describeError } from './graph.ts';

export const ContactNotes = ({ contactId, notes }: { contactId: string; notes: readonly NoteFieldsFragment[] }) => {
  const [content, setContent] = useState('');
  const [{ error }, createNote] = useMutation(CreateNote);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setContent('');
    const result = await createNote({ input: { contactId, content } });
    // The text is given back, so that it can be sent again.
    if (result.error) setContent((typed) => (typed ? `${content}\n${typed}` : content));
  };
  return (
    <section aria-labelledby="notes">
      <h3 id="notes">Notes</h3>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          New note
          <textarea value={content} required onChange={(event) => setContent(event.target.value)} />
        </label>
        <button type="submit">Add note</button>
        <p role="alert">{error && describeError(error)}</p>
      </form>
      <ul className="notes">
        {notes.map((note) => (
          <li key={note.id}>
            <p>{note.content}</p>
            <small>
              {note.author ? formatName(note.author) : 'You'}, {new Date(note.createdAt).toLocaleString('en')}
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
};
