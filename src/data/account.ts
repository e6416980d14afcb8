// Accounts of users, for the operator of the server, independent of any space.
import type { Knex } from 'knex';
import { convertToDatabaseProblem } from '../database/driver-error.ts';
import { runStatement } from '../database/run-statement.ts';

/** Confirms the mail of a user, and yields it; undefined when there is no such user, or when `mail` is given and is no longer the user's. */
export const confirmAccountMail = async (knex: Knex, id: number, mail?: string): Promise<string | undefined> => {
  const sql = `update users set mail_confirmed = true
    where id = :id and deleted_at is null and lower(mail) = lower(coalesce(cast(:mail as text), mail)) returning mail`;
  try {
    return (await runStatement<{ mail: string }>(knex, sql, { id, mail: mail ?? null }))[0]?.mail;
  } catch (error) {
    throw convertToDatabaseProblem(error);
  }
};

/** Stores which person of an identity provider a user is, and yields their mail; undefined when there is no such user, or when another person is stored. */
export const linkAccount = async (
  knex: Knex,
  id: number,
  person: { issuer: string; subject: string },
): Promise<string | undefined> => {
  const sql = `update users set oidc_issuer = :issuer, oidc_subject = :subject
    where id = :id and deleted_at is null and (oidc_subject is null or (oidc_issuer = :issuer and oidc_subject = :subject)) returning mail`;
  try {
    return (await runStatement<{ mail: string }>(knex, sql, { id, ...person }))[0]?.mail;
  } catch (error) {
    throw convertToDatabaseProblem(error);
  }
};

/** Forgets which person of an identity provider a user is, ends their sessions, and yields their mail; undefined when none is stored. */
export const unlinkAccount = async (knex: Knex, id: number): Promise<string | undefined> => {
  const sql = `with freed as (
      update users set oidc_issuer = null, oidc_subject = null
       where id = :id and deleted_at is null and oidc_subject is not null returning id, mail),
    ended as (delete from tokens t using freed where t.user_id = freed.id and t.issuer is not null)
    select mail from freed`;
  try {
    return (await runStatement<{ mail: string }>(knex, sql, { id }))[0]?.mail;
  } catch (error) {
    throw convertToDatabaseProblem(error);
  }
};
