// The values of the searches in one space: ids by the rules of the build, and values from the data.
import type { Client } from 'pg';

export interface Subject {
  space: number;
  contacts: number;
  /** A member who may read everything. */
  user: number;
  /** The mail address of a contact, as it was written. */
  mail: string;
  /** In space 1 these are the fixed ids of the search bodies: form 100, reference 1002, action 1077, tag 1000. */
  form(n: number): number;
  ref(form: number, n: number): number;
  action(n: number): number;
  tag(n: number): number;
  campaign(n: number): number;
  /** Ids of the campaigns whose name contains `climat`, and of those whose subject does not contain `réunion`. */
  named: number[];
  unlike: number[];
}

export const readSubject = async (client: Client, space: number): Promise<Subject> => {
  const one = async (sql: string) => (await client.query(sql, [space])).rows[0];
  const campaigns = async (test: string): Promise<number[]> =>
    (await client.query(`select id from campaigns where group_id = $1 and ${test} order by id`, [space])).rows.map(
      ({ id }) => Number(id),
    );
  const { contacts } = await one('select count(*)::int as contacts from contact_search where group_id = $1');
  // A value from the middle of the space, with capitals or accents if there are any.
  const { mail } = await one(
    `select mail from (select mail from contacts where group_id = $1 and mail is not null order by id limit 100 offset ${Math.floor(contacts / 3)}) c
      order by mail = lower(mail), mail limit 1`,
  );
  return {
    space,
    contacts,
    user: space * 100,
    mail,
    form: (n) => space * 100 + n,
    ref: (form, n) => (space * 100 + form) * 10 + n,
    action: (n) => space * 1000 + n,
    tag: (n) => space * 1000 + n,
    campaign: (n) => space * 1000 + n,
    named: await campaigns(`fold(name) like '%climat%'`),
    unlike: await campaigns(`fold(subject) not like '%reunion%'`),
  };
};
