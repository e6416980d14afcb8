// Everything that the app asks of the graph. Codegen writes the types into generated/.
import { graphql } from './generated/index.ts';

export const ContactFields = graphql(`
  fragment ContactFields on Contact {
    id
    version
    firstName
    lastName
    email
    phone
    birthDate
    address { databaseId street postalCode city }
  }
`);

export const NoteFields = graphql(`
  fragment NoteFields on Note {
    id
    content
    createdAt
    author { id firstName lastName }
  }
`);

export const Viewer = graphql(`
  query Viewer {
    viewer {
      user { id firstName lastName }
      space { id name }
    }
  }
`);

export const Contacts = graphql(`
  query Contacts($search: String, $after: String) {
    contacts(search: $search, first: 25, after: $after) {
      nodes { ...ContactFields }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const Contact = graphql(`
  query Contact($id: ID!) {
    contact(id: $id) {
      ...ContactFields
      tags { id name }
      notes(first: 50, orderBy: { field: CREATED_AT, direction: DESC }) {
        totalCount
        nodes { ...NoteFields }
      }
    }
  }
`);

export const UpdateContact = graphql(`
  mutation UpdateContact($input: ContactUpdateInput!) {
    updateContact(input: $input) { contact { ...ContactFields } }
  }
`);

export const CreateNote = graphql(`
  mutation CreateNote($input: NoteCreateInput!) {
    createNote(input: $input) { note { ...NoteFields contact { id version } } }
  }
`);

export const Segments = graphql(`
  query Segments($after: String) {
    segments(first: 50, after: $after, orderBy: { field: NAME }) {
      nodes { id name description contactCount }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const SegmentMembers = graphql(`
  query SegmentMembers($id: ID!, $after: String) {
    segment(id: $id) {
      id
      name
      description
      contactCount
      faults { location message }
      contacts(first: 25, after: $after, orderBy: { field: LAST_NAME }) {
        nodes { ...ContactFields }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const FeedEnd = graphql(`
  query FeedEnd {
    changes(first: 0) { cursor }
  }
`);

export const Changes = graphql(`
  subscription Changes($after: String!) {
    changes(after: $after, filter: { types: [CONTACT, NOTE] }) {
      cursor
      type
      operation
      recordId
      contactId
      node { id ...ContactFields ...NoteFields }
    }
  }
`);
