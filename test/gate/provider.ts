// A real provider of OpenID Connect in this process: its tokens, tokens that only its keys can sign, and its faults.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

export const audience = 'https://muster.test/api';

/** A person, known to the provider as a client of that name: such a client asks for tokens without a browser. */
export interface Person {
  subject: string;
  claims: Record<string, unknown>;
  alg?: 'RS256' | 'PS256' | 'ES256' | 'EdDSA';
}

export interface RunningProvider {
  issuer: string;
  /** Requests so far, by path. */
  asked: Record<string, number>;
  /** What it does instead of answering, while it is set. */
  fault: RequestListener | undefined;
  /** A token that the provider itself issues. */
  issue(subject: string, scope?: string): Promise<string>;
  /** A token of any content, signed by the key of the provider. */
  sign(claims: JWTPayload, header?: { kid?: string | undefined; typ?: string; alg?: string }): Promise<string>;
  /** The public key of RS256, as the provider publishes it. */
  publicKey(): JWK;
  /** Replaces all keys. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

const makeKeys = async (version: number) => {
  const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
  const pairs = await Promise.all(
    algorithms.map(async (alg) => ({ alg, pair: await generateKeyPair(alg, { extractable: true }) })),
  );
  return Promise.all(
    pairs.map(async ({ alg, pair }) => ({
      alg,
      key: pair.privateKey,
      secret: { ...(await exportJWK(pair.privateKey)), alg, kid: `${alg}-${version}`, use: 'sig' },
      open: { ...(await exportJWK(pair.publicKey)), alg, kid: `${alg}-${version}`, use: 'sig' },
    })),
  );
};

export const startProvider = async (people: readonly Person[]): Promise<RunningProvider> => {
  let version = 1;
  let keys = await makeKeys(version);
  let answer: RequestListener = () => {};
  const asked: Record<string, number> = {};
  const server = createServer((request, response) => {
    asked[request.url!] = (asked[request.url!] ?? 0) + 1;
    (running.fault ?? answer)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = (): void => {
    const provider = new Provider(issuer, {
      jwks: { keys: keys.map(({ secret }) => secret) as never },
      clients: people.map(({ subject }) => ({
        client_id: subject,
        client_secret: 'a secret of the test',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      })),
      scopes: ['muster:read', 'muster:write'],
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_, resource, client) => ({
            scope: 'muster:read muster:write',
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 600,
            jwt: { sign: { alg: people.find(({ subject }) => subject === client.clientId)?.alg ?? 'RS256' } },
          }),
        },
      },
      extraTokenClaims: (_, token) => people.find(({ subject }) => subject === token.clientId)?.claims,
    });
    answer = provider.callback();
  };
  open();
  const running: RunningProvider = {
    issuer,
    asked,
    fault: undefined,
    async issue(subject, scope = '') {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${btoa(`${subject}:${encodeURIComponent('a secret of the test')}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience, scope }),
      });
      const body = (await response.json()) as { access_token: string };
      if (!response.ok) throw new Error(JSON.stringify(body));
      return body.access_token;
    },
    sign(claims, header = {}) {
      const { alg = 'RS256', ...others } = header;
      const { key } = keys.find((one) => one.alg === alg)!;
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ iss: issuer, aud: audience, iat: now, exp: now + 600, ...claims })
        .setProtectedHeader({ alg, kid: `${alg}-${version}`, ...others })
        .sign(key);
    },
    publicKey: () => keys[0]!.open,
    async rotate() {
      version++;
      keys = await makeKeys(version);
      open();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return running;
};
