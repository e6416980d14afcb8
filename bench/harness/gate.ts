// Muster's gate for the yardsticks: its own statement, with the real check of the token and the bucket. What any server must do that lets callers in as we do.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type pg from 'pg';

const sql = `select token_id, user_id, group_id, role_id, role_type, admitted, tokens from public.enter_gate(array[$1::bytea], array[1], 1000000000, 1000000000, true)`;

interface Caller {
  /** Numbers as the driver gives them. */
  user_id: string;
  group_id: string;
  admitted: boolean;
}

/** Yields the caller of a request, or undefined for one that is not let in. */
export const enterGate = async (
  pool: pg.Pool,
  { headers: { authorization } }: IncomingMessage,
): Promise<Caller | undefined> => {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (!token) return undefined;
  const digest = createHash('sha256').update(token).digest();
  const { rows } = await pool.query<Caller>({ name: 'gate', text: sql, values: [digest] });
  return rows[0]?.admitted ? rows[0] : undefined;
};
