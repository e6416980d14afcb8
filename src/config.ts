// The only reader of process.env: every setting, its default and its bounds.
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65535);
const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

const settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  PORT: port.default(4000).describe('Port to listen on'),
  DATABASE_URL: z.url().optional().describe('PostgreSQL 15 or newer; without it an embedded server is used'),
  MUSTER_DATA_DIR: z.string().min(1).default('.muster').describe('Folder of the embedded server'),
  POOL_SIZE: z.coerce.number().int().min(1).max(500).default(10).describe('Connections to the database'),
  SEARCH_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(4)
    .describe('Connections beside those, for searches alone'),
  SEARCHES_PER_SPACE: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(2)
    .describe('Searches that a space may have under way at once in this process; others wait for their turn'),
  BUCKET_CAPACITY: z.coerce.number().min(1).default(100).describe('Tokens that the bucket of a space can hold'),
  BUCKET_REFILL: z.coerce.number().positive().default(10).describe('Tokens that flow into a bucket per second'),
  GRAPHIQL: flag.default(true).describe('Serve GraphiQL at /graphql'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('How much to log'),
  DRAIN_SECONDS: z.coerce.number().min(0).max(300).default(10).describe('How long a stop waits for requests under way'),
});

export type Config = z.infer<typeof settings>;

/** The settings of this process. Throws an Error that lists every setting at fault. */
export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => {
  const given = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, env[name] || undefined]));
  const result = settings.safeParse(given);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`These settings cannot be used:\n${faults.join('\n')}`);
};

/** Name, default and meaning of each setting, for the documentation. */
export const settingRows = Object.entries(settings.shape).map(([name, schema]) => ({
  name,
  fallback: settings.safeParse({}).data?.[name as keyof Config],
  meaning: schema.description ?? '',
}));
