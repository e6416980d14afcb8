// Accounts of users, for the operator of the server, independent of any space.

import { convertToDatabaseProblem } from '../../database/driver-error.ts';
import type { Pool } from '../../database/pool.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { Problem } from '../../problem.ts';

export interface AccountContent {
  mail: string;
  firstName: string | null;
  lastName: string | null;
}

/** An account, and whether it was just created. */
export interface Account {
  id: number;
  mail: string;
  created: boolean;
  mail_confirmed: boolean;
}

interface ListedAccount extends AccountContent {
  id: number;
  mailConfirmed: boolean;
  /** The ids of the spaces that the user is a member of. */
  spaces: number[];
  /** The role in the one space that was asked for. */
  role: string | null;
}

const ensureSql = 'select * from ensure_account(:mail, :firstName, :lastName)';
/** The same within a transaction of a space. */
const ensure = defineStatement(
  'account.ensure',
  `select a.* from spaces s, ensure_account(:mail, :firstName, :lastName) a where s.id = :group`,
);

/** Runs a statement that is of no space. */
export const runForOperator = async <Row>(
  pool: Pool,
  sql: string,
  values: Record<string, unknown> = {},
): Promise<Row[]> => {
  try {
    return await pool.run<Row>(sql, values);
  } catch (error) {
    throw convertToDatabaseProblem(error);
  }
};

/** Confirms the mail of a user, and yields it; undefined when there is no such user, or when `mail` is given and is no longer the user's. */
export const confirmAccountMail = async (pool: Pool, id: number, mail?: string): Promise<string | undefined> => {
  const sql = `update users set mail_confirmed = true
    where id = :id and deleted_at is null and lower(mail) = lower(coalesce(cast(:mail as text), mail)) returning mail`;
  return (await runForOperator<{ mail: string }>(pool, sql, { id, mail: mail ?? null }))[0]?.mail;
};

/** The account of a mail, which is created when there is none. Letter case makes no difference. */
export const ensureAccount = async (pool: Pool, content: AccountContent): Promise<Account> =>
  (await runForOperator<Account>(pool, ensureSql, { ...content }))[0]!;

/**
 * The account of a mail that is to join a space, which is created when there is none. Throws 409 for an account whose mail is not confirmed:
 * its user may have taken the mail of somebody else.
 */
export const ensureOwnerOfMail = async (tx: Space, content: AccountContent): Promise<Account> => {
  const account = (await tx.row<Account>(ensure, { ...content }))!;
  if (!account.mail_confirmed)
    throw new Problem(
      'conflict',
      `User ${account.id} has the mail ${account.mail}, but nobody has confirmed that it is theirs: see muster user confirm`,
    );
  return account;
};

/** All accounts, or those of the members of a space, by id. */
export const listAccounts = (pool: Pool, space: number | null): Promise<ListedAccount[]> =>
  runForOperator(
    pool,
    `select u.id, u.mail, u.firstname as "firstName", u.surname as "lastName", u.mail_confirmed as "mailConfirmed",
            array(select m.group_id from members m join spaces s on s.id = m.group_id and s.deleted_at is null
                   where m.user_id = u.id order by m.group_id) as spaces,
            (select r.name from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
              where m.group_id = :space and m.user_id = u.id) as role
       from users u
      where u.deleted_at is null
        and (cast(:space as bigint) is null or exists (select 1 from members m where m.group_id = :space and m.user_id = u.id))
      order by u.id`,
    { space },
  );
/** Stores which person of an identity provider a user is, and yields their mail; undefined when there is no such user, or when another person is stored. */
export const linkAccount = async (
  pool: Pool,
  id: number,
  person: { issuer: string; subject: string },
): Promise<string | undefined> => {
  const sql = `update users set oidc_issuer = :issuer, oidc_subject = :subject
    where id = :id and deleted_at is null and (oidc_subject is null or (oidc_issuer = :issuer and oidc_subject = :subject)) returning mail`;
  return (await runForOperator<{ mail: string }>(pool, sql, { id, ...person }))[0]?.mail;
};

/** Forgets which person of an identity provider a user is, ends their sessions, and yields their mail; undefined when none is stored. */
export const unlinkAccount = async (pool: Pool, id: number): Promise<string | undefined> => {
  const sql = `with freed as (
      update users set oidc_issuer = null, oidc_subject = null
       where id = :id and deleted_at is null and oidc_subject is not null returning id, mail),
    ended as (delete from tokens t using freed where t.user_id = freed.id and t.issuer is not null)
    select mail from freed`;
  return (await runForOperator<{ mail: string }>(pool, sql, { id }))[0]?.mail;
};
