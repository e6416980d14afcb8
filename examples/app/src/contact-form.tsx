// The form that changes a contact. It sends the version that the user saw; if there is a newer one, the user chooses field by field.
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useClient, useMutation } from 'urql';
import { Contact, UpdateContact } from './documents.ts';
import type { ContactFieldsFragment, ContactUpdateInput } from './generated/graphql.ts';
import { describeError, readCode } from './graph.ts';
import { mergeChanges, type Values } from './merge-changes.ts';

const fields = [
  { name: 'firstName', label: 'First name', type: 'text' },
  { name: 'lastName', label: 'Last name', type: 'text' },
  { name: 'email', label: 'Mail', type: 'email' },
  { name: 'phone', label: 'Phone', type: 'tel' },
  { name: 'birthDate', label: 'Born', type: 'date' },
  { name: 'street', label: 'Street', type: 'text' },
  { name: 'postalCode', label: 'Postal code', type: 'text' },
  { name: 'city', label: 'City', type: 'text' },
] as const;
type Name = (typeof fields)[number]['name'];

const addressFields: readonly Name[] = ['street', 'postalCode', 'city'];

const readValues = ({ address, ...contact }: ContactFieldsFragment): Values<Name> =>
  Object.fromEntries(
    fields.map(({ name }) => [name, { ...contact, ...address }[name as 'firstName'] ?? '']),
  ) as Values<Name>;

/** The fields that differ from the record; an empty text clears a field. */
const createInput = (base: ContactFieldsFragment, values: Values<Name>): ContactUpdateInput => {
  const before = readValues(base);
  const changed = fields.filter(({ name }) => values[name] !== before[name]).map(({ name }) => name);
  const pick = (names: Name[]) => Object.fromEntries(names.map((name) => [name, values[name] || null]));
  const address = pick(changed.filter((name) => addressFields.includes(name)));
  return {
    id: base.id,
    expectedVersion: base.version,
    ...pick(changed.filter((name) => !addressFields.includes(name))),
    ...(Object.keys(address).length > 0 && { address }),
  };
};

const hasSameValues = (one: ContactFieldsFragment, other: ContactFieldsFragment): boolean =>
  JSON.stringify(readValues(one)) === JSON.stringify(readValues(other));

interface Props {
  /** The contact as it is, which may change while the form is open. */
  contact: ContactFieldsFragment;
  onDone(): void;
}

export const ContactForm = ({ contact, onDone }: Props) => {
  const client = useClient();
  const [{ error, fetching }, update] = useMutation(UpdateContact);
  /** The contact that the values are compared with, and whose version is sent. */
  const [base, setBase] = useState(contact);
  const [values, setValues] = useState(() => readValues(contact));
  const [conflicts, setConflicts] = useState<Name[]>([]);
  const theirs = readValues(base);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (fields.every(({ name }) => values[name] === theirs[name])) return onDone();
    for (let seen = base; ; ) {
      const { error: refusal } = await update({ input: createInput(seen, values) });
      if (!refusal) return onDone();
      if (readCode(refusal) !== 'precondition-failed') return;
      const { data } = await client.query(Contact, { id: base.id }, { requestPolicy: 'network-only' }).toPromise();
      const latest = data?.contact;
      if (!latest) return;
      setBase(latest);
      if (hasSameValues(latest, seen)) {
        // The new version is that of something else, such as a note: there is nothing to choose.
        seen = latest;
        continue;
      }
      const merged = mergeChanges(readValues(seen), values, readValues(latest));
      setValues(merged.values);
      setConflicts(merged.conflicts);
      return;
    }
  };

  const isLate = readCode(error) === 'precondition-failed';
  return (
    <form onSubmit={(event) => void submit(event)}>
      {isLate && <Conflict count={conflicts.length} />}
      {!isLate && !hasSameValues(contact, base) && (
        <p role="status" className="notice">
          Somebody else has changed this contact. When you save, you see what.
        </p>
      )}
      {fields.map(({ name, label, type }) => (
        <div key={name} className={conflicts.includes(name) ? 'conflict' : undefined}>
          <label>
            {label}
            <input
              name={name}
              type={type}
              value={values[name]}
              aria-describedby={conflicts.includes(name) ? `theirs-${name}` : undefined}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          </label>
          {conflicts.includes(name) && (
            <p id={`theirs-${name}`}>
              Saved meanwhile: <q>{theirs[name]}</q>{' '}
              <button type="button" onClick={() => setValues({ ...values, [name]: theirs[name] })}>
                Take theirs
              </button>
            </p>
          )}
        </div>
      ))}
      {error && !isLate && <p role="alert">{describeError(error)}</p>}
      <button type="submit" disabled={fetching}>
        {conflicts.length > 0 ? 'Save my choice' : 'Save'}
      </button>{' '}
      <button type="button" onClick={onDone}>
        Cancel
      </button>
    </form>
  );
};

/** Says what has happened, and takes the focus, since the button that was pressed did not do what it says. */
const Conflict = ({ count }: { count: number }) => {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => element.current?.focus(), []);
  return (
    <p ref={element} tabIndex={-1} role="alert" className="notice">
      Somebody else has changed this contact since you opened it. Nothing is saved yet.{' '}
      {count > 0
        ? 'Choose below where both of you changed a field, then save.'
        : 'Your changes fit beside theirs: save again.'}
    </p>
  );
};
