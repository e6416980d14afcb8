// The rule of links: where a file is, which address was clicked.
import { prose } from './text.ts';

const limit = 2048;
/** Two slashes, or a slash and a backslash, would name a server. */
const isPath = (text: string): boolean => /^\/(?![/\\])[^\s\p{Cc}]*$/u.test(text);
const isWeb = (text: string): boolean => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);

/** An address of http or https, or a path on the server that shows it. */
export const link = prose
  .refine((text) => text.length <= limit, { error: `must be at most ${limit} characters`, abort: true })
  .refine((text) => isPath(text) || isWeb(text), 'must be an http or https address, or a path that begins with /');
