// Writes a page for each code of the error table: what it means, why it occurs, what to do, and an example.
import { type ProblemCode, problems } from '../src/problem.ts';
import { made } from './markdown.ts';
import type { Example } from './problem-example.ts';
import { problemHelp } from './problem-help.ts';

const listItems = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

const retries = {
  no: 'No: the same request gets the same answer.',
  yes: 'Yes: the same request may succeed later.',
  'after a change': 'Only after a change: of the request, or of what it refers to.',
} as const;

const formatExample = ({ request, answer }: Example): string => `
## Example

\`\`\`${/^[A-Z]+ \//.test(request) ? 'http' : 'graphql'}
${request}
\`\`\`

answers, with an \`instance\` of its own each time:

\`\`\`json
${JSON.stringify(answer, null, 2)}
\`\`\`
`;

const writeProblemPage = (code: ProblemCode): string => {
  const [status, title, when] = problems[code];
  const { causes, remedies, retry, example } = problemHelp[code];
  return `# ${title}

${made}

\`${code}\`, status ${status}. ${when}

## Why it occurs

${listItems(causes)}

## What to do

${listItems(remedies)}

Is it worth sending again? ${retries[retry]}
${example ? formatExample(example) : ''}
[All errors](../errors.md)
`;
};

/** The path of each page, and how it is written. */
export const problemPages = (Object.keys(problems) as ProblemCode[]).map((code): [path: string, make: () => string] => [
  `docs/errors/${code}.md`,
  () => writeProblemPage(code),
]);
