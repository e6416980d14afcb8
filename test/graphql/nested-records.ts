// Contacts with records of every type, from none to more than a page, for tests of nested lists; and how they are read over GraphQL.
import type { Answer, Door, Json } from '../harness/app.ts';

/** The lists of a contact, their types, and SQL of the ids that each has. */
export const lists = {
  notes: ['Note', 'notes'],
  interactions: ['Interaction', 'interactions'],
  emails: ['Email', 'emails'],
  transactions: ['Transaction', 'transactions'],
  donations: ['Donation', 'donations'],
  memberships: ['Membership', 'memberships'],
  sanctions: ['Sanction', 'sanctions'],
  answers: ['Answer', 'answers'],
} as const;
export type List = keyof typeof lists;
export const names = Object.keys(lists) as List[];

const surname = 'Nested';
const instant = `timestamptz '2026-01-01' + n % 5 * interval '1 day'`;
/** Rows of each table, for the nth record of a contact: fewer than a page, and more. */
export const rows: Record<string, [columns: string, values: string]> = {
  notes: ['content, pinned, user_id, created_at', `'note ' || n, n = 7, 1, ${instant}`],
  interactions: ['type, only_super_admin, created_at', `'call', n % 3 = 0, ${instant}`],
  emails: ['type, created_at, opened_at', `'mailing', ${instant}, case when n % 2 = 0 then ${instant} end`],
  transactions: ['amount, date', `n % 4, ${instant}`],
  donations: ['amount, transaction_date', `n % 4, ${instant}`],
  memberships: [
    'amount, start_date, end_date',
    `n % 4, date '2026-01-01' + n % 5, case when n % 2 = 0 then date '2027-01-01' + n % 3 end`,
  ],
  sanctions: ['status, start_date', `'s' || n % 3, case when n % 2 = 0 then ${instant} end`],
};

/** Inserts 50 contacts with their records into space 1, and returns their ids. */
export const insertNestedRecords = async (door: Door): Promise<number[]> => {
  await door.sql(`insert into contacts (group_id, surname) select 1, '${surname}' from generate_series(1, 50)`);
  const found = await door.sql(`select id from contacts where group_id = 1 and surname = '${surname}' order by id`);
  const ids: number[] = found.map(({ id }) => id);
  const first = ids[0]!;
  for (const [table, [columns, values]] of Object.entries(rows))
    await door.sql(
      `insert into ${table} (group_id, contact_id, ${columns})
       select 1, c.id, ${values} from contacts c cross join generate_series(1, 45) n
        where c.group_id = 1 and c.surname = '${surname}' and n <= (c.id - ${first}) * 7 % 46`,
    );
  await door.sql(
    `insert into answers (group_id, contact_id, form_id, form_ref_id, data, date)
     select 1, c.id, r.form_id, r.id, 'answer ' || r.id, case when r.id % 2 = 0 then timestamptz '2026-01-01' end
       from contacts c cross join (select r.form_id, r.id from form_refs r join forms f on f.group_id = 1 and f.id = r.form_id and f.deleted_at is null
         where r.group_id = 1 order by r.id) r
      where c.group_id = 1 and c.surname = '${surname}' and c.id % 3 > 0`,
  );
  await door.sql(`select add_search(1, array(select id from contacts where group_id = 1 and surname = '${surname}'))`);
  return ids;
};

/** Reads the contacts with these ids, which follow each other: as answers, and as contacts. */
export const createContactAsker = (door: Door, ids: readonly number[]) => {
  const ask = (selection: string, variables: Json = {}, declared = '', token?: string): Promise<Answer> => {
    const after = Buffer.from(JSON.stringify(['contacts', ids[0]! - 1])).toString('base64url');
    return door.graphql(
      `query${declared && `(${declared})`} { contacts(first: 50, after: "${after}") { nodes { databaseId ${selection} } } }`,
      variables,
      token,
    );
  };
  const read = async (...args: Parameters<typeof ask>): Promise<Json[]> => {
    const { body } = await ask(...args);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data.contacts.nodes;
  };
  return { ask, read };
};
