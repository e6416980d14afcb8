// What tests of signing in share: a provider where each user of the demo data is a person, requests, and time that passes.
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { type Answer, createClient, type Door, openApp } from '../harness/app.ts';
import { audience, type RunningProvider, startProvider } from './provider.ts';

const mails = new Map<number, string>();
export let provider: RunningProvider;

/** The verified mail of a user, as claims. */
export const buildClaims = (user: number) => ({ email: mails.get(user), email_verified: true });
export const getMail = (user: number): string => mails.get(user)!;

let shared: Door;
export let door: Door;

/**
 * Starts a provider for the tests of a file, and opens an app for each test, all on one database without sessions. The users 1 to 4 are `person-1`, …, each with
 * another algorithm; user 4 is in two spaces. There are people who are no users too.
 */
export const useProvider = (): void => {
  beforeAll(async () => {
    shared = await openApp();
    for (const { id, mail } of await shared.sql('select id, mail from users')) mails.set(id, mail);
    const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
    provider = await startProvider([
      ...algorithms.map((alg, place) => ({ subject: `person-${place + 1}`, alg, claims: buildClaims(place + 1) })),
      { subject: 'unverified', claims: { email: mails.get(5), email_verified: false } },
      { subject: 'stranger', claims: { email: 'stranger@example.org', email_verified: true } },
    ]);
  });
  beforeEach(async () => {
    await openWithProvider();
    await door.sql('delete from tokens where issuer is not null');
    await door.sql('update users set oidc_issuer = null, oidc_subject = null where oidc_subject is not null');
  });
  afterEach(() => {
    passed = 0;
    provider.fault = undefined;
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  afterAll(() => provider.close());
};

/** Replaces the app of this test by one with other settings. It accepts the tokens of the provider. */
export const openWithProvider = async (more = {}): Promise<void> => {
  const settings = {
    OIDC_ISSUER: provider.issuer,
    OIDC_AUDIENCE: audience,
    OIDC_USER_CLAIM: 'email' as const,
    ...more,
  };
  door = await openApp(settings, undefined, shared);
};

const now = performance.now.bind(performance);
let passed = 0;
/** Lets time pass for the process in this test. The database and the clock of tokens keep theirs. */
export const passTime = (seconds: number): void => {
  passed += seconds * 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
};

type Headers = Record<string, string>;
export const buildSpaceHeader = (space: number | string): Headers => ({ 'X-Muster-Space': String(space) });

export const askViewer = (token: string, headers: Headers = {}, on = door): Promise<Answer> =>
  on.graphql('{ viewer { user { databaseId email } space { databaseId } } }', undefined, token, headers);

export const readStatusAndCode = ({ status, body }: Answer): unknown[] => [status, body.errors?.[0].extensions.code];

/** A request of a client at an address, of which bad tokens are counted. */
export const askFrom = (address: string, token: string): Promise<Response> =>
  door.app.fetch(
    new Request('http://muster.test/teams', { headers: { Authorization: `Bearer ${token}` } }),
    createClient(address),
  );
