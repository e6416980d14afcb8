// Lists have the rows of the verbs beside them, see one space only, and hide what the caller may not see.
import { beforeAll, describe, expect, it } from 'vitest';
import { listInvitations } from '../../../src/data/access/invitation.ts';
import { listTeams, teamList } from '../../../src/data/access/team.ts';
import { listUsers } from '../../../src/data/access/user.ts';
import { answerList } from '../../../src/data/contact/answer.ts';
import { interactionList, readInteractionsOfContacts } from '../../../src/data/contact/interaction.ts';
import { noteList } from '../../../src/data/contact/note.ts';
import { createRelationReader } from '../../../src/data/contact/read.ts';
import { listForms } from '../../../src/data/form/form.ts';
import { listImports } from '../../../src/data/import/contacts.ts';
import { donationPrices, membershipPriceGroups, transactionStatuses } from '../../../src/data/money/settings.ts';
import type { Space } from '../../../src/database/space.ts';
import { limits } from '../../../src/limits/limits.ts';
import { type Door, openApp } from '../../harness/app.ts';
import { insertLargeTeam } from '../../harness/large-team.ts';
import { nouns } from './nouns.ts';

let door: Door;
let space: Space;

beforeAll(async () => {
  door = await openApp();
  space = door.database.space(1);
  await door.sql(
    `insert into interactions (group_id, contact_id, type, title, only_super_admin)
     select c.group_id, c.id, 'call', 'title ' || n, n % 2 = 0 from contacts c, generate_series(1, 5) n where c.id <= 20 and c.deleted_at is null`,
  );
  await door.sql(
    `insert into files (group_id, interaction_id, url, name)
     select group_id, id, 'https://example.org/' || id, 'file' from interactions where id % 3 = 0`,
  );
  await door.sql(
    `insert into imports (group_id, name, fingerprint, finished_at) select g, 'import ' || n, '\\x00', now() from generate_series(1, 2) g, generate_series(1, 3) n`,
  );
  await door.sql(
    'insert into import_batches (group_id, import_id, first_row, created, updated, refused) select group_id, id, 1, 5, 2, 1 from imports where id % 2 = 1',
  );
  await door.sql(
    'insert into sanctions (group_id, contact_id, status) select group_id, id, ? from contacts where id % 5 = 0 and deleted_at is null',
    ['warned'],
  );
  await door.sql(
    `insert into invitations (group_id, email, role_id) select group_id, 'new-' || id || '@example.org', id from roles`,
  );
});

const slice = { limit: 1000, offset: 0 };
/** Records of a page by offset, without the total that stands beside each. */
const withoutTotal = <Row extends object>(rows: Row[]): Row[] =>
  rows.map((row) => {
    const { total: _, ...rest } = row as Row & { total?: number };
    return rest as Row;
  });
const byId = <Row extends { id: number }>(rows: Row[]): Row[] => rows.toSorted((one, other) => one.id - other.id);

/** Somebody from whom no record is hidden. */
const viewer = { userId: 1, seesAll: true };

describe('rows', () => {
  it.each<[name: string, read: () => Promise<{ id: number }[]>]>([
    ['teams', async () => (await listTeams(space, slice, viewer)).items],
    ['users', async () => (await listUsers(space, { ...slice, sort: false })).items],
    ['invitations', () => listInvitations(space, viewer)],
    ['imports', async () => (await listImports(space, slice)).items],
    ['forms', () => listForms(space, null)],
    ['membership_price_groups', async () => (await membershipPriceGroups.readOffsetPage(space, slice)).items],
    ['donation_prices', async () => (await donationPrices.readOffsetPage(space, slice)).items],
    ['transaction_statuses', async () => (await transactionStatuses.readOffsetPage(space, slice)).items],
  ])('of %s are those of the list by offset', async (name, read) => {
    const expected = byId(withoutTotal(await read()));
    expect(expected.length).toBeGreaterThan(2);
    const { list } = nouns[name]!;
    const { rows } = await list.readPage(space, { first: limits.list.page, viewer });
    // biome-ignore lint/suspicious/noExplicitAny: rows of any noun
    expect(rows.map(({ row }: any) => row)).toEqual(expected);
    expect(await list.count(space, { viewer })).toBe(expected.length);
  });

  it.each<[name: string, list: typeof noteList, read: (ids: number[]) => Promise<{ contact_id: number }[]>]>([
    ['notes', noteList, (ids) => createRelationReader('notes')(space, ids)],
    ['interactions', interactionList as never, (ids) => readInteractionsOfContacts(space, ids, false)],
    ['answers', answerList as never, (ids) => createRelationReader('answers')(space, ids)],
  ])('of %s are those of the relation of contacts', async (_, list, read) => {
    const living = await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id');
    const ids: number[] = living.map(({ id }) => id);
    const expected = (await read(ids)) as { id: number; contact_id: number }[];
    expect(expected.length).toBeGreaterThan(2);
    const pages = await list.readPagesOf(space, { parent: 'contactId', ids, first: 200 });
    for (const id of ids)
      expect(pages.get(id)!.rows.map(({ row }) => row)).toEqual(
        byId(expected.filter(({ contact_id }) => contact_id === id)),
      );
  });

  it('of teams are refused when they have too many users', async () => {
    const most = limits.request.usersOfTeams;
    const id = await insertLargeTeam(door, most);
    const alone = await teamList.readPage(space, { first: 5, filter: { id: { equals: id } } });
    expect(alone.rows[0]!.row.users).toHaveLength(most);
    await expect(teamList.readPage(space, { first: 1000 })).rejects.toMatchObject({ code: 'answer-too-large' });
  });
});

describe('hidden interactions', () => {
  it('are in pages, counts, totals and pages of parents of superadmins alone', async () => {
    const [{ hidden, shown }] = await door.sql(
      'select count(*) filter (where only_super_admin) as hidden, count(*) filter (where not only_super_admin) as shown from interactions where group_id = 1 and deleted_at is null and contact_id = 1',
    );
    expect([hidden > 1, shown > 1]).toEqual([true, true]);
    const filter = { contactId: { equals: 1 } };
    const parents = { parent: 'contactId', ids: [1] } as const;
    const countHidden = (seesAll: boolean) => {
      const viewer = { userId: 1, seesAll };
      return Promise.all([
        interactionList.readPage(space, { filter, viewer, first: 100 }).then(({ rows }) => rows.length),
        interactionList.count(space, { filter, viewer }),
        interactionList
          .readPagesOf(space, { ...parents, viewer, last: 100 })
          .then((pages) => pages.get(1)!.rows.length),
        interactionList.countOf(space, { ...parents, viewer }).then((counts) => counts.get(1)),
        interactionList
          .readTotals(space, { filter, viewer, groupBy: 'YEAR', of: 'createdAt' })
          .then((totals) => totals.reduce((sum, { count }) => sum + count, 0)),
      ]);
    };
    expect(await countHidden(false)).toEqual(Array(5).fill(shown));
    expect(await countHidden(true)).toEqual(Array(5).fill(shown + hidden));
  });

  it('stay hidden when nothing is said of the caller, and from a filter that names them', async () => {
    const { rows } = await interactionList.readPage(space, { first: 1000 });
    expect(rows.filter(({ row }) => row.only_super_admin)).toEqual([]);
    expect(await interactionList.count(space, { filter: { onlySuperAdmin: { equals: true } } })).toBe(0);
  });

  it('do not show in whether there are more pages', async () => {
    const ids = await door.sql(
      'select id, only_super_admin from interactions where group_id = 1 and contact_id = 1 and deleted_at is null order by id desc',
    );
    const lastShown = ids.findIndex(({ only_super_admin }) => !only_super_admin);
    await door.sql(
      `insert into interactions (group_id, contact_id, type, only_super_admin) values (1, 1, 'call', true)`,
    );
    const after = { key: null, id: ids[lastShown]!.id };
    const options = { filter: { contactId: { equals: 1 } }, first: 5, after };
    expect(await interactionList.readPage(space, options)).toMatchObject({ rows: [], hasNextPage: false });
    const before = await interactionList.readPage(space, {
      ...options,
      after: null,
      last: 1,
      first: null,
      before: { key: null, id: after.id + 1 },
    });
    expect(before).toMatchObject({ rows: [{ position: after }], hasNextPage: false });
  });
});

describe('spaces', () => {
  it.each(Object.entries(nouns))('do not share %s, whatever ids are asked for', async (name, { list }) => {
    const { rows } = await list.readPage(door.database.space(2), { first: 1000, viewer });
    expect(rows.length).toBeGreaterThan(0);
    // biome-ignore lint/suspicious/noExplicitAny: rows of any noun
    const ids: number[] = rows.map(({ row }: any) => row.id);
    // Only users are in several spaces.
    const both = await door.sql('select user_id from members where group_id = 1 and user_id = any(?)', [ids]);
    const shared = name === 'users' ? both.length : 0;
    expect(await list.count(space, { filter: { id: { in: ids } }, viewer })).toBe(shared);
    const page = await list.readPage(space, {
      filter: { id: { in: ids } },
      first: 1000,
      viewer,
    });
    expect(page.rows).toHaveLength(shared);
  });
});
