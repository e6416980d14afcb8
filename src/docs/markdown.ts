// Shared parts of the pages that are derived from the code.

export const made = 'Written by `npm run codegen`: change its source instead.';

/** Formats a Markdown table. */
export const formatMarkdownTable = (head: string[], rows: unknown[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => String(cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
