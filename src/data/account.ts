// Accounts as the operator of the server deals with them, apart from any space.
import type { Knex } from 'knex';
import { toDatabaseProblem } from '../database/driver-error.ts';
import { runStatement } from '../database/run-statement.ts';

/**
 * Marks the mail of a user as theirs, and yields it; undefined when there is no such user, or when `mail` is given and is not the
 * user's any more.
 */
export const confirmAccountMail = async (knex: Knex, id: number, mail?: string): Promise<string | undefined> => {
  const sql = `update users set mail_confirmed = true
    where id = :id and deleted_at is null and lower(mail) = lower(coalesce(cast(:mail as text), mail)) returning mail`;
  try {
    return (await runStatement<{ mail: string }>(knex, sql, { id, mail: mail ?? null }))[0]?.mail;
  } catch (error) {
    throw toDatabaseProblem(error);
  }
};
