// Idempotency keys: stores the answers of writes for a day under the keys that came with them.
import { createHash } from 'node:crypto';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import type { Authority } from '../../permissions/authority.ts';

/** A stored answer: all of it that is the same every time it is sent. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The facts stored with an answer: the SHA-256 of the request, and what its caller was allowed; null when an earlier version stored it. */
interface Origin {
  fingerprint: Buffer;
  authority: Authority | null;
}

/** Whether the key was free, and the answer stored under it; undefined when it was erased with a person's data. */
export interface Claim {
  mine: boolean;
  /** How often people had been erased in the space. */
  erasures: number;
  kept: (Origin & { answer: KeptAnswer | undefined }) | undefined;
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
  KeptAnswer & { fingerprint: Buffer | null; authority: Authority | null; erased: boolean | null };

/** Claims a key of a user until the transaction `tx` ends; never waits for another holder. */
export const claimIdempotencyKey = async (tx: Space, of: { userId: number; key: string }): Promise<Claim> => {
  const { mine, erasures, fingerprint, authority, erased, ...answer } = (await tx.row<KeyRow>(claim, of))!;
  const { status, headers, body } = answer;
  return {
    mine,
    erasures,
    kept: fingerprint ? { fingerprint, authority, answer: erased ? undefined : { status, headers, body } } : undefined,
  };
};

/** Stores the answer of the write that `tx` made, under a key that it has claimed. If somebody was erased meanwhile, whom it may show, only that there was one. */
export const keepIdempotentAnswer = async (
  tx: Space,
  { authority, ...of }: { userId: number; key: string; erasures: number } & Origin,
  { status, headers, body }: KeptAnswer,
): Promise<void> => {
  const stored = { headers: JSON.stringify(headers), authority: JSON.stringify(authority) };
  await tx.rows(keep, { ...of, status, body, ...stored });
};

const forgetExpired = defineStatement(
  'idempotency.forget_expired',
  `delete from idempotency_keys where group_id = :group and created_at <= statement_timestamp() - interval '24 hours'`,
);
const erase = defineStatement(
  'idempotency.erase',
  `with gone as (
     update idempotency_keys set key = erased_idempotency_key(key), fingerprint = erased_fingerprint(fingerprint, key), headers = '{}', body = '', erased = true
      where group_id = :group and not erased returning 1)
   select count(*) as count from gone`,
);

/** Erases the answers of the space. Their keys are kept, so that no write is done again. Resolves to how many there were. */
export const eraseIdempotentAnswers = async (tx: Space): Promise<number> => {
  // An expired rest of the same key would be in the way.
  await tx.rows(forgetExpired);
  return (await tx.row<{ count: number }>(erase))!.count;
};

/** The fingerprint of a request as it is kept after the erasure of its answer. */
export const digestErasedFingerprint = (fingerprint: Buffer, key: string): Buffer =>
  createHash('sha256').update(fingerprint).update(key).digest();
