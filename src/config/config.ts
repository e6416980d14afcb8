// The only reader of process.env: every setting, its default and its bounds.
import { z } from 'zod';
import { checkOrigins } from '../http/cors.ts';
import { parseNetworks } from './client-address.ts';
import {
  databaseUrl,
  days,
  flag,
  isTrustedAddress,
  listOf,
  number,
  oneOf,
  plainText,
  readDisplayHint,
  readText,
  seconds,
  shown,
  wholeNumber,
} from './setting-types.ts';

export const defaultInvitationDays = 14;

const settings = z.object({
  HOST: plainText.default('127.0.0.1').describe('Address to listen on'),
  PORT: wholeNumber(0, 65535).default(4000).describe('Port to listen on'),
  METRICS_PORT: wholeNumber(0, 65535)
    .optional()
    .describe('Port that serves `/metrics` for Prometheus; without it nothing does. Let only your monitoring reach it'),
  METRICS_HOST: plainText.default('127.0.0.1').describe('Address that `/metrics` listens on'),
  DATABASE_URL: databaseUrl.optional().describe('PostgreSQL 15 or newer; without it an embedded server is used'),
  DATABASE_DIRECT_URL: databaseUrl
    .optional()
    .describe('Where migrations and commands go, past the pooler that DATABASE_URL leads to'),
  DATABASE_POOLER: oneOf('none', 'transaction')
    .default('none')
    .describe(
      '`transaction` when DATABASE_URL leads to a PgBouncer in transaction mode: no prepared statements, no settings of a session',
    ),
  DATABASE_REPLICA_URL: databaseUrl
    .optional()
    .describe('A streaming replica to read from when it is recent enough; one server'),
  REPLICA_MAX_LAG: number('a number above 0, 3600 at most', (value) => value > 0 && value <= 3600)
    .default(10)
    .describe('Seconds that the replica may be behind before it is passed by; nobody misses a write of their own'),
  MUSTER_DATA_DIR: plainText.default('.muster').describe('Folder of the embedded server'),
  POOL_SIZE: wholeNumber(1, 500)
    .default(10)
    .describe('Connections to the database, half of them for writing, shared out among the workers'),
  SEARCH_POOL_SIZE: wholeNumber(1, 100)
    .default(4)
    .describe('Connections beside those for searches that take long, and as many for short ones, shared out likewise'),
  SEARCHES_PER_SPACE: wholeNumber(1, 100)
    .default(2)
    .describe('Searches that a space may have under way at once here, shared out likewise; others wait for their turn'),
  WORKERS: shown(
    readText('auto, or a whole number between 1 and 128', (text) =>
      text === 'auto' ? ('auto' as const) : wholeNumber(1, 128).safeParse(text).data,
    ),
  )
    .default(1)
    .describe('Processes that serve, on one port; `auto` for as many as there are cores'),
  BUCKET_CAPACITY: number('a number of at least 1', (value) => value >= 1)
    .default(100)
    .describe('Points that the bucket of a space can hold'),
  BUCKET_REFILL: number('a number above 0', (value) => value > 0)
    .default(10)
    .describe('Points that flow into a bucket per second'),
  GRAPHIQL: flag.default(true).describe('Serve GraphiQL at /graphql'),
  DOCS: flag.default(true).describe('Serve the REST reference at /docs and the guide at /docs/guide'),
  EXPLORE: flag.default(true).describe('Serve the front page at / and the segment builder at /explore'),
  CORS_ORIGINS: shown(listOf(checkOrigins)).describe(
    'Origins whose pages may use both doors from a browser, such as https://app.example.org, separated by commas; `*` for every origin, none by default',
  ),
  OIDC_ISSUER: shown(
    readText(
      'a URL that begins with https:// (http:// for localhost alone), without a query, such as https://login.example.org/realms/association',
      (text) => (isTrustedAddress(text) && !/[?#]/.test(text) ? text : undefined),
    ),
  )
    .optional()
    .describe('The provider of OpenID Connect whose tokens are accepted beside our own, written as in their `iss`'),
  OIDC_AUDIENCE: plainText.optional().describe('What `aud` of these tokens must contain'),
  OIDC_USER_CLAIM: oneOf('email', 'sub')
    .default('email')
    .describe(
      'How a person becomes known: `email` by the verified mail of their first token, `sub` by `muster user link` alone',
    ),
  OIDC_SPACE_CLAIM: plainText.optional().describe('The claim with the number of the space, if there is one'),
  TRUSTED_DOCUMENTS: oneOf('off', 'too', 'only')
    .default('off')
    .describe(
      '`only` executes no GraphQL document but those of TRUSTED_DOCUMENTS_FILE, `too` lets clients name them by their hash as well',
    ),
  TRUSTED_DOCUMENTS_FILE: plainText
    .optional()
    .describe('The list of trusted documents: a JSON object of SHA-256 hashes and documents, read at the start'),
  INVITATION_DAYS: wholeNumber(1, 365)
    .default(defaultInvitationDays)
    .describe('Days until the secret of an invitation expires'),
  INVITATION_URL: shown(
    readText('an address with {secret}, such as https://app.example.org/join#{secret}', (text) =>
      /^https?:/.test(text) && URL.canParse(text) && text.includes('{secret}') ? text : undefined,
    ),
  )
    .optional()
    .describe(
      'The page of an app that takes the secret of an invitation, such as `https://app.example.org/join#{secret}`; `inviteUsers` then answers with links to it',
    ),
  SETUP_NAME: z.string().optional().describe('`muster setup`: the name of the organisation'),
  SETUP_MAIL: z.string().optional().describe('`muster setup`: the mail of the first user'),
  SETUP_FIRST_NAME: z.string().optional().describe('`muster setup`: the first name of the first user'),
  SETUP_LAST_NAME: z.string().optional().describe('`muster setup`: the last name of the first user'),
  SOURCE_TOKEN: z
    .string()
    .min(1)
    .optional()
    .describe('`muster move-in --from`: the access token of the server that is read'),
  TRUSTED_PROXIES: shown(listOf(parseNetworks)).describe(
    'Proxies in front, as addresses or networks such as 10.0.0.0/8, separated by commas: of these `X-Forwarded-For` is believed',
  ),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .default('info')
    .describe('How much to log'),
  RETENTION_DELETED_DAYS: days
    .default('never')
    .describe('Days after which deleted contacts and records are deleted for good; 0 or `never` keeps them'),
  RETENTION_IMPORT_DAYS: days
    .default(90)
    .describe(
      'Days after which imports lose their copies of rows, and imports of contacts can no longer be undone; 0 or `never` keeps them',
    ),
  RETENTION_AUDIT_DAYS: days
    .default(730)
    .describe('Days after which lines of the audit log are deleted; 0 or `never` keeps them'),
  RETENTION_CHANGE_DAYS: days
    .default(30)
    .describe('Days after which changes and ended deliveries of webhooks are deleted; 0 or `never` keeps them'),
  WEBHOOK_PRIVATE_ADDRESSES: flag
    .default(false)
    .describe('Whether webhooks may go to addresses of the own network, to any port, and over http'),
  WEBHOOK_TIMEOUT_SECONDS: number('a number from 1 to 20', (value) => value >= 1 && value <= 20)
    .default(10)
    .describe('How long a receiver of webhooks may take to answer'),
  WEBHOOK_RETRY_SECONDS: number('a number above 0, 3600 at most', (value) => value > 0 && value <= 3600)
    .default(5)
    .describe('The pause after the first failed attempt of a delivery; it doubles after each, up to 6 hours'),
  WEBHOOK_RETRY_DAYS: number('a number above 0, 30 at most', (value) => value > 0 && value <= 30)
    .default(3)
    .describe('Days after which a delivery is given up'),
  WEBHOOK_DISABLE_DAYS: number('a number above 0, 90 at most', (value) => value > 0 && value <= 90)
    .default(5)
    .describe('Days without one success after which a webhook is disabled'),
  JOBS: oneOf('on', 'off')
    .default('on')
    .describe(
      'Whether it does background work: the change feed, webhooks, watched segments, large changes of contacts, imports of sent files; with `off` another instance must',
    ),
  DRAIN_SECONDS: seconds.default(10).describe('How long a stop waits for requests under way, `DRAIN_DELAY` included'),
  DRAIN_DELAY: seconds
    .optional()
    .describe(
      'Seconds of a stop in which requests are still taken while `/health/ready` says 503: 5 with several workers or `--behind-proxy`, else 0',
    ),
});

const checkedSettings = settings.superRefine((set, context) => {
  const { DATABASE_URL, OIDC_ISSUER, OIDC_AUDIENCE, OIDC_SPACE_CLAIM, TRUSTED_DOCUMENTS_FILE } = set;
  const fault = (name: string, message: string): void => context.addIssue({ code: 'custom', path: [name], message });
  if (set.PORT !== 0 && set.METRICS_PORT === set.PORT && set.METRICS_HOST === set.HOST)
    fault('METRICS_PORT', 'must differ from PORT, or METRICS_HOST from HOST');
  if (set.DATABASE_POOLER !== 'none' && !(DATABASE_URL && set.DATABASE_DIRECT_URL))
    fault('DATABASE_POOLER', 'needs DATABASE_URL, and DATABASE_DIRECT_URL for migrations, which a pooler cannot carry');
  if (set.DATABASE_DIRECT_URL && !DATABASE_URL)
    fault(
      'DATABASE_DIRECT_URL',
      'needs DATABASE_URL: without it, the server uses the embedded database, and commands another one',
    );
  if (set.DATABASE_REPLICA_URL && !DATABASE_URL)
    fault('DATABASE_REPLICA_URL', 'needs DATABASE_URL: the embedded server has no replica');
  if (OIDC_ISSUER && !OIDC_AUDIENCE)
    fault(
      'OIDC_ISSUER',
      'needs OIDC_AUDIENCE: without it, tokens for any other service of the provider would be accepted',
    );
  const idle = { OIDC_AUDIENCE, OIDC_SPACE_CLAIM, OIDC_USER_CLAIM: set.OIDC_USER_CLAIM !== 'email' };
  for (const [name, isSet] of Object.entries(idle))
    if (isSet && !OIDC_ISSUER) fault(name, 'has no effect without OIDC_ISSUER');
  if (set.TRUSTED_DOCUMENTS !== 'off' && !TRUSTED_DOCUMENTS_FILE)
    fault('TRUSTED_DOCUMENTS', 'needs TRUSTED_DOCUMENTS_FILE');
  if (set.TRUSTED_DOCUMENTS === 'off' && TRUSTED_DOCUMENTS_FILE)
    fault('TRUSTED_DOCUMENTS_FILE', 'has no effect while TRUSTED_DOCUMENTS is off: set that to only or too');
});

export type Config = z.infer<typeof settings>;

/** The settings of an environment, or the faults of those that cannot be used, by their names. */
export const checkConfig = (
  env: NodeJS.ProcessEnv,
): { config: Config } | { faults: [name: string, fault: string][] } => {
  const given = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, env[name] || undefined]));
  const result = checkedSettings.safeParse(given);
  if (result.success) return { config: result.data };
  return { faults: result.error.issues.map(({ path, message }) => [path.join('.'), message]) };
};

/** The settings of this process. Throws an Error that lists every setting at fault. */
export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => {
  const checked = checkConfig(env);
  if ('config' in checked) return checked.config;
  const faults = checked.faults.map(([name, fault]) => `  ${name} ${fault}`);
  throw new Error(`These settings cannot be used:\n${faults.join('\n')}`);
};

/** The days of each kind, null for good. */
export const readRetention = (config: Config) => {
  const read = (value: number | 'never'): number | null => (value === 'never' || value === 0 ? null : value);
  return {
    deleted: read(config.RETENTION_DELETED_DAYS),
    imports: read(config.RETENTION_IMPORT_DAYS),
    audit: read(config.RETENTION_AUDIT_DAYS),
    changes: read(config.RETENTION_CHANGE_DAYS),
  };
};

/**
 * The share of the instance's connections for each of several workers, rounded up. It is never less than two
 * writers and two readers need side by side, and never so few search connections that one space could take them all.
 */
export const divideByWorkers = (config: Config, workers: number) => {
  const share = (total: number, least: number): number => Math.max(Math.min(least, total), Math.ceil(total / workers));
  return {
    POOL_SIZE: share(config.POOL_SIZE, 4),
    SEARCH_POOL_SIZE: share(config.SEARCH_POOL_SIZE, 2),
    SEARCHES_PER_SPACE: share(config.SEARCHES_PER_SPACE, 1),
  };
};

/** Name, default and meaning of each setting, for the documentation, and how its value is shown. */
export const settingRows = Object.entries(settings.shape).map(([name, schema]) => ({
  name,
  fallback: settings.safeParse({}).data?.[name as keyof Config],
  meaning: schema.description ?? '',
  shown: readDisplayHint(schema),
}));
