// Reads the options of an import that a request names, and finds all of their faults.
import { z } from 'zod';
import { readJsonBody } from '../http/body.ts';
import { dayOrders } from '../import/days.ts';
import { encodingNames } from '../import/encoding.ts';
import { limits } from '../limits/limits.ts';
import { createInvalidProblem, type Fault } from '../problem.ts';

const column = z.string('must be a text').max(limits.value.lineCharacters, 'is too long');
const flag = z.boolean('must be true or false').default(false);
const Options = z.strictObject({
  map: z.record(z.string(), column, 'must be an object: the meaning of each column, by its name').optional(),
  mode: z.enum(['upsert', 'create'], 'must be upsert or create').default('upsert'),
  days: z.enum(dayOrders, `must be one of ${dayOrders.join(', ')}`).default('ymd'),
  dates: z.literal('excel', 'must be excel').optional(),
  country: z
    .string('must be the code of a country, such as FR')
    .regex(/^[A-Za-z]{2}$/, 'must be the code of a country, such as FR')
    .toUpperCase()
    .optional(),
  encoding: z.enum(encodingNames, `must be one of ${encodingNames.join(', ')}`).optional(),
  delimiter: z
    .string('must be one character, such as ;')
    .regex(/^[^"\r\n]$/, 'must be one character, such as ;')
    .optional(),
  headerLine: z.int('must be a line').min(1, 'must be a line').max(1_000_000, 'must be a line').optional(),
  skipCells: flag,
  liftOptOuts: flag,
  keepPlaceholders: flag,
});
export type ImportOptions = z.infer<typeof Options>;

const readValue = (body: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], body);

/** Throws 400 with every fault of the options. */
export const readImportOptions = async (request: Request): Promise<ImportOptions> => {
  const body = await readJsonBody(request, limits.request.bodyBytes);
  const result = Options.safeParse(body);
  if (result.success) return result.data;
  throw createInvalidProblem(
    result.error.issues.flatMap((issue): Fault[] => {
      const location = ['body', ...issue.path].join('.');
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map((key) => ({
          location: `${location}.${key}`,
          message: `is not an option: they are ${Object.keys(Options.shape).join(', ')}`,
        }));
      const message = issue.path.length === 0 ? 'must be an object' : issue.message;
      return [{ location, message, value: readValue(body, issue.path) }];
    }),
  );
};
