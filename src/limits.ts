// Every limit on what a client may send, ask for or hold, in one table. docs/limits.md is made from it, and no other file names these numbers.

/** The limit, its unit, what it bounds, and what happens beyond it: the code of a problem, or a few words. */
type Limit = readonly [value: number, unit: string, bounds: string, beyond: string];

/** Table by table as the docs show them. */
export const limitTables = {
  connection: {
    connections: [2000, 'connections', 'Open connections of one process', 'connection closed'],
    connectionsPerAddress: [
      500,
      'connections',
      'Open connections of one address to one process; a trusted proxy is exempt',
      'connection closed',
    ],
    headerBytes: [16_384, 'bytes', 'The request line with all headers', 'status 431, connection closed'],
    headerSeconds: [10, 'seconds', 'Time to send the headers', 'status 408, connection closed'],
    requestSeconds: [30, 'seconds', 'Time to send the whole request', 'status 408, connection closed'],
    idleSeconds: [75, 'seconds', 'Time between the requests of a connection', 'connection closed'],
    answerSeconds: [60, 'seconds', 'Time to read an answer', 'connection closed'],
    exportSeconds: [3600, 'seconds', 'Time to read an export', 'connection reset'],
    exportIdleSeconds: [
      60,
      'seconds',
      'Time in which a client takes nothing of what is sent of an export',
      'connection reset',
    ],
    unreadBytes: [
      134_217_728,
      'bytes',
      'Bytes of answers that all clients of one process have left unread for a second; the largest are ended first',
      'connection closed',
    ],
    badTokens: [
      20,
      'a minute',
      'Bad tokens from one address (IPv6: one /64) to one process, and as many refused requests to join',
      'too-many-bad-tokens',
    ],
    jwtCharacters: [8192, 'characters', 'The token of an identity provider', 'unauthenticated'],
    jwtHours: [24, 'hours', 'Time since an identity provider issued a token', 'unauthenticated'],
    providerBytes: [
      262_144,
      'bytes',
      'The configuration of the identity provider, and its keys, each',
      'they are not used',
    ],
  },
  request: {
    bodyBytes: [1_048_576, 'bytes', 'The body of a request', 'too-large'],
    joinBytes: [4096, 'bytes', 'The body of a request to join, which needs no token', 'too-large'],
    jsonDepth: [32, 'levels', 'Arrays and objects within one another, in a body or in variables', 'invalid-request'],
    answerBytes: [16_777_216, 'bytes', 'The body of an answer, exports excepted', 'answer-too-large'],
    resultBytes: [134_217_728, 'bytes', 'What one statement reads from the database', 'answer-too-large'],
    usersOfTeams: [10_000, 'users', 'Users in the teams of one page', 'answer-too-large'],
    faults: [100, 'faults', 'Faults that one problem lists; more are counted', 'they are left out'],
  },
  value: {
    lineCharacters: [255, 'characters', 'A name or another field of one line', 'invalid-request'],
    proseCharacters: [65_536, 'characters', 'The content of a note, comments, a description', 'invalid-request'],
    cursorCharacters: [8192, 'characters', 'The cursor of a page', 'invalid-request'],
    personCharacters: [4_000_000, 'characters', 'The export of a person over GraphQL', 'answer-too-large'],
    tagsOfContact: [200, 'tags', 'Tags of one contact', 'invalid-request'],
    tokensOfUser: [100, 'tokens', 'Valid tokens of a user in a space, when they create another', 'conflict'],
  },
  list: {
    page: [1000, 'records', 'A page of any list', 'invalid-request'],
    items: [1000, 'items', 'A list that is sent, where the table of lists says nothing else', 'invalid-request'],
    contactsOfUser: [100, 'contacts', 'Contacts that are linked to one user, in answers', 'the oldest are shown'],
    permissions: [50, 'names', 'Groups of operations of a custom role', 'invalid-request'],
    nodes: [100, 'ids', 'Records that `nodes` reads', 'invalid-request'],
    itemsOfAny: [5000, 'items', 'Any list in a body, or in the variables of a document', 'invalid-request'],
  },
  search: {
    conditions: [100, 'conditions', 'A search', 'invalid-request'],
    values: [1000, 'values', 'The lists of all conditions of a search together', 'invalid-request'],
    listValues: [1000, 'values', 'The list of one condition', 'invalid-request'],
    inlinedConditions: [300, 'conditions', 'A search with the conditions of its segments', 'invalid-request'],
    inlinedValues: [
      5000,
      'values',
      'The lists of all conditions of a search with those of its segments',
      'invalid-request',
    ],
    segmentLevels: [8, 'levels', 'Segments within one another', 'invalid-request'],
    segments: [500, 'segments', 'Segments of one space', 'conflict'],
    segmentCharacters: [65_536, 'characters', 'The query of a segment as JSON', 'invalid-request'],
    quickWords: [12, 'words', 'The text of a quick search', 'invalid-request'],
    quickResults: [200, 'contacts', 'Contacts that a quick search yields, over all its pages', 'they are left out'],
    exports: [
      4,
      'exports',
      'Exports of one space under way in one process; 20 more wait for up to 5 seconds',
      'too-many-exports',
    ],
    traversals: [
      100,
      'searches',
      'Searches whose pages one token reads in turn, by number',
      'the one that was read longest ago is forgotten',
    ],
    traversalMinutes: [
      10,
      'minutes',
      'Time from one page by number to the next that is to go on where it ended',
      'the page of that moment',
    ],
  },
  change: {
    scanned: [
      10_000,
      'changes',
      'Changes that one page of the feed looks at for those that fit its filter',
      'the cursor moves on, and `hasMore` is true',
    ],
    contacts: [1000, 'contacts', 'Contacts that a filter of changes names', 'invalid-request'],
  },
  document: {
    operationNameCharacters: [255, 'characters', '`operationName`', 'query-too-large'],
    characters: [15_000, 'characters', 'A GraphQL document', 'query-too-large'],
    tokens: [1000, 'tokens', 'A GraphQL document', 'query-too-large'],
    depth: [12, 'levels', 'Fields within one another; introspection may go 12 deeper', 'query-too-large'],
    fields: [2000, 'fields', 'Fields of an operation, fragments expanded', 'query-too-large'],
    aliases: [100, 'aliases', 'Aliases of an operation, fragments expanded', 'query-too-large'],
    aliasesBelowList: [15, 'aliases', 'Aliases of one field below a list', 'query-too-large'],
    repeats: [15, 'times', 'One field, or one alias, among the selections of one field', 'query-too-large'],
    directives: [10, 'directives', 'Directives of an operation, fragments expanded', 'query-too-large'],
    fragments: [50, 'fragments', 'Fragments of a document', 'query-too-large'],
    variables: [30, 'variables', 'Variables of an operation', 'query-too-large'],
    nodes: [
      100_000,
      'records',
      'Records that an operation may yield: the sizes of its pages and lists, multiplied',
      'query-too-large',
    ],
    persistedBytes: [
      16_777_216,
      'bytes',
      'Documents that clients have sent with their hashes, in one process; the space with the most of them forgets first',
      'PERSISTED_QUERY_NOT_FOUND',
    ],
    nodesPerToken: [
      5000,
      'records',
      'Records that the price of the root fields includes; each further group of this size, full or not, costs a token',
      'a higher price',
    ],
  },
} as const satisfies Record<string, Record<string, Limit>>;

type Tables = typeof limitTables;
type LimitValues<Table> = { readonly [Name in keyof Table]: number };

const valuesOf = <Table extends Record<string, Limit>>(table: Table): LimitValues<Table> =>
  Object.fromEntries(Object.entries(table).map(([name, [value]]) => [name, value])) as LimitValues<Table>;

/** The same numbers by name: `limits.request.bodyBytes`. */
export const limits: { readonly [Name in keyof Tables]: LimitValues<Tables[Name]> } = {
  connection: valuesOf(limitTables.connection),
  request: valuesOf(limitTables.request),
  value: valuesOf(limitTables.value),
  list: valuesOf(limitTables.list),
  search: valuesOf(limitTables.search),
  change: valuesOf(limitTables.change),
  document: valuesOf(limitTables.document),
};

/** The assumed length of each list without page arguments, for the price of an operation. Longer lists are answered whole. */
export const listSizes: Readonly<Record<string, number>> = {
  'ActionConnection.totals': 20,
  'AnswerConnection.totals': 20,
  'AuditLine.counts': 4,
  'AuditLineConnection.totals': 20,
  'CampaignConnection.totals': 20,
  'Contact.actions': 2,
  'Contact.customFields': 5,
  'Contact.tags': 5,
  'DonationConnection.totals': 20,
  'DonationPriceConnection.totals': 20,
  'EmailConnection.totals': 20,
  'Form.options': 10,
  'FormConnection.totals': 20,
  'ImportConnection.totals': 20,
  'Interaction.files': 2,
  'InteractionConnection.totals': 20,
  'Invitation.teams': 2,
  'InvitationConnection.totals': 20,
  'MembershipConnection.totals': 20,
  'MembershipPriceGroup.membershipPrices': 10,
  'MembershipPriceGroupConnection.totals': 20,
  'NoteConnection.totals': 20,
  'Problem.errors': 5,
  'Query.roles': 10,
  'Query.tokens': 50,
  'SanctionConnection.totals': 20,
  'SearchExplanation.parts': 10,
  'Segment.faults': 1,
  'Segment.usedBy': 2,
  'Segment.uses': 2,
  'SegmentConnection.totals': 20,
  'TagConnection.totals': 20,
  'Team.leaders': 10,
  'Team.users': 100,
  'TeamConnection.totals': 20,
  'TemplateConnection.totals': 20,
  'TransactionConnection.totals': 20,
  'TransactionStatusConnection.totals': 20,
  'User.contacts': 1,
  'UserConnection.totals': 20,
  'Viewer.invitations': 10,
};
