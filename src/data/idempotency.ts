// Idempotency keys: stores the answers of writes for a day under the keys that came with them.
import type { Authority } from '../authority.ts';
import type { Space } from '../database/space.ts';
import { defineStatement } from '../database/statement.ts';

/** A stored answer: all of it that is the same every time it is sent. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What was stored with an answer: the SHA-256 of the request, and what its caller was allowed; null when an earlier version stored it. */
interface Origin {
  fingerprint: Buffer;
  authority: Authority | null;
}

/** Whether the key was free, and the answer stored under it. */
export interface Claim {
  mine: boolean;
  kept: (Origin & { answer: KeptAnswer }) | undefined;
}

const claim = defineStatement('idempotency.claim', 'select * from claim_idempotency_key(:group, :userId, :key)');
/** An expired answer is replaced, if the sweep has not deleted it yet. */
const keep = defineStatement(
  'idempotency.keep',
  `insert into idempotency_keys (group_id, user_id, key, fingerprint, status, headers, body, authority)
   values (:group, :userId, :key, :fingerprint, :status, :headers, :body, :authority)
   on conflict (group_id, user_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
     headers = excluded.headers, body = excluded.body, authority = excluded.authority, created_at = excluded.created_at`,
);

type KeyRow = { mine: boolean; fingerprint: Buffer | null } & KeptAnswer & Omit<Origin, 'fingerprint'>;

/** Claims a key of a user until the transaction `tx` ends; never waits for another holder. */
export const claimIdempotencyKey = async (tx: Space, of: { userId: number; key: string }): Promise<Claim> => {
  const { mine, fingerprint, authority, status, headers, body } = (await tx.row<KeyRow>(claim, of))!;
  return { mine, kept: fingerprint ? { fingerprint, authority, answer: { status, headers, body } } : undefined };
};

/** Stores the answer of the write that `tx` made, under a key that it has claimed. */
export const keepIdempotentAnswer = async (
  tx: Space,
  { authority, ...of }: { userId: number; key: string } & Origin,
  { status, headers, body }: KeptAnswer,
): Promise<void> => {
  const stored = { headers: JSON.stringify(headers), authority: JSON.stringify(authority) };
  await tx.rows(keep, { ...of, status, body, ...stored });
};
