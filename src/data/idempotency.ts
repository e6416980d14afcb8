// Idempotency keys: stores the answers of writes for a day under the keys that came with them.
import type { Space } from '../database/space.ts';
import { defineStatement } from '../database/statement.ts';

/** A stored answer: all of it that is the same every time it is sent. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Whether the key was free, and the answer stored under it. The fingerprint is the SHA-256 of the request. */
export interface Claim {
  mine: boolean;
  kept: { fingerprint: Buffer; answer: KeptAnswer } | undefined;
}

const claim = defineStatement('idempotency.claim', 'select * from claim_idempotency_key(:group, :userId, :key)');
/** An expired answer is replaced, if the sweep has not deleted it yet. */
const keep = defineStatement(
  'idempotency.keep',
  `insert into idempotency_keys (group_id, user_id, key, fingerprint, status, headers, body)
   values (:group, :userId, :key, :fingerprint, :status, :headers, :body)
   on conflict (group_id, user_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
     headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`,
);

type KeyRow = { mine: boolean } & KeptAnswer & { fingerprint: Buffer | null };

/** Claims a key of a user until the transaction `tx` ends; never waits for another holder. */
export const claimIdempotencyKey = async (tx: Space, of: { userId: number; key: string }): Promise<Claim> => {
  const { mine, fingerprint, status, headers, body } = (await tx.row<KeyRow>(claim, of))!;
  return { mine, kept: fingerprint ? { fingerprint, answer: { status, headers, body } } : undefined };
};

/** Stores the answer of the write that `tx` made, under a key that it has claimed. */
export const keepIdempotentAnswer = async (
  tx: Space,
  of: { userId: number; key: string; fingerprint: Buffer },
  { status, headers, body }: KeptAnswer,
): Promise<void> => {
  await tx.rows(keep, { ...of, status, headers: JSON.stringify(headers), body });
};
