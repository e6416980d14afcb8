// Writes the codes of problems for the TypeScript client, so that a misspelt code is an error of the compiler.
import { problems } from '../src/problem.ts';

export const writeClientProblems = (note: string): string => `// ${note}

/** The code of each problem, and the HTTP status that it has. */
export const problemStatuses = {
${Object.entries(problems)
  .map(([code, [status, , when]]) => `  /** ${when} */\n  '${code}': ${status},\n`)
  .join('')}} as const;
`;
