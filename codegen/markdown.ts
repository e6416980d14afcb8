// Shared parts of the pages that are derived from the code.
import { derivedNote } from '../src/guide/contents.ts';

export const made = derivedNote;

/** Formats a Markdown table. */
export const formatMarkdownTable = (head: string[], rows: unknown[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => String(cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
