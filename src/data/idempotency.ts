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
  /** How often people had been erased in the space. */
  erasures: number;
  kept: (Origin & { answer: KeptAnswer }) | undefined;
}

const claim = defineStatement(
  'idempotency.claim',
  `select k.*, (select s.erasures from spaces s where s.id = :group) as erasures from claim_idempotency_key(:group, :userId, :key) k`,
);
const keep = defineStatement(
  'idempotency.keep',
  'select keep_idempotent_answer(:group, :userId, :key, :fingerprint, cast(:status as smallint), cast(:headers as jsonb), :body, cast(:authority as jsonb), :erasures)',
);

type KeyRow = Pick<Claim, 'mine' | 'erasures'> &
  KeptAnswer & { fingerprint: Buffer | null; authority: Authority | null };

/** Claims a key of a user until the transaction `tx` ends; never waits for another holder. */
export const claimIdempotencyKey = async (tx: Space, of: { userId: number; key: string }): Promise<Claim> => {
  const { mine, erasures, fingerprint, authority, ...answer } = (await tx.row<KeyRow>(claim, of))!;
  const { status, headers, body } = answer;
  return {
    mine,
    erasures,
    kept: fingerprint ? { fingerprint, authority, answer: { status, headers, body } } : undefined,
  };
};

/** Stores the answer of the write that `tx` made, under a key that it has claimed, unless somebody was erased meanwhile: it may show them. */
export const keepIdempotentAnswer = async (
  tx: Space,
  { authority, ...of }: { userId: number; key: string; erasures: number } & Origin,
  { status, headers, body }: KeptAnswer,
): Promise<void> => {
  const stored = { headers: JSON.stringify(headers), authority: JSON.stringify(authority) };
  await tx.rows(keep, { ...of, status, body, ...stored });
};
