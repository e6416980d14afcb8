// What tests of signing in share: a provider where each user of the demo data is a person, requests, and time that passes.
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { type Answer, type Door, openApp } from '../harness/app.ts';
import { audience, type RunningProvider, startProvider } from './provider.ts';

const mails = new Map<number, string>();
export let provider: RunningProvider;

/** The verified mail of a user, as claims. */
export const claimsOf = (user: number) => ({ email: mails.get(user), email_verified: true });
export const mailOf = (user: number): string => mails.get(user)!;

/** The users 1 to 4 as `person-1`, …, each with another algorithm, and people who are no users. User 4 is in two spaces. */
export const useProvider = (): void => {
  beforeAll(async () => {
    const seeded = await openApp();
    for (const { id, mail } of await seeded.sql('select id, mail from users')) mails.set(id, mail);
    const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
    provider = await startProvider([
      ...algorithms.map((alg, place) => ({ subject: `person-${place + 1}`, alg, claims: claimsOf(place + 1) })),
      { subject: 'unverified', claims: { email: mails.get(5), email_verified: false } },
      { subject: 'stranger', claims: { email: 'stranger@example.org', email_verified: true } },
    ]);
  });
  afterEach(() => {
    provider.fault = undefined;
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  afterAll(() => provider.close());
};

/** An app that accepts the tokens of the provider. */
export const openWithProvider = (more = {}): Promise<Door> =>
  openApp({ OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: audience, OIDC_USER_CLAIM: 'email', ...more });

const now = performance.now.bind(performance);
let passed = 0;
/** Lets time pass for the process. The database and the clock of tokens keep theirs. */
export const pass = (seconds: number): void => {
  passed += seconds * 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
};

type Headers = Record<string, string>;
export const inSpace = (space: number | string): Headers => ({ 'X-Muster-Space': String(space) });

export const askViewer = (door: Door, token: string, headers: Headers = {}): Promise<Answer> =>
  door.graphql('{ viewer { user { databaseId email } space { databaseId } } }', undefined, token, headers);

export const codeOf = ({ status, body }: Answer): unknown[] => [status, body.errors?.[0].extensions.code];

/** A request of a client at an address, of which bad tokens are counted. */
export const askFrom = (door: Door, address: string, token: string): Promise<Response> =>
  door.app.fetch(
    new Request('http://muster.test/teams', { headers: { Authorization: `Bearer ${token}` } }),
    () => address,
  );
