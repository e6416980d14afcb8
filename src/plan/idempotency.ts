// Idempotency keys, for both doors: a write under a key is done once, and a repetition within a day gets the same answer.
import { createHash } from 'node:crypto';
import type { Context } from '../context.ts';
import {
  type Claim,
  claimIdempotencyKey,
  digestErasedFingerprint,
  type KeptAnswer,
  keepIdempotentAnswer,
} from '../data/upkeep/idempotency.ts';
import { formatCanonicalJson } from '../limits/cache-key.ts';
import { type Authority, reachesAsFar } from '../permissions/authority.ts';
import { createUnknownOutcomeProblem, type Fault, Problem } from '../problem.ts';

export type { KeptAnswer };

/** The request header with the key, and the response header that marks a replayed answer. */
export const keyHeader = 'Idempotency-Key';
export const replayedHeader = 'Idempotency-Replayed';
/** The form of a key: visible ASCII. A key whose answer was erased is kept under a name with this prefix, which a client must not take. */
export const keyForm = /^(?!erased:)[\x21-\x7e]{1,255}$/;

/** Faults of a key; none without a key. */
export const findKeyFaults = (key: string | null): Fault[] =>
  key === null || keyForm.test(key)
    ? []
    : [
        {
          location: `header.${keyHeader}`,
          message: 'must be 1 to 255 visible ASCII characters, and not begin with erased:',
          value: key,
        },
      ];

/** The answer of a write, and whether to commit it; otherwise it is rolled back. */
interface Outcome {
  answer: KeptAnswer;
  keep: boolean;
}

/**
 * Runs a write under its key, in one transaction with the stored answer, so that both are committed or neither. `asked`
 * identifies the request. Throws 409 while another request with this key is under way, 422 when the key came with
 * another request, 403 when the answer was given to somebody who was allowed more, 410 when it was erased, and the error of `write`; then nothing is stored, and the key is free again.
 */
export const runOncePerKey = async <Given extends Context>(
  context: Given,
  key: string,
  asked: unknown,
  write: (context: Given) => Promise<Outcome>,
): Promise<KeptAnswer> => {
  const { userId, roleType, scope, permissions } = context.caller;
  const authority = { roleType, scope, permissions };
  const fingerprint = createHash('sha256').update(formatCanonicalJson(asked)).digest();
  try {
    return await context.space.transaction(async (space) => {
      const { mine, kept, erasures } = await claimIdempotencyKey(space, { userId, key });
      if (kept) return replay(kept, { key, fingerprint, authority });
      if (!mine) throw underWay();
      const { answer, keep } = await write({ ...context, space });
      if (!keep) throw new TakenBack(answer);
      await keepIdempotentAnswer(space, { userId, key, fingerprint, authority, erasures }, answer);
      return answer;
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.answer;
    // A repetition under the key is safe, so it may be asked for.
    if (error instanceof Problem && error.outcome) throw createUnknownOutcomeProblem(error, true);
    throw error;
  }
};

/** Rolls a transaction back that has an answer. */
class TakenBack extends Error {
  readonly answer: KeptAnswer;

  constructor(answer: KeptAnswer) {
    super('taken back');
    this.answer = answer;
  }
}

/** The authority of a caller about whom nothing is known: an answer to them may show anything. */
const widest: Authority = { roleType: 'superadmin', scope: 'admin', permissions: null };

/** A kept answer is shown to those alone who are allowed as much as whoever it was given to. */
const replay = (
  { fingerprint, authority, answer }: NonNullable<Claim['kept']>,
  now: { key: string; fingerprint: Buffer; authority: Authority },
): KeptAnswer => {
  if (!fingerprint.equals(answer ? now.fingerprint : digestErasedFingerprint(now.fingerprint, now.key)))
    throw new Problem('unprocessable', `This ${keyHeader} came with another request before; use a new one`, {
      errors: [{ location: `header.${keyHeader}`, message: 'came with another request before' }],
    });
  if (!reachesAsFar(now.authority, authority ?? widest))
    throw new Problem(
      'forbidden',
      `The request with this ${keyHeader} was done, for a role or a token that may do more than this one; its answer is not shown`,
    );
  if (!answer)
    throw new Problem(
      'answer-erased',
      `The request with this ${keyHeader} was done; its answer was erased with the data of a person`,
    );
  return { ...answer, headers: { ...answer.headers, [replayedHeader]: 'true' } };
};

const underWay = (): Problem =>
  new Problem('conflict', `A request with this ${keyHeader} is under way; ask again when it is done`, {
    headers: { 'Retry-After': '1' },
  });
