// Idempotency keys: the answers that writes were given, kept for a day under the keys that came with them.
import type { Space } from '../database/space.ts';
import { defineStatement } from '../database/statement.ts';

/** An answer as it is kept: all of it that is the same whenever it is given. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Whether the key was free, and what is kept under it already. A fingerprint is the SHA-256 of what was asked. */
export interface Claim {
  mine: boolean;
  kept: { fingerprint: Buffer; answer: KeptAnswer } | undefined;
}

const claim = defineStatement('idempotency.claim', 'select * from claim_idempotency_key(:group, :userId, :key)');
/** An answer whose day is over gives way, if the sweep has not deleted it yet. */
const keep = defineStatement(
  'idempotency.keep',
  `insert into idempotency_keys (group_id, user_id, key, fingerprint, status, headers, body)
   values (:group, :userId, :key, :fingerprint, :status, :headers, :body)
   on conflict (group_id, user_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
     headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`,
);

type KeyRow = { mine: boolean } & KeptAnswer & { fingerprint: Buffer | null };

/** Takes a key of a user until the transaction `tx` ends; never waits for whoever has it. */
export const claimIdempotencyKey = async (tx: Space, of: { userId: number; key: string }): Promise<Claim> => {
  const { mine, fingerprint, status, headers, body } = (await tx.row<KeyRow>(claim, of))!;
  return { mine, kept: fingerprint ? { fingerprint, answer: { status, headers, body } } : undefined };
};

/** Keeps the answer of the write that `tx` made, under a key that it has claimed. */
export const keepIdempotentAnswer = async (
  tx: Space,
  of: { userId: number; key: string; fingerprint: Buffer },
  { status, headers, body }: KeptAnswer,
): Promise<void> => {
  await tx.rows(keep, { ...of, status, headers: JSON.stringify(headers), body });
};
