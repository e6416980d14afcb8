// The operations that GraphiQL opens with, one per tab: each kind of record has one, and each runs unchanged on the demo space.
import { parse, print } from 'graphql';

interface Example {
  /** Short, or the buttons beside the editor cover it. */
  title: string;
  /** Named, since the tab shows the name. */
  query: string;
  variables?: Record<string, unknown>;
}

const page = 'pageInfo { hasNextPage endCursor }';

/** The first has no variables: GraphiQL fills the variables editor only when a tab is switched to. */
const operations: readonly Example[] = [
  {
    title: 'Who calls, and what the bucket of the space holds.',
    query: `query Viewer {
      viewer { space { id name } user { id firstName lastName email role { name type } } }
      rateLimit { capacity remaining cost refillRate resetSeconds }
    }`,
  },
  {
    title: 'A page of contacts; $after takes its endCursor.',
    query: `query Contacts($first: Int!, $after: String) {
      contacts(first: $first, after: $after) {
        nodes {
          id firstName lastName email
          address { street postalCode city }
          tags { name color }
          note { content pinned }
          answers(first: 3) { nodes { form { label } text } }
        }
        ${page}
      }
    }`,
    variables: { first: 5 },
  },
  {
    title: 'Contacts by words as people type them; the second name is misspelt.',
    query: `query QuickSearch($words: String!) {
      contacts(search: $words, first: 5) { nodes { id firstName lastName address { city } } totalCount }
    }`,
    variables: { words: 'camille matrin' },
  },
  {
    title: 'A search by a typed query; its conditions nest in and, or and not.',
    query: `query Search($query: ContactQuery) {
      searchContacts(query: $query, orderBy: { field: LAST_NAME }, first: 10) {
        totalCount
        nodes { id firstName lastName birthDate tags { name } }
        ${page}
      }
    }`,
    variables: {
      query: {
        and: [
          { email: { exists: true } },
          { or: [{ birthDate: { gte: 'now-40y' } }, { donations: { total: { gte: 5000 } } }] },
          { not: { emails: { unsubscribedAt: { exists: true } } } },
        ],
      },
    },
  },
  {
    title: 'How many contacts each condition finds, how fast, and by which indexes.',
    query: `query ExplainSearch($query: ContactQuery) {
      explainSearch(query: $query) { location matches milliseconds parts { location matches milliseconds indexes } }
    }`,
    variables: { query: { and: [{ gender: { equals: 'F' } }, { address: { city: { startsWith: 'L' } } }] } },
  },
  {
    title: 'The saved segments, with their numbers of contacts; and the first contacts of one.',
    query: `query Segments($id: ID!) {
      segments(first: 10, orderBy: { field: NAME }) {
        nodes { id name description query contactCount isWatched usedBy { name } faults { location message } }
      }
      segment(id: $id) { name contacts(first: 5, orderBy: { field: LAST_NAME }) { totalCount nodes { id firstName lastName } } }
    }`,
    variables: { id: 'Segment:1' },
  },
  {
    title: 'One contact, with its records.',
    query: `query Contact($id: ID!) {
      contact(id: $id) {
        id firstName lastName gender birthDate mobile version lastChangedAt lastChangedBy { firstName }
        customFields { form { label } text }
        notes(first: 5) { nodes { content pinned createdAt author { firstName } } }
        interactions(first: 5) { nodes { type title createdAt files { name mime } } }
        donations(first: 5) { totalCount nodes { amount { amount currency } } }
      }
    }`,
    variables: { id: 'Contact:1' },
  },
  {
    title: 'Creates a person, or changes the one with this email address.',
    query: `mutation UpsertContact($input: ContactUpsertInput!) {
      upsertContact(input: $input) { outcome contact { id version firstName lastName phone tags { name } } }
    }`,
    variables: {
      input: {
        email: 'ada@example.org',
        firstName: 'Ada',
        lastName: 'Example',
        phone: '0102',
        tags: [{ name: 'new' }],
      },
    },
  },
  {
    title: 'Updates the given fields of a contact. Null clears a field.',
    query: `mutation UpdateContact($input: ContactUpdateInput!) {
      updateContact(input: $input) { contact { id version marriedName address { city } } }
    }`,
    variables: { input: { id: 'Contact:2', marriedName: 'Example', address: { city: 'Lyon' } } },
  },
  {
    title: 'Shows the result of a merge. Without dryRun, the contacts are merged.',
    query: `mutation MergeContacts($input: ContactsMergeInput!) {
      mergeContacts(input: $input) {
        contact { id firstName lastName }
        conflicts { contactId field kept dropped }
        moved { relation count }
      }
    }`,
    variables: { input: { survivorId: 'Contact:2', ids: ['Contact:3'], dryRun: true } },
  },
  {
    title: 'The latest notes, with their authors and contacts.',
    query: `query Notes {
      notes(first: 10, orderBy: { field: CREATED_AT, direction: DESC }) {
        totalCount
        nodes { id content pinned createdAt author { firstName lastName } contact { id lastName } }
        ${page}
      }
    }`,
  },
  {
    title: 'Writes a note on contact 1 and pins it there.',
    query: `mutation CreateNote($input: NoteCreateInput!) {
      createNote(input: $input) { note { id content pinned createdAt } }
    }`,
    variables: { input: { contactId: 'Contact:1', content: 'Written from GraphiQL', pinned: true } },
  },
  {
    title: 'Interactions, and how many there are of each type.',
    query: `query Interactions {
      interactions(first: 5) {
        nodes { id type subType title comments contact { id lastName } files { name url } }
        totals(groupBy: TYPE) { key count }
      }
    }`,
  },
  {
    title: 'Donations of ten euros and more, and what they add up to by month.',
    query: `query Donations($filter: DonationFilter) {
      donations(first: 5, filter: $filter, orderBy: { field: AMOUNT, direction: DESC }) {
        totalCount
        nodes { id amount { amount currency } transactionDate contact { id lastName } }
        totals(groupBy: MONTH, of: TRANSACTION_DATE) { key count sum { amount currency } }
      }
    }`,
    variables: { filter: { amount: { gte: 1000 } } },
  },
  {
    title: 'Transactions with what they paid.',
    query: `query Transactions {
      transactions(first: 5) {
        nodes {
          id date amount { amount currency } status { name } contact { id lastName }
          donations { nodes { id amount { amount } } }
          memberships { nodes { id startDate endDate } }
        }
        ${page}
      }
    }`,
  },
  {
    title: 'Memberships by the year in which they begin.',
    query: `query Memberships {
      memberships(first: 5) {
        nodes { id startDate endDate amount { amount currency } contact { id lastName } }
        totals(groupBy: YEAR, of: START_DATE) { key count sum { amount currency } }
      }
    }`,
  },
  {
    title: 'Records a payment and the donation that it pays.',
    query: `mutation CreatePayment($input: PaymentCreateInput!) {
      createPayment(input: $input) {
        transaction { id amount { amount currency } donations { nodes { id amount { amount } } } }
      }
    }`,
    variables: {
      input: { contactId: 'Contact:1', amount: 5000, date: '2026-01-31T12:00:00Z', donations: [{ amount: 5000 }] },
    },
  },
  {
    title: 'Sanctions.',
    query: `query Sanctions {
      sanctions(first: 5) { totalCount nodes { id status startDate endDate contact { id lastName } } }
    }`,
  },
  {
    title: 'E-mails and campaigns.',
    query: `query Mailings {
      emails(first: 5, orderBy: { field: ID, direction: DESC }) {
        totalCount
        nodes { id type createdAt openedAt clickedAt campaign { id name } contact { id email } }
      }
      campaigns(first: 5) { nodes { id name subject template { id name } } }
      templates(first: 5) { nodes { id name } }
    }`,
  },
  {
    title: 'Tags and actions.',
    query: `query TagsAndActions {
      tags(first: 10, orderBy: { field: NAME }) { totalCount nodes { id name color } }
      actions(first: 10) { totalCount nodes { id name } }
    }`,
  },
  {
    title: 'Adds a tag to contacts, and creates it if the space has none.',
    query: `mutation TagContacts($input: ContactsTagInput!) {
      tagContacts(input: $input) { count contacts { id tags { name } } }
    }`,
    variables: { input: { contactIds: ['Contact:1', 'Contact:2'], tags: ['from GraphiQL'] } },
  },
  {
    title: 'Forms of a kind, with their options; and answers.',
    query: `query Forms($kind: FormKind) {
      forms(first: 5, filter: { kind: { equals: $kind } }, orderBy: { field: LABEL }) {
        nodes { id label type options { id label value } }
      }
      answers(first: 5) { nodes { id text answeredAt form { label } contact { id lastName } } }
    }`,
    variables: { kind: 'SURVEY' },
  },
  {
    title: 'The teams, who leads them and where they meet.',
    query: `query Teams {
      teams(first: 10) {
        totalCount
        nodes {
          id name description version
          leaders { id firstName lastName role { name } }
          users { id }
          address { street city }
        }
      }
    }`,
  },
  {
    title: 'Users, roles and invitations.',
    query: `query Users {
      users(first: 10, orderBy: { field: LAST_NAME }) { totalCount nodes { id firstName lastName email role { name type } } }
      roles { id name type }
      invitations(first: 5) { nodes { id email role { name } lastSentAt } }
    }`,
  },
  {
    title: 'Prices and statuses: the settings of the space.',
    query: `query Settings {
      membershipPriceGroups(first: 5) { nodes { id name membershipPrices { id name amount { amount currency } } } }
      donationPrices(first: 5) { nodes { id name amount { amount currency } } }
      transactionStatuses(first: 5) { nodes { id name color archived } }
    }`,
  },
  {
    title: 'Imports, which a manager can undo.',
    query: `query Imports {
      imports(first: 5, orderBy: { field: ID, direction: DESC }) {
        nodes { id name family created updated refused createdAt undoneAt }
      }
    }`,
  },
  {
    title: 'Records of any type, by their ids.',
    query: `query Nodes($ids: [ID!]!) {
      nodes(ids: $ids) { __typename id ... on Contact { lastName } ... on Tag { name } ... on Team { name } }
    }`,
    variables: { ids: ['Contact:1', 'Tag:1', 'Team:1'] },
  },
];

export const examples: readonly Example[] = operations.map((one) => ({ ...one, query: print(parse(one.query)) }));
