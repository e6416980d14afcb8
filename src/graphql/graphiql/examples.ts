// The operations that GraphiQL opens with, one per tab; each runs unchanged on the demo space.
interface Example {
  /** Short, or the buttons beside the editor cover it. */
  title: string;
  /** Named, since the tab shows the name. */
  query: string;
  variables?: Record<string, unknown>;
}

/** The first has no variables: GraphiQL fills the variables editor only when a tab is switched to. */
export const examples: readonly Example[] = [
  {
    title: 'Who calls, and what the bucket of the space holds.',
    query: `query Viewer {
  viewer {
    space {
      id
      name
    }
    user {
      id
      firstName
      lastName
      email
      role {
        name
        type
      }
    }
  }
  rateLimit {
    capacity
    remaining
    cost
    refillRate
    resetSeconds
  }
}`,
  },
  {
    title: 'A page of contacts; $after takes its endCursor.',
    query: `query Contacts($first: Int!, $after: String) {
  contacts(first: $first, after: $after) {
    nodes {
      id
      firstName
      lastName
      email
      address {
        street
        postalCode
        city
      }
      tags {
        name
        color
      }
      note {
        content
        pinned
      }
      answers { nodes {
        form {
          label
        }
        text
      } }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}`,
    variables: { first: 5 },
  },
  {
    title: 'A search by a typed query; its conditions nest in and, or and not.',
    query: `query Search($query: ContactQuery) {
  searchContacts(query: $query, orderBy: { field: LAST_NAME }, first: 10) {
    totalCount
    nodes {
      id
      firstName
      lastName
      birthDate
      tags {
        name
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
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
    title: 'One contact, with its notes and interactions.',
    query: `query Contact($id: ID!) {
  contact(id: $id) {
    id
    firstName
    lastName
    gender
    birthDate
    mobile
    lastChangedAt
    customFields {
      form {
        label
      }
      text
    }
    notes { nodes {
      content
      pinned
      createdAt
    } }
    interactions { nodes {
      type
      title
      createdAt
      files {
        name
        mime
      }
    } }
  }
}`,
    variables: { id: 'Contact:1' },
  },
  {
    title: 'The teams, who leads them and where they meet.',
    query: `query Teams {
  teams(first: 10) {
    totalCount
    nodes {
      id
      name
      description
      leaders {
        id
        firstName
        lastName
        role {
          name
        }
      }
      users {
        id
      }
      address {
        street
        city
      }
    }
  }
}`,
  },
  {
    title: 'Three lists of the space in one request.',
    query: `query FormsAndSettings($kind: FormKind) {
  forms(first: 5, filter: { kind: { eq: $kind } }, orderBy: { field: LABEL }) {
    nodes {
      id
      label
      type
      options {
        label
        value
      }
    }
  }
  membershipPriceGroups(first: 5) {
    totalCount
    nodes {
      name
      membershipPrices {
        name
        amount {
          amount
          currency
        }
      }
    }
  }
  transactionStatuses {
    totalCount
    nodes {
      name
      color
      archived
    }
  }
}`,
    variables: { kind: 'SURVEY' },
  },
  {
    title: 'Writes a note on contact 1 and pins it there.',
    query: `mutation CreateNote($input: NoteCreateInput!) {
  createNote(input: $input) {
    note {
      id
      content
      pinned
      createdAt
    }
  }
}`,
    variables: { input: { contactId: 'Contact:1', content: 'Written from GraphiQL', pinned: true } },
  },
];
