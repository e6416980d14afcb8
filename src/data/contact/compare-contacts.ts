// Compares a record with the stored contact: what is new, the state after it, and the sum of several changes.

import { addressColumnNames, contactFlags } from './columns.ts';
import type { AddressParts, ColumnValue, ContactContent, NoteContent, TagContent } from './patch.ts';
import type { StoredContact } from './stored-contact.ts';
import { applyAnswerChanges, compareAnswers } from './write-answers.ts';

/** Kinds of forms by their id: answers to custom fields are a separate list. */
type FormKinds = ReadonlyMap<number, { kind: string }>;

/** Null clears a flag to false. */
const normalizeFlag = (column: string, value: ColumnValue): ColumnValue =>
  value === null && contactFlags.includes(column) ? false : value;

export const pickDifferences = (
  given: Record<string, ColumnValue | undefined>,
  stored: Record<string, ColumnValue | undefined>,
): Record<string, ColumnValue> => {
  const changed: Record<string, ColumnValue> = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && normalizeFlag(name, value) !== (stored[name] ?? null)) changed[name] = value;
  return changed;
};

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/** A change of these parts, without those that are undefined. */
const describeChange = (parts: { [Part in keyof ContactContent]: ContactContent[Part] | undefined }): ContactContent =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as unknown as ContactContent;

const compareAddress = (
  given: ContactContent['address'],
  stored: StoredContact['address'],
): AddressParts | null | undefined => {
  if (!given) return given === null && stored ? null : undefined;
  const parts = pickDifferences(given, stored ?? {});
  if (isEmpty(parts)) return undefined;
  // An address without any value is no address.
  return Object.values({ ...stored, ...parts }).every((value) => value === null) ? null : parts;
};

const isSame = (some: ReadonlySet<unknown>, others: ReadonlySet<unknown>): boolean =>
  some.size === others.size && [...some].every((one) => others.has(one));

/** All tags that the contact has afterwards; undefined when they are those that it has now. */
const compareTags = (
  { tags, addedTags, removedTags = [] }: ContactContent,
  stored: readonly string[],
): TagContent[] | undefined => {
  if (!tags && !addedTags && removedTags.length === 0) return undefined;
  const kept = stored.filter((name) => !removedTags.includes(name)).map((name) => ({ name }));
  const all = new Map([...(tags ?? kept), ...(addedTags ?? [])].map((tag) => [tag.name, tag] as const).reverse());
  return isSame(new Set(all.keys()), new Set(stored)) ? undefined : [...all.values()].reverse();
};

const compareActions = (
  { actions, addedActions, removedActions = [] }: ContactContent,
  stored: readonly number[],
): number[] | undefined => {
  if (!actions && !addedActions && removedActions.length === 0) return undefined;
  const kept = stored.filter((id) => !removedActions.includes(id));
  const all = new Set([...(actions ?? kept), ...(addedActions ?? [])]);
  return isSame(all, new Set(stored)) ? undefined : [...all];
};

const pickNewNotes = (notes: readonly NoteContent[], stored: readonly string[]): NoteContent[] | undefined => {
  const fresh = new Map(notes.map((note) => [note.content, note] as const).reverse());
  for (const content of stored) fresh.delete(content);
  return fresh.size > 0 ? [...fresh.values()].reverse() : undefined;
};

/** The part of this content that is new to the contact; undefined when nothing is. Changed lists are complete. */
export const findContactChange = (
  content: ContactContent,
  stored: StoredContact,
  kinds: FormKinds,
): ContactContent | undefined => {
  const { answers } = content;
  const isAnswered = answers && compareAnswers(stored.answers, applyAnswerChanges(stored.answers, answers, kinds));
  const change = describeChange({
    columns: pickDifferences(content.columns, stored.columns),
    address: compareAddress(content.address, stored.address),
    tags: compareTags(content, stored.tags),
    actions: compareActions(content, stored.actions),
    answers: isAnswered && answers,
    notes: pickNewNotes(content.notes ?? [], stored.notes),
  });
  return isEmpty(change.columns) && Object.keys(change).length === 1 ? undefined : change;
};

export const applyContactChange = (stored: StoredContact, change: ContactContent, kinds: FormKinds): StoredContact => ({
  columns: {
    ...stored.columns,
    ...Object.fromEntries(Object.entries(change.columns).map(([name, value]) => [name, normalizeFlag(name, value)])),
  },
  address: change.address === undefined ? stored.address : change.address && { ...stored.address, ...change.address },
  tags: change.tags?.map(({ name }) => name) ?? stored.tags,
  actions: change.actions ?? stored.actions,
  answers: change.answers ? applyAnswerChanges(stored.answers, change.answers, kinds) : stored.answers,
  notes: [...stored.notes, ...(change.notes ?? []).map(({ content }) => content)],
});

const clearAddressParts = (stored: StoredContact): AddressParts =>
  Object.fromEntries(addressColumnNames.flatMap((name) => (stored.address?.[name] == null ? [] : [[name, null]])));

/** Joins several consecutive changes into one, which is written at once. */
export const joinContactChanges = (
  before: StoredContact,
  after: StoredContact,
  changes: readonly ContactContent[],
): ContactContent => {
  const answers = compareAnswers(before.answers, after.answers);
  const notes = changes.flatMap((change) => change.notes ?? []);
  return describeChange({
    columns: pickDifferences(after.columns, before.columns),
    // An address that was removed in between leaves none of its parts to later changes.
    address: compareAddress(after.address && { ...clearAddressParts(before), ...after.address }, before.address),
    tags: compareTags({ columns: {}, tags: after.tags.map((name) => ({ name })) }, before.tags),
    actions: compareActions({ columns: {}, actions: after.actions }, before.actions),
    answers: answers && [answers],
    notes: notes.length > 0 ? notes : undefined,
  });
};
