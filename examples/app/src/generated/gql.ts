// Written by `npm run codegen`: change its source instead.
/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  fragment ContactFields on Contact {\n    id\n    version\n    firstName\n    lastName\n    email\n    phone\n    birthDate\n    address { databaseId street postalCode city }\n  }\n": typeof types.ContactFieldsFragmentDoc,
    "\n  fragment NoteFields on Note {\n    id\n    content\n    createdAt\n    author { id firstName lastName }\n  }\n": typeof types.NoteFieldsFragmentDoc,
    "\n  query Viewer {\n    viewer {\n      user { id firstName lastName }\n      space { id name }\n    }\n  }\n": typeof types.ViewerDocument,
    "\n  query Contacts($search: String, $after: String) {\n    contacts(search: $search, first: 25, after: $after) {\n      nodes { ...ContactFields }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.ContactsDocument,
    "\n  query Contact($id: ID!) {\n    contact(id: $id) {\n      ...ContactFields\n      tags { id name }\n      notes(first: 50, orderBy: { field: CREATED_AT, direction: DESC }) {\n        totalCount\n        nodes { ...NoteFields }\n      }\n    }\n  }\n": typeof types.ContactDocument,
    "\n  mutation UpdateContact($input: ContactUpdateInput!) {\n    updateContact(input: $input) { contact { ...ContactFields } }\n  }\n": typeof types.UpdateContactDocument,
    "\n  mutation CreateNote($input: NoteCreateInput!) {\n    createNote(input: $input) { note { ...NoteFields contact { id version } } }\n  }\n": typeof types.CreateNoteDocument,
    "\n  query Segments($after: String) {\n    segments(first: 50, after: $after, orderBy: { field: NAME }) {\n      nodes { id name description contactCount }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.SegmentsDocument,
    "\n  query SegmentMembers($id: ID!, $after: String) {\n    segment(id: $id) {\n      id\n      name\n      description\n      contactCount\n      faults { location message }\n      contacts(first: 25, after: $after, orderBy: { field: LAST_NAME }) {\n        nodes { ...ContactFields }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n": typeof types.SegmentMembersDocument,
    "\n  query FeedEnd {\n    changes(first: 0) { cursor }\n  }\n": typeof types.FeedEndDocument,
    "\n  subscription Changes($after: String!) {\n    changes(after: $after, filter: { types: [CONTACT, NOTE] }) {\n      cursor\n      type\n      operation\n      recordId\n      contactId\n      node { id ...ContactFields ...NoteFields }\n    }\n  }\n": typeof types.ChangesDocument,
};
const documents: Documents = {
    "\n  fragment ContactFields on Contact {\n    id\n    version\n    firstName\n    lastName\n    email\n    phone\n    birthDate\n    address { databaseId street postalCode city }\n  }\n": types.ContactFieldsFragmentDoc,
    "\n  fragment NoteFields on Note {\n    id\n    content\n    createdAt\n    author { id firstName lastName }\n  }\n": types.NoteFieldsFragmentDoc,
    "\n  query Viewer {\n    viewer {\n      user { id firstName lastName }\n      space { id name }\n    }\n  }\n": types.ViewerDocument,
    "\n  query Contacts($search: String, $after: String) {\n    contacts(search: $search, first: 25, after: $after) {\n      nodes { ...ContactFields }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.ContactsDocument,
    "\n  query Contact($id: ID!) {\n    contact(id: $id) {\n      ...ContactFields\n      tags { id name }\n      notes(first: 50, orderBy: { field: CREATED_AT, direction: DESC }) {\n        totalCount\n        nodes { ...NoteFields }\n      }\n    }\n  }\n": types.ContactDocument,
    "\n  mutation UpdateContact($input: ContactUpdateInput!) {\n    updateContact(input: $input) { contact { ...ContactFields } }\n  }\n": types.UpdateContactDocument,
    "\n  mutation CreateNote($input: NoteCreateInput!) {\n    createNote(input: $input) { note { ...NoteFields contact { id version } } }\n  }\n": types.CreateNoteDocument,
    "\n  query Segments($after: String) {\n    segments(first: 50, after: $after, orderBy: { field: NAME }) {\n      nodes { id name description contactCount }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.SegmentsDocument,
    "\n  query SegmentMembers($id: ID!, $after: String) {\n    segment(id: $id) {\n      id\n      name\n      description\n      contactCount\n      faults { location message }\n      contacts(first: 25, after: $after, orderBy: { field: LAST_NAME }) {\n        nodes { ...ContactFields }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n": types.SegmentMembersDocument,
    "\n  query FeedEnd {\n    changes(first: 0) { cursor }\n  }\n": types.FeedEndDocument,
    "\n  subscription Changes($after: String!) {\n    changes(after: $after, filter: { types: [CONTACT, NOTE] }) {\n      cursor\n      type\n      operation\n      recordId\n      contactId\n      node { id ...ContactFields ...NoteFields }\n    }\n  }\n": types.ChangesDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ContactFields on Contact {\n    id\n    version\n    firstName\n    lastName\n    email\n    phone\n    birthDate\n    address { databaseId street postalCode city }\n  }\n"): (typeof documents)["\n  fragment ContactFields on Contact {\n    id\n    version\n    firstName\n    lastName\n    email\n    phone\n    birthDate\n    address { databaseId street postalCode city }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment NoteFields on Note {\n    id\n    content\n    createdAt\n    author { id firstName lastName }\n  }\n"): (typeof documents)["\n  fragment NoteFields on Note {\n    id\n    content\n    createdAt\n    author { id firstName lastName }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer {\n    viewer {\n      user { id firstName lastName }\n      space { id name }\n    }\n  }\n"): (typeof documents)["\n  query Viewer {\n    viewer {\n      user { id firstName lastName }\n      space { id name }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Contacts($search: String, $after: String) {\n    contacts(search: $search, first: 25, after: $after) {\n      nodes { ...ContactFields }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query Contacts($search: String, $after: String) {\n    contacts(search: $search, first: 25, after: $after) {\n      nodes { ...ContactFields }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Contact($id: ID!) {\n    contact(id: $id) {\n      ...ContactFields\n      tags { id name }\n      notes(first: 50, orderBy: { field: CREATED_AT, direction: DESC }) {\n        totalCount\n        nodes { ...NoteFields }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Contact($id: ID!) {\n    contact(id: $id) {\n      ...ContactFields\n      tags { id name }\n      notes(first: 50, orderBy: { field: CREATED_AT, direction: DESC }) {\n        totalCount\n        nodes { ...NoteFields }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateContact($input: ContactUpdateInput!) {\n    updateContact(input: $input) { contact { ...ContactFields } }\n  }\n"): (typeof documents)["\n  mutation UpdateContact($input: ContactUpdateInput!) {\n    updateContact(input: $input) { contact { ...ContactFields } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateNote($input: NoteCreateInput!) {\n    createNote(input: $input) { note { ...NoteFields contact { id version } } }\n  }\n"): (typeof documents)["\n  mutation CreateNote($input: NoteCreateInput!) {\n    createNote(input: $input) { note { ...NoteFields contact { id version } } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Segments($after: String) {\n    segments(first: 50, after: $after, orderBy: { field: NAME }) {\n      nodes { id name description contactCount }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query Segments($after: String) {\n    segments(first: 50, after: $after, orderBy: { field: NAME }) {\n      nodes { id name description contactCount }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SegmentMembers($id: ID!, $after: String) {\n    segment(id: $id) {\n      id\n      name\n      description\n      contactCount\n      faults { location message }\n      contacts(first: 25, after: $after, orderBy: { field: LAST_NAME }) {\n        nodes { ...ContactFields }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n"): (typeof documents)["\n  query SegmentMembers($id: ID!, $after: String) {\n    segment(id: $id) {\n      id\n      name\n      description\n      contactCount\n      faults { location message }\n      contacts(first: 25, after: $after, orderBy: { field: LAST_NAME }) {\n        nodes { ...ContactFields }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FeedEnd {\n    changes(first: 0) { cursor }\n  }\n"): (typeof documents)["\n  query FeedEnd {\n    changes(first: 0) { cursor }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription Changes($after: String!) {\n    changes(after: $after, filter: { types: [CONTACT, NOTE] }) {\n      cursor\n      type\n      operation\n      recordId\n      contactId\n      node { id ...ContactFields ...NoteFields }\n    }\n  }\n"): (typeof documents)["\n  subscription Changes($after: String!) {\n    changes(after: $after, filter: { types: [CONTACT, NOTE] }) {\n      cursor\n      type\n      operation\n      recordId\n      contactId\n      node { id ...ContactFields ...NoteFields }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;