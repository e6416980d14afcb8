// Writes the list of the decisions.
import { readdirSync, readFileSync } from 'node:fs';
import { formatMarkdownTable, made } from './format.ts';

const folder = 'docs/decisions/';

export const writeDecisionsPage = (): string => {
  const rows = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const text = readFileSync(folder + name, 'utf8');
      const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? [];
      return [
        number,
        `[${title}](decisions/${name})`,
        /^Status: (\w+)/m.exec(text)?.[1],
        /^Date: (\S+)/m.exec(text)?.[1],
      ];
    });
  return `# Decisions

${made}

Why Muster is as it is: one page for each decision that a newcomer would question. Each says what holds now. How the parts work is in the pages on [requests](design/request.md), [search](design/search.md), [writes](design/writes.md), [events](design/events.md) and [scale](design/scale.md).

${formatMarkdownTable(['Number', 'Decision', 'Status', 'Date'], rows)}
`;
};
