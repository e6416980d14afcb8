// Lets invited people without a token into the space that invites them, by the secret of their invitation.

import { convertToDatabaseProblem } from '../../database/driver-error.ts';
import type { Pool } from '../../database/pool.ts';
import { digestSecret, generateSecret, showSecretPrefix } from '../../database/secret.ts';
import { Problem } from '../../problem.ts';

/** The answer to a new member: their token, which is shown only here, their space and their account. */
export interface Joined {
  token: string;
  tokenId: number;
  spaceId: number;
  spaceName: string;
  userId: number;
  email: string;
}

/** The function finds the space by the secret, and writes in no other. */
const join = `select known, token_id as "tokenId", space_id as "spaceId", space_name as "spaceName", account_id as "userId", email
  from join_space(:secret, :firstName, :lastName, :hash, :prefix)`;

/**
 * Creates the account, the membership and the token of an invited person, or nothing. Undefined for a secret that opens no space: unknown,
 * used, renewed, withdrawn or expired. Throws 409, and changes nothing, when the mail already has an account.
 */
export const joinSpace = async (
  pool: Pool,
  { secret, firstName, lastName }: { secret: string; firstName: string | null; lastName: string | null },
): Promise<Joined | undefined> => {
  const token = generateSecret('token');
  const made = { hash: digestSecret(token), prefix: showSecretPrefix(token) };
  try {
    const values = { secret: digestSecret(secret), firstName, lastName, ...made };
    const [joined] = await pool.run<Omit<Joined, 'token'> & { known: boolean }>(join, values, 'join');
    if (!joined) return undefined;
    const { known, ...rest } = joined;
    if (known)
      throw new Problem(
        'conflict',
        'The mail of this invitation already has an account: sign in with its token, and accept the invitation with acceptInvitation',
      );
    return { token, ...rest };
  } catch (error) {
    throw convertToDatabaseProblem(error, { stores: true });
  }
};
