// Reads contacts for resolvers: as rows with their relations, or as JSON text where execution passes that through.
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../src/context.ts';
import type { ContactRow } from '../../src/data/contact/columns.ts';
import type { ContactJsonQuery, ContactText } from '../../src/data/contact/json.ts';
import {
  type ContactRelation,
  type IdPage,
  readContact,
  readContactPage,
  readContactsByIds,
} from '../../src/data/contact/read.ts';
import { findContacts, findContactsAsJson, type Search, type Start } from '../../src/data/search/find.ts';
import { completeInTurns } from '../../src/plan/loader.ts';
import { listFieldsBelow, listNodesBelow } from '../../src/plan/selection.ts';
import type { SortPosition } from '../../src/search/sort.ts';
import { listInlineParts, listSelectedParts, preloadContactParts, preloadOwnParts } from './contact-relations.ts';

/** A contact as resolvers return it. Fields of `Contact` are resolved for rows only; JSON is sent as it is. */
export type ContactSource = ContactRow | ContactText;
/** A contact with its position in the order of a search. */
export type FoundSource = ContactSource & SortPosition;

/** Reads the contacts that a field yields. Both implementations give the same answer, byte for byte. */
export interface ContactReader {
  /** A contact by id; the survivor, when it was merged. */
  readById(id: number): Promise<ContactSource | undefined>;
  /** A page of contacts, by id. */
  readPage(page: IdPage): Promise<ContactSource[]>;
  /** The living contacts among these, in this order. */
  readByIds(ids: readonly number[]): Promise<ContactSource[]>;
  /** A page of the contacts that a search finds. */
  findPage(search: Search, page: { start: Start; limit: number }): Promise<FoundSource[]>;
  /** The contacts of a page as a list field returns them: rows of a long page are resolved in several turns of the event loop. */
  yieldPage(page: readonly ContactSource[]): readonly (ContactSource | Promise<ContactSource>)[];
}

const createRowReader = (context: Context, parts: readonly ContactRelation[]): ContactReader => ({
  async readById(id) {
    const row = await readContact(context.space, id, parts);
    if (row) preloadOwnParts(context, row, parts);
    return row;
  },
  readPage: (page) => readContactPage(context.space, page),
  async readByIds(ids) {
    const rows = new Map((await readContactsByIds(context.space, ids)).map((row) => [row.id, row]));
    return ids.flatMap((id) => rows.get(id) ?? []);
  },
  async findPage(search, page) {
    const rows = await findContacts(context.space, search, { ...page, parts: listInlineParts(parts) });
    await preloadContactParts(context, rows, parts);
    return rows;
  },
  yieldPage: (page) => (context.pace ? page : completeInTurns(context, page)),
});

const createJsonReader = ({ space }: Context, query: ContactJsonQuery): ContactReader => ({
  readById: (id) => query.readById(space, id),
  readPage: (page) => query.readPage(space, page),
  readByIds: (ids) => query.readByIds(space, ids),
  findPage: (search, page) => findContactsAsJson(space, search, { ...page, contacts: query }),
  yieldPage: (page) => page,
});

/** The reader for the contacts that these paths lead to, from the field that is resolved. */
export const createContactReader = (
  context: Context,
  info: GraphQLResolveInfo,
  ...paths: string[][]
): ContactReader => {
  const { jsonPlans } = context;
  if (jsonPlans) {
    const places = [...info.fieldNodes, ...paths.flatMap((path) => listNodesBelow(info, ...path))];
    for (const node of places) {
      const plan = jsonPlans.get(node);
      if (plan && 'contacts' in plan) return createJsonReader(context, plan.contacts);
    }
  }
  return createRowReader(
    context,
    listSelectedParts(new Set(paths.flatMap((path) => [...listFieldsBelow(info, ...path)]))),
  );
};
