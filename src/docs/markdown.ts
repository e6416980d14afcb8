// What the pages of the documentation that are made from the code have in common.

export const made = 'Made by `npm run codegen`; change its source instead.';

/** A table of Markdown. */
export const formatMarkdownTable = (head: string[], rows: unknown[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => String(cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
