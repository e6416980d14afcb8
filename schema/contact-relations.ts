// What hangs on contacts: how it is read for one contact, for a page of them, and as JSON.
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../src/context.ts';
import type { ContactJsonQuery, ContactText } from '../src/data/contact/json.ts';
import {
  type ContactRelation,
  type ContactRow,
  type ContactWith,
  readActionsOfContacts,
  readContactsByIds,
  readTagsOfContacts,
} from '../src/data/contact/read.ts';
import { listFieldsBelow, listNodesBelow } from '../src/execution/selection.ts';
import { addressOf } from './address.ts';
import { answersOf } from './answer.ts';
import { createRelationLoader } from './loader.ts';
import { notesOf } from './note.ts';

export const tagsOf = createRelationLoader(
  (context, ids) => readTagsOfContacts(context.space, ids),
  (tag) => tag.contact_id,
);
export const actionsOf = createRelationLoader(
  (context, ids) => readActionsOfContacts(context.space, ids),
  (action) => action.contact_id,
);

/** Which fields show which part, and the loader that serves the part to them. */
const parts = {
  address: { fields: ['address'], loader: addressOf },
  tags: { fields: ['tags'], loader: tagsOf },
  actions: { fields: ['actionIds'], loader: actionsOf },
  answers: { fields: ['answers', 'customFields'], loader: answersOf },
  notes: { fields: ['note', 'notes'], loader: notesOf },
} satisfies Record<ContactRelation, unknown>;

export const listSelectedParts = (selected: Set<string>): ContactRelation[] =>
  (Object.keys(parts) as ContactRelation[]).filter((part) => parts[part].fields.some((field) => selected.has(field)));

/** The loaders serve from here what came along with a contact. */
const primeParts = (context: Context, row: ContactWith, along: readonly ContactRelation[]): void => {
  for (const part of along) parts[part].loader.prime(context, row.id, row[part] as never[]);
};

/** Of the parts wanted of a page of contacts those that come along with each contact: short ones. The others are read for all of them at once. */
export const listInlineParts = (wanted: readonly ContactRelation[]): ContactRelation[] =>
  wanted.filter((part) => part === 'actions' || part === 'notes');

/** Has the wanted parts of a page of contacts here before any of them is asked for. */
export const preloadContactParts = async (
  context: Context,
  rows: readonly ContactWith[],
  wanted: readonly ContactRelation[],
): Promise<void> => {
  const along = listInlineParts(wanted);
  for (const row of rows) primeParts(context, row, along);
  const ids = rows.map(({ id }) => id);
  const others = rows.length > 0 ? wanted.filter((part) => !along.includes(part)) : [];
  await Promise.all(others.map((part) => parts[part].loader.bring(context, ids)));
};

/** What is shown of the contacts that these paths lead to, when they are wanted as text. */
export const findContactJson = (
  { jsonQueries }: Context,
  info: GraphQLResolveInfo,
  ...paths: string[][]
): ContactJsonQuery | undefined =>
  jsonQueries &&
  paths.flatMap((path) => listNodesBelow(info, ...path).flatMap((node) => jsonQueries.get(node) ?? []))[0];

/** Texts pass where rows do, up to the field that sends them. */
export const passTextsAsRows = <Row extends ContactRow>(texts: ContactText[]): Row[] => texts as never;

/** Contacts by their ids, for results that name many. */
export const contactOf = createRelationLoader(
  (context, ids) => readContactsByIds(context.space, ids),
  (row) => row.id,
);

/** A single contact comes with what is selected below it in one statement; `path` leads there from the field. */
export const readContactWithParts = async <Found extends ContactWith | undefined>(
  context: Context,
  info: GraphQLResolveInfo,
  reading: Promise<Found>,
  ...path: string[]
): Promise<Found> => {
  const row = await reading;
  if (row) primeParts(context, row, listSelectedParts(listFieldsBelow(info, ...path)));
  return row;
};
