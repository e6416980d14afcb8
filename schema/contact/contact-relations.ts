// Relations of contacts: their loaders, and which of them a selection needs.
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../src/context.ts';
import type { ContactRow } from '../../src/data/contact/columns.ts';
import {
  type ContactRelation,
  type ContactWith,
  createRelationReader,
  readContactsByIds,
} from '../../src/data/contact/read.ts';
import { mapRelated } from '../../src/plan/loader.ts';
import { listOwnNodesBelow } from '../../src/plan/selection.ts';
import { createNotFoundProblem } from '../../src/problem.ts';
import { createLoaderByColumn } from '../graph/reference.ts';

export const addressOf = createLoaderByColumn(createRelationReader('address'), 'contact_id');
export const tagsOf = createLoaderByColumn(createRelationReader('tags'), 'contact_id');
export const actionsOf = createLoaderByColumn(createRelationReader('actions'), 'contact_id');
/** All answers of a contact, those to custom fields among them. */
export const answersOf = createLoaderByColumn(createRelationReader('answers'), 'contact_id');
/** The notes of a contact: pinned ones first, then the newest. */
export const notesOf = createLoaderByColumn(createRelationReader('notes'), 'contact_id');
export const formerMailsOf = createLoaderByColumn(createRelationReader('formerMails'), 'contact_id');

/** The fields that need each relation, and the loader that they read it from. */
const parts = {
  address: { fields: ['address'], loader: addressOf },
  tags: { fields: ['tags'], loader: tagsOf },
  actions: { fields: ['actions', 'actionIds'], loader: actionsOf },
  answers: { fields: ['answerList', 'customFields'], loader: answersOf },
  notes: { fields: ['note'], loader: notesOf },
  formerMails: { fields: ['formerEmails'], loader: formerMailsOf },
} satisfies Record<ContactRelation, unknown>;

export const listSelectedParts = (selected: Set<string>): ContactRelation[] =>
  (Object.keys(parts) as ContactRelation[]).filter((part) => parts[part].fields.some((field) => selected.has(field)));

/** Hands the relations that were read with a contact to the loaders. */
export const preloadOwnParts = (context: Context, row: ContactWith, inline: readonly ContactRelation[]): void => {
  for (const part of inline) parts[part].loader.prime(context, row.id, row[part] as never[]);
};

/** Relations small enough to be read with each contact of a page; the others are read for the whole page at once. */
export const listInlineParts = (wanted: readonly ContactRelation[]): ContactRelation[] =>
  wanted.filter((part) => part === 'actions' || part === 'notes');

/** Preloads the selected relations of a page of contacts. */
export const preloadContactParts = async (
  context: Context,
  rows: readonly ContactWith[],
  wanted: readonly ContactRelation[],
): Promise<void> => {
  const inline = listInlineParts(wanted);
  for (const row of rows) preloadOwnParts(context, row, inline);
  const ids = rows.map(({ id }) => id);
  const others = rows.length > 0 ? wanted.filter((part) => !inline.includes(part)) : [];
  await Promise.all(others.map((part) => parts[part].loader.bring(context, ids)));
};

const contactOf = createLoaderByColumn(readContactsByIds, 'id');

/** Whether the id of a record is enough for its selection: the client selects ids, and JSON that PostgreSQL reads by the id. */
const needsOnlyId = ({ jsonPlans }: Context, info: GraphQLResolveInfo): boolean =>
  listOwnNodesBelow(info).every((node) => {
    if (['id', 'databaseId', '__typename'].includes(node.name.value)) return true;
    const plan = jsonPlans?.get(node);
    return plan !== undefined && ('page' in plan || ('rows' in plan && plan.rows.by === 'id'));
  });

/** The living contact of this id, from which only selected fields may be read. Throws 404 when it was deleted meanwhile. */
export const readOwner = (context: Context, info: GraphQLResolveInfo, id: number): ContactRow | Promise<ContactRow> => {
  if (needsOnlyId(context, info)) return { id } as ContactRow;
  const requireFirst = ([row]: ContactRow[]): ContactRow => {
    if (!row) throw createNotFoundProblem('contact', id);
    return row;
  };
  return mapRelated(contactOf(context, id), requireFirst);
};
