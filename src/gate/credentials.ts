// The credentials of a request: a token of our own or one of an identity provider, and the space that the caller names.
import { hash } from 'node:crypto';
import { digestSecret, isSecretForm } from '../database/secret.ts';
import { createCacheKey } from '../limits/cache-key.ts';
import { limits } from '../limits/limits.ts';
import { createInvalidProblem } from '../problem.ts';

/** The header by which a caller with several spaces names one. */
export const spaceHeader = 'X-Muster-Space';

/** Three parts in base64url. Longer texts are not even digested. */
const isJwtForm = (text: string): boolean =>
  text.length <= limits.connection.jwtCharacters && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);

export class Credentials {
  /** Whether there is a token at all. */
  readonly isSent: boolean;
  /** The digest of a text in the form of our own tokens. */
  readonly hash: Buffer | undefined;
  /** A text in the form of a JWT. */
  readonly jwt: string | undefined;
  /** By this the gate remembers them. One JWT may be for several spaces. */
  readonly key: string;
  /** The client's network address. Without one, bad tokens are not counted. */
  readonly address: (() => string) | undefined;
  /** The text of the header that names a space. */
  readonly #space: string | null;

  constructor(headers: Pick<Headers, 'get'>, address?: () => string) {
    const authorization = headers.get('authorization');
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
    this.isSent = authorization !== null;
    this.#space = headers.get(spaceHeader);
    this.hash = isSecretForm('token', token) ? digestSecret(token) : undefined;
    this.jwt = isJwtForm(token) ? token : undefined;
    this.key =
      this.hash?.toString('base64') ?? (this.jwt ? hash('sha256', createCacheKey(token, this.#space), 'base64') : '');
    this.address = address;
  }

  /** The number of the space that the caller names. Throws 400 for another text. */
  readSpace(): number | undefined {
    if (this.#space === null) return undefined;
    const space = /^\d+$/.test(this.#space) ? Number(this.#space) : Number.NaN;
    if (Number.isSafeInteger(space)) return space;
    const message = 'must be the number of a space';
    throw createInvalidProblem([{ location: `header.${spaceHeader}`, message, value: this.#space }]);
  }
}
