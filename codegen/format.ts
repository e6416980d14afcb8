// Formats what derived files consist of: their note, tables of Markdown, and JSON for people, where what fits on a line stands on one.
import { derivedNote } from '../packages/pages/guide/contents.ts';

export const made = derivedNote;

/** Formats a Markdown table. */
export const formatMarkdownTable = (head: string[], rows: unknown[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => String(cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

const width = 300;

/** The JSON of a value. Objects and lists that fit the rest of a line are not broken. */
export const formatJson = (value: unknown, indent = ''): string => {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= width) return line;
  const inner = `${indent} `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => `${inner}${formatJson(item, inner)}`)
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${inner}${JSON.stringify(name)}: ${formatJson(member, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
};
