// Each stored operation gives the same result with graphql-jit, which serves it, and with graphql-js.
import { execute } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { legacySchema as schema } from '../../schema/index.ts';
import type { Context } from '../../src/context.ts';
import { compileStoredOperations, type StoredName } from '../../src/rest/stored.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createContext } from '../harness/context.ts';
import { prepareIds } from '../requests/index.ts';

let door: Door;
let ids: Json;
beforeAll(async () => {
  door = await openApp();
  ids = await prepareIds(door, 1);
});

describe('graphql-jit equals graphql-js', () => {
  const stored = compileStoredOperations(schema);
  const variables: Record<StoredName, () => Json> = {
    ContactById: () => ({ contactId: ids.contacts }),
    ContactAsFound: () => ({ contactId: ids.contacts }),
    Search: () => ({ perPage: 20, sortBy: 'surname', withInteractions: true, withTotal: true }),
    Kpi: () => ({ tree: { $all: [] } }),
    Export: () => ({ tree: { $all: [] }, withInteractions: true }),
    CreateNote: () => ({ input: { contactId: ids.contacts, content: 'x', pinned: true } }),
    CreateContact: () => ({ input: { lastName: 'x', address: { city: 'Lyon' }, tags: [{ name: 'x' }] } }),
    UpdateContact: () => ({ input: { id: ids.contacts, lastName: 'y', email: null } }),
    DeleteContact: () => ({ input: { id: ids.contacts } }),
    UpsertContact: () => ({ input: { id: ids.contacts, lastName: 'z' } }),
    CreateTeam: () => ({
      input: { name: 'x', users: [{ id: 1 }], leaders: [{ id: 1 }], address: { city: 'Lyon', score: 1 } },
    }),
    ReplaceTeam: () => ({ input: { id: ids.teams, name: 'y', users: [{ id: 2 }] } }),
    DeleteTeam: () => ({ input: { id: ids.teams } }),
    Teams: () => ({}),
    TeamById: () => ({ id: ids.teams }),
    UserById: () => ({ id: 1 }),
    Users: () => ({ limit: 3, offset: 1, sort: true }),
    UpdateUser: () => ({ input: { id: 1, email: 'jit@example.org', birthDate: '1980-01-01' } }),
    Roles: () => ({}),
    Invitations: () => ({}),
    InviteUsers: () => ({ input: { invitations: [{ email: 'jit2@example.org' }] } }),
    DeleteInvitation: () => ({ input: { id: ids.invitations } }),
    FormsByKind: () => ({ kind: 'survey' }),
    FormById: () => ({ id: ids.forms }),
    MembershipPriceGroups: () => ({ limit: 2 }),
    DonationPrices: () => ({ offset: 1 }),
    TransactionStatuses: () => ({}),
  };
  /** Runs in a transaction that is rolled back, so that both runs of a write start from the same state. */
  const runAndRollBack = async (run: (context: Context) => unknown): Promise<Json> => {
    let result: Json;
    const rollback = new Error('rolled back');
    await door.database
      .space(1)
      .transaction(async (space) => {
        result = JSON.parse(JSON.stringify(await run({ ...createContext(space), invitations: { days: 14 } })));
        throw rollback;
      })
      .catch((error) => {
        if (error !== rollback) throw error;
      });
    return result;
  };
  /** Replaces the differences of any two writes: ids of new rows and the time. */
  const normalize = (result: Json): string =>
    JSON.stringify(result).replace(/"(id|team_id|lastchange|\w*(_at|At|_sent))":("[^"]*"|\d+)/g, '"$1":0');

  it.each(Object.keys(stored) as StoredName[])('for %s, with data and with a fault', async (name) => {
    const missing = { id: 987_654_321, contactId: 987_654_321 };
    const { input } = variables[name]();
    // Only a mutation of an existing record has an id in its input.
    const inputOf = () => Object.fromEntries(Object.entries({ ...input, ...missing }).filter(([key]) => key in input));
    const faulty = { ...variables[name](), ...missing, ...(input && { input: inputOf() }) };
    for (const values of [variables[name](), faulty]) {
      const given = Object.fromEntries(Object.entries(values).filter(([key]) => key in stored[name].arguments));
      const jit = await runAndRollBack((context) => stored[name].run(context, given));
      const js = await runAndRollBack((contextValue) =>
        execute({
          schema,
          document: stored[name].document,
          contextValue,
          variableValues: given as Json,
          operationName: name,
        }),
      );
      expect(
        normalize({ data: jit.data, errors: jit.errors?.map((error: Json) => [error.message, error.extensions]) }),
      ).toBe(normalize({ data: js.data, errors: js.errors?.map((error: Json) => [error.message, error.extensions]) }));
      if (values !== faulty) expect(jit.errors).toBeUndefined();
    }
  });
});
