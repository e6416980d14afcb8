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
