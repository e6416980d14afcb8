// The types of settings: how the text of each is read, what a refusal says is allowed, and how its value is shown.
import { z } from 'zod';

/** The text without the passwords of addresses in it. */
export const hidePasswords = (text: string): string => text.replace(/\/\/[^/\s:@]*:[^/\s]*@/g, '//***@');

/** A setting whose text `read` understands, or that is refused with what is allowed. Secret texts are not repeated. */
export const readText = <Value>(allowed: string, read: (text: string) => Value | undefined, isSecret = false) =>
  z.string().transform((text, context): Value => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({
      code: 'custom',
      message: `must be ${allowed}${isSecret ? '' : `, but is ${hidePasswords(text)}`}`,
    });
    return z.NEVER;
  });

/**
 * How `muster config` shows the value of a setting: `plain`, or `url` without its password. A setting that does not say is hidden, so that a new secret
 * cannot be forgotten.
 */
type Shown = 'plain' | 'url';
export const shown = <Schema extends z.ZodType>(schema: Schema, how: Shown = 'plain'): Schema =>
  schema.meta({ shown: how });
export const plainText = shown(z.string().min(1));

export const number = (allowed: string, isAllowed: (value: number) => boolean) =>
  shown(
    readText(allowed, (text) => {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      return Number.isFinite(value) && isAllowed(value) ? value : undefined;
    }),
  );
export const wholeNumber = (lowest: number, highest: number) =>
  number(
    `a whole number between ${lowest} and ${highest}`,
    (value) => Number.isInteger(value) && value >= lowest && value <= highest,
  );
export const seconds = number('a number between 0 and 300', (value) => value >= 0 && value <= 300);

export const oneOf = <const Name extends string>(...names: Name[]) =>
  shown(readText(`one of ${names.join(', ')}`, (text) => names.find((name) => name === text)));
export const flag = shown(
  readText('true or false', (text) =>
    ['true', '1'].includes(text) ? true : ['false', '0'].includes(text) ? false : undefined,
  ),
);
export const databaseUrl = shown(
  readText(
    'a URL such as postgresql://user:password@host:5432/database',
    (text) => (/^(postgres|postgresql|socket):/.test(text) && URL.canParse(text) ? text : undefined),
    true,
  ),
  'url',
);

/** Days that something is kept: 0 and `never` keep it for good. */
export const days = shown(
  readText('never, or a whole number between 0 and 36500', (text) =>
    text === 'never' ? ('never' as const) : wholeNumber(0, 36_500).safeParse(text).data,
  ),
);
/** Whether answers from an address can be believed: without encryption only from this machine. */
export const isTrustedAddress = (text: string): boolean => {
  if (!URL.canParse(text) || /\s/.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username || password) return false;
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
};

/** Entries separated by commas. `check` throws an Error for a bad one. */
export const listOf = (check: (entries: readonly string[]) => unknown) =>
  z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
    )
    .superRefine((entries, context) => {
      try {
        check(entries);
      } catch (error) {
        context.addIssue({ code: 'custom', message: `cannot be used: ${hidePasswords((error as Error).message)}` });
      }
    });

/** How the innermost schema that says so wants its value shown. */
export const readDisplayHint = (schema: z.ZodType): Shown | 'hidden' => {
  const own = (schema.meta() as { shown?: Shown } | undefined)?.shown;
  if (own) return own;
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType ? readDisplayHint(innerType) : 'hidden';
};
