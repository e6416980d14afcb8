// The number of statements of each operation: no N+1, whatever the number of records.
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { routes } from '../../src/rest/routes/index.ts';
import { type Door, openApp } from '../harness/app.ts';
import { fields, makeDocument, prepareIds, requests, requireEntries, rootFields } from './index.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
});

/** begin, commit, and how a connection plans are sent with other statements, and not counted, nor is the one statement with the audit lines of a mutation. The gate counts as one: a new document pays its first token before it is parsed. */
const counted = (statements: string[]): number =>
  1 +
  statements.filter((sql) => !/^(BEGIN|COMMIT|set plan_cache_mode)|insert into audit_log|enter_gate/i.test(sql)).length;

describe('a list of contacts', () => {
  const query = (first: number) =>
    `{ contacts(first: ${first}) { nodes { id: databaseId firstname: firstName tags { name } notes { nodes { content } } answers { nodes { data: text } } customFields { data: text } } } }`;

  it.each([
    [1, 2],
    [50, 2],
    [400, 4],
  ])('of %i with tags, notes and answers costs %i statements with the gate', async (first, cost) => {
    const [{ total }] = await door.sql(
      'select count(*) as total from contacts where group_id = 1 and deleted_at is null',
    );
    const statements = await door.statements(async () => {
      const { body } = await door.graphql(query(first));
      expect(body.data.contacts.nodes).toHaveLength(Math.min(first, total));
    });
    expect(counted(statements)).toBe(cost);
  });
});

describe('a page of found contacts, all of it selected, with interactions and their files', () => {
  const body = (per_page: number) => ({
    data: {
      advanced_search: {
        per_page,
        include_interactions: true,
        query: { $all: [{ $all: [{ $condition: { attr: 'tags.name', ope: 'ext' } }] }] },
      },
    },
  });

  it.each([
    1, 50, 1000,
  ])('of at most %i costs at most 10 statements with the gate, and fewer the next time', async (size) => {
    const ask = () => door.rest('POST', '/search', body(size));
    const [first, next] = [await door.statements(ask), await door.statements(ask)];
    // Two read the size of the space, which is remembered for a minute.
    expect(counted(first)).toBeLessThanOrEqual(10);
    expect(counted(next)).toBeLessThan(counted(first));
  });
});

describe('a quick search', () => {
  it.each([
    ['of a frequent name', 'martin'],
    ['of a name and a city', 'martin lyon'],
    ['of a misspelt name', 'matrin'],
    ['that finds nobody', 'xqxz wvvq'],
  ])('%s costs at most 14 statements with the gate, whatever it finds', async (_, search) => {
    const query =
      'query ($search: String) { contacts(search: $search) { nodes { id: databaseId firstname: firstName } } }';
    const statements = await door.statements(() => door.graphql(query, { search }));
    expect(counted(statements)).toBeLessThanOrEqual(14);
  });
});

/** Measured, with the gate: one more is a change that needs an explanation. */
const budget: Record<string, number> = requireEntries(
  {
    contact: 7,
    contacts: 15,
    // One statement each for the forms that a query names.
    searchContacts: 15,
    searchContactsByTree: 15,
    contactFacets: 4,
    // A scan for each reason, the names of its groups, and who of them is kept apart.
    duplicateContacts: 14,
    consentChange: 2,
    consentChanges: 4,
    suppression: 2,
    suppressions: 2,
    eraseSuppression: 4,
    explainSearch: 7,
    searchAttributes: 1,
    // One statement each for the segments that it uses and those that use it, beside its contacts and their number.
    segment: 16,
    segments: 14,
    // The lock of the space, the number of segments, those of the query, and its links are four.
    createSegment: 32,
    updateSegment: 34,
    deleteSegment: 4,
    team: 7,
    teams: 3,
    user: 15,
    users: 8,
    roles: 2,
    invitations: 5,
    form: 2,
    forms: 2,
    membershipPriceGroups: 5,
    donationPrices: 2,
    transactionStatuses: 2,
    viewer: 9,
    rateLimit: 1,
    transactions: 2,
    donations: 2,
    memberships: 2,
    sanctions: 2,
    notes: 2,
    emails: 2,
    interactions: 2,
    action: 2,
    answer: 2,
    campaign: 2,
    contactBy: 7,
    donation: 2,
    donationPrice: 2,
    email: 2,
    file: 3,
    formOption: 3,
    import: 2,
    interaction: 2,
    invitation: 3,
    membership: 2,
    membershipPrice: 3,
    membershipPriceGroup: 4,
    note: 2,
    role: 2,
    sanction: 2,
    tag: 2,
    template: 2,
    transaction: 2,
    transactionStatus: 2,
    answers: 2,
    node: 2,
    nodes: 3,
    createContact: 24,
    updateContact: 25,
    deleteContact: 2,
    restoreContact: 14,
    upsertContact: 35,
    upsertContacts: 36,
    imports: 2,
    importContacts: 31,
    changeContacts: 26,
    contactChange: 2,
    cancelContactChange: 7,
    // Two that undo one import take turns: a lock, and the sum of both.
    undoContactChange: 12,
    undoImport: 12,
    // What undoing it needs is five: the import, the copies, a batch with its count, and the end.
    mergeContacts: 42,
    undoContactMerge: 46,
    keepContactsApart: 5,
    releaseContacts: 5,
    createNote: 3,
    updateNote: 3,
    deleteNote: 2,
    createInteraction: 4,
    updateInteraction: 3,
    deleteInteraction: 2,
    addFile: 3,
    deleteFile: 2,
    tags: 2,
    createTag: 3,
    // The contacts that contain the record are marked first: in batches, and once more when the record is locked.
    updateTag: 11,
    deleteTag: 6,
    tagContacts: 7,
    untagContacts: 2,
    actions: 2,
    createAction: 2,
    updateAction: 2,
    deleteAction: 7,
    linkAction: 3,
    unlinkAction: 3,
    createForm: 5,
    updateForm: 12,
    deleteForm: 7,
    templates: 2,
    createTemplate: 2,
    updateTemplate: 2,
    deleteTemplate: 2,
    changes: 3,
    webhooks: 4,
    webhook: 3,
    webhookDeliveries: 4,
    webhookDelivery: 3,
    createWebhook: 8,
    // The lock of the space, and how far the caller and the webhook reach, are three.
    updateWebhook: 10,
    deleteWebhook: 6,
    rotateWebhookSecret: 6,
    testWebhook: 7,
    replayWebhookDeliveries: 8,
    personExport: 33,
    erasePerson: 46,
    auditLog: 3,
    auditLine: 2,
    campaigns: 2,
    createCampaign: 3,
    updateCampaign: 3,
    deleteCampaign: 2,
    recordEmails: 4,
    recordEmailEvents: 2,
    createTeam: 9,
    replaceTeam: 12,
    deleteTeam: 2,
    updateUser: 20,
    // The lock of the space, how far the caller reaches, and the invitations that are there are three.
    inviteUsers: 12,
    deleteInvitation: 5,
    acceptInvitation: 2,
    // For a user who is a contact: it is unlinked, and its search row follows. The lock of the space and the roles are two.
    removeMember: 11,
    changeMemberRole: 23,
    createRole: 4,
    updateRole: 5,
    apps: 3,
    app: 3,
    createApp: 8,
    createAppToken: 7,
    updateApp: 8,
    deleteApp: 6,
    spaceUsage: 3,
    tokens: 3,
    accessToken: 3,
    createToken: 5,
    // The token of another user: the lock of the space and the roles are two.
    revokeToken: 6,
    createPayment: 5,
    createTransaction: 3,
    updateTransaction: 3,
    deleteTransaction: 2,
    createDonation: 3,
    updateDonation: 3,
    deleteDonation: 2,
    createMembership: 3,
    updateMembership: 3,
    deleteMembership: 2,
    createSanction: 2,
    updateSanction: 2,
    deleteSanction: 2,
    createMembershipPriceGroup: 3,
    updateMembershipPriceGroup: 4,
    deleteMembershipPriceGroup: 3,
    createMembershipPrice: 3,
    updateMembershipPrice: 3,
    deleteMembershipPrice: 2,
    createDonationPrice: 2,
    updateDonationPrice: 2,
    deleteDonationPrice: 2,
    createTransactionStatus: 2,
    updateTransactionStatus: 2,
    deleteTransactionStatus: 2,
  },
  'No budget of statements for NAME: add what it takes to the table in test/requests/statements.test.ts',
);

describe('every root field, with a full selection', () => {
  it.each(rootFields.map((root) => [root.field.name, root] as const))('%s', async (name, root) => {
    const args = fields[name]!(await prepareIds(door, 1));
    const statements = await door.statements(async () => {
      expect((await door.graphql(makeDocument(root, args), args)).body.errors).toBeUndefined();
    });
    const count = counted(statements);
    expect(statements.filter((sql) => sql.includes('insert into audit_log')).length).toBeLessThanOrEqual(1);
    // The slower statements of a cluster make fewer levels ready at the same moment.
    expect(count, name).toBeLessThanOrEqual(budget[name]! + (inject('onCluster') ? 3 : 0));
    // What several levels read is read together when these levels are ready at the same moment. A page of duplicates ends after a while, on a busy machine early.
    expect(count, name).toBeGreaterThanOrEqual(
      budget[name]! - ({ duplicateContacts: 10, updateSegment: 4 }[name] ?? 3),
    );
  });
});

describe('every route', () => {
  const most: Record<string, number> = {
    ContactById: 2,
    ContactAsFound: 2,
    CreateContact: 7,
    UpdateContact: 6,
    UpsertContact: 15,
    // Three pages.
    Export: 17,
    Search: 8,
    CreateTeam: 5,
    ReplaceTeam: 6,
    InviteUsers: 11,
    DeleteInvitation: 5,
    Teams: 3,
    TeamById: 3,
    UpdateUser: 4,
  };
  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
    const { path, body } = requests[route.operation]!(await prepareIds(door, 1));
    const url = route.path.replace(/\{(\w+)#?\}/g, (_match, name) => String(path[name]));
    const statements = await door.statements(async () => {
      expect((await door.rest(route.method, url, body)).status).toBeLessThan(300);
    });
    expect(counted(statements)).toBeLessThanOrEqual(most[route.operation] ?? 3);
  });
});
