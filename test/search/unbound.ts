// Places of requests where a canary proves nothing, with the reasons.

/** Forms, options and parts of the year are checked first, and a place needs a centre with its size, or a closed ring; a category and a year are of a few values, a custom field and a consent need a form of their own, a currency an amount, a count a number, and how long a span of time is decides its bounds. */
const unboundOfQueries =
  /^query\.(customField|consentedAt|answer\.(form|options)|birthDate\.inPeriod|address\.(near|within)|ageCategory|\w+\.((any|all|none)\.)?(amount|total)\.currency|\w+\.count\.of)\b|\.within\.(last|next)\./;

/** One of a few numbers; a reference value, which is looked for here among those of its form; and what the contact has already, or its tag. */
const unboundOfContacts =
  /^input\.(contacts\.0\.)?(ageCategory|\w+\.0\.optionId|address\.(latitude|longitude|score)|tags\.0\.color)$/;

/**
 * A canary there proves nothing: a cursor is opaque, a sort and a kind are of a few values only, a version and a reference value are
 * compared here with those that were read, the parts of a payment are of its currency, which alone is bound, and nobody reads what
 * kind of record an upsert says it is or how long the pages of an export are; the rest has a test of its own below.
 */
const unboundOf: Record<string, RegExp> = {
  createContact: unboundOfContacts,
  updateContact: new RegExp(`^input\\.expectedVersion$|${unboundOfContacts.source}`),
  upsertContact: unboundOfContacts,
  upsertContacts: unboundOfContacts,
  importContacts: unboundOfContacts,
  // It is compared with what was read.
  // A count that differs refuses a change before its query runs, and its content is stored as one text.
  changeContacts: /^input\.(expectedCount$|of\.segmentId$|change\.(answers\.|set\.ageCategory$))/,
  deleteContact: /^input\.expectedVersion$/,
  deleteSegment: /^input\.expectedVersion$/,
  deleteTeam: /^input\.expectedVersion$/,
  replaceTeam: /^input\.expectedVersion$/,
  updateSegment: /^input\.expectedVersion$/,
  // A page of as many counts would be refused for its price.
  segments: /^first$/,
  createCampaign: /^input\.performanceRating$/,
  updateCampaign: /^input\.performanceRating$/,
  createPayment: /^input\.(donations|memberships)\.0\.currency$/,
  updateForm: /^input\.options\.0\.id$/,
  // A feed without further changes is not asked for them.
  changes: /^first$/,
  // Names of a closed list.
  createWebhook: /^input\.fields\.0$/,
  updateWebhook: /^input\.fields\.0$/,
  createApp: /^input\.(permissions\.0|share)$/,
  updateApp: /^input\.(permissions\.0|share)$/,
  createRole: /^input\.permissions\.0$/,
  updateRole: /^input\.permissions\.0$/,
  'POST /contacts/upsert': /^body\.kind$/,
  'POST /export': /per_page$/,
  // Only one of the values may be given, and the request has an id.
  contactBy: /^by\.(email|externalId)$/,
  // Global ids of any type.
  node: /^id$/,
  nodes: /^ids\.0$/,
  searchContacts: unboundOfQueries,
  contactFacets: unboundOfQueries,
  searchContactsByTree: /^(tree|page)$/,
  updateUser: /^input\.selectedGroupId$/,
  'POST /kpi': /per_page$/,
  'GET /users': /^query\.sort$/,
  'GET /forms/{type}': /^path\.type$/,
};
/** Cursors of lists are opaque. */
const isCursor = (place: string): boolean => place === 'after';
/** The places of an operation that should have been bound, and were not. */
export const listUnexpected = (name: string, unbound: string[]): string[] =>
  unbound.filter((place) => !isCursor(place) && !unboundOf[name]?.test(place));
