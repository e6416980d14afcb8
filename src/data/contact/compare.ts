// Compares a record with the stored contact: what is new, the state after it, and the sum of several changes.

import { addressColumnNames, contactFlags } from './columns.ts';
import { applyAnswerChanges, compareAnswers } from './compare-answers.ts';
import type { AddressParts, Columns, ContactContent, NoteContent, TagContent, Value } from './patch.ts';
import type { Stored } from './stored.ts';

/** Kinds of forms by their id: answers to custom fields are a separate list. */
export type Kinds = ReadonlyMap<number, { kind: string }>;

/** Null clears a flag to false. */
const plainOf = (column: string, value: Value): Value =>
  value === null && contactFlags.includes(column) ? false : value;

const differing = (said: Record<string, Value | undefined>, stored: Record<string, Value | undefined>) =>
  Object.fromEntries(
    Object.entries(said).filter(
      ([name, value]) => value !== undefined && plainOf(name, value) !== (stored[name] ?? null),
    ),
  );

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

const addressChange = (said: ContactContent['address'], stored: Stored['address']): AddressParts | null | undefined => {
  if (!said) return said === null && stored ? null : undefined;
  const parts = differing(said, stored ?? {});
  if (isEmpty(parts)) return undefined;
  // An address without any value is no address.
  return Object.values({ ...stored, ...parts }).every((value) => value === null) ? null : parts;
};

const isSame = (some: ReadonlySet<unknown>, others: ReadonlySet<unknown>): boolean =>
  some.size === others.size && [...some].every((one) => others.has(one));

/** All tags that the contact has afterwards; undefined when they are those that it has now. */
const tagChange = ({ tags, addedTags }: ContactContent, stored: readonly string[]): TagContent[] | undefined => {
  if (!tags && !addedTags) return undefined;
  const all = new Map(
    [...(tags ?? stored.map((name) => ({ name }))), ...(addedTags ?? [])]
      .map((tag) => [tag.name, tag] as const)
      .reverse(),
  );
  return isSame(new Set(all.keys()), new Set(stored)) ? undefined : [...all.values()].reverse();
};

const actionChange = ({ actions, addedActions }: ContactContent, stored: readonly number[]): number[] | undefined => {
  if (!actions && !addedActions) return undefined;
  const all = new Set([...(actions ?? stored), ...(addedActions ?? [])]);
  return isSame(all, new Set(stored)) ? undefined : [...all];
};

const noteChange = (notes: readonly NoteContent[], stored: readonly string[]): NoteContent[] => {
  const fresh = new Map(notes.map((note) => [note.content, note] as const).reverse());
  for (const content of stored) fresh.delete(content);
  return [...fresh.values()].reverse();
};

/** The part of this content that is new to the contact; undefined when nothing is. Changed lists are complete. */
export const findContactChange = (
  content: ContactContent,
  stored: Stored,
  kinds: Kinds,
): ContactContent | undefined => {
  const change: ContactContent = { columns: differing(content.columns, stored.columns) as Columns };
  const address = addressChange(content.address, stored.address);
  if (address !== undefined) change.address = address;
  const tags = tagChange(content, stored.tags);
  if (tags) change.tags = tags;
  const actions = actionChange(content, stored.actions);
  if (actions) change.actions = actions;
  if (content.answers && compareAnswers(stored.answers, applyAnswerChanges(stored.answers, content.answers, kinds)))
    change.answers = content.answers;
  const notes = noteChange(content.notes ?? [], stored.notes);
  if (notes.length > 0) change.notes = notes;
  return isEmpty(change.columns) && Object.keys(change).length === 1 ? undefined : change;
};

/** The state of a contact after a change. */
export const applyContactChange = (stored: Stored, change: ContactContent, kinds: Kinds): Stored => ({
  columns: {
    ...stored.columns,
    ...Object.fromEntries(Object.entries(change.columns).map(([name, value]) => [name, plainOf(name, value)])),
  },
  address: change.address === undefined ? stored.address : change.address && { ...stored.address, ...change.address },
  tags: change.tags?.map(({ name }) => name) ?? stored.tags,
  actions: change.actions ?? stored.actions,
  answers: change.answers ? applyAnswerChanges(stored.answers, change.answers, kinds) : stored.answers,
  notes: [...stored.notes, ...(change.notes ?? []).map(({ content }) => content)],
});

const without = (stored: Stored): AddressParts =>
  Object.fromEntries(addressColumnNames.flatMap((name) => (stored.address?.[name] == null ? [] : [[name, null]])));

/** Joins several consecutive changes into one, which is written at once. */
export const joinContactChanges = (
  before: Stored,
  after: Stored,
  changes: readonly ContactContent[],
): ContactContent => {
  const joined: ContactContent = { columns: differing(after.columns, before.columns) as Columns };
  // An address that was removed in between leaves none of its parts to later changes.
  const address = addressChange(after.address && { ...without(before), ...after.address }, before.address);
  if (address !== undefined) joined.address = address;
  const tags = tagChange({ columns: {}, tags: after.tags.map((name) => ({ name })) }, before.tags);
  if (tags) joined.tags = tags;
  const actions = actionChange({ columns: {}, actions: after.actions }, before.actions);
  if (actions) joined.actions = actions;
  const answers = compareAnswers(before.answers, after.answers);
  if (answers) joined.answers = [answers];
  const notes = changes.flatMap((change) => change.notes ?? []);
  if (notes.length > 0) joined.notes = notes;
  return joined;
};
