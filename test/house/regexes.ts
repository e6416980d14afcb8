// Lints the regular expressions of the program and the client: none may take longer than its text is long. `npm run lint` runs it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from '@babel/parser';
import { checkSync, type VulnerableDiagnostics } from 'recheck';
import { listFiles, type Node, root, visitNodes } from './tree.ts';

/** Files that make regular expressions while they run, of fixed texts: what the check cannot read. */
const composed: Record<string, string> = {
  'src/rest/router.ts': 'the paths of the route table, whose parameters end at a slash',
  'packages/embedded-server/cluster-files.ts': 'a name of a user and classes without their separator',
  'src/import/read-contacts.ts': 'names of lists',
};

/** In milliseconds: a text of 50,000 characters takes far less when the time is linear, and seconds when it is not. */
const slow = 200;

/** Whether the text that was found takes long indeed. The automaton proves it; the fuzzer, which reads what the automaton cannot, guesses. */
const isSlow = ({ pattern, flags }: Node, { checker, complexity, attack }: VulnerableDiagnostics): boolean => {
  if (checker === 'automaton' || complexity.type === 'exponential') return true;
  const begun = performance.now();
  attack.string.replace(new RegExp(pattern as string, flags as string), '');
  return performance.now() - begun > slow;
};

/** The regular expressions of a source file that are faulty, each as a sentence with its line. */
export const findSlowRegexes = (path: string, text: string): string[] => {
  const faults: string[] = [];
  const { program } = parse(text, {
    sourceType: 'module',
    plugins: ['typescript', 'explicitResourceManagement', ...(path.endsWith('.tsx') ? (['jsx'] as const) : [])],
  });
  visitNodes(program as unknown as Node, (node) => {
    const { line } = (node.loc as { start: { line: number } }).start;
    if (node.type === 'RegExpLiteral') {
      // Without a repetition that has no end it takes a fixed time at each place.
      if (!/[*+]|\{\d+,\}/.test(node.pattern as string)) return;
      const found = checkSync(node.pattern as string, node.flags as string, { timeout: 60_000 });
      if (found.status === 'vulnerable' && isSlow(node, found))
        faults.push(
          `${path}:${line} /${node.pattern}/${node.flags}: ${found.complexity.summary}, as for ${found.attack.pattern}`,
        );
      else if (found.status === 'unknown')
        faults.push(`${path}:${line} /${node.pattern}/${node.flags}: cannot be checked: ${found.error.kind}`);
    } else if (
      ['NewExpression', 'CallExpression'].includes(node.type) &&
      (node.callee as { name?: string }).name === 'RegExp' &&
      !(path in composed)
    )
      faults.push(`${path}:${line}: write a literal, which can be checked, or add the file to test/house/regexes.ts`);
  });
  return faults;
};

/** The faults of all files. */
export const checkRegexes = (): string[] =>
  ['.ts', '.tsx'].flatMap((ending) =>
    listFiles(['src', 'packages', 'schema', 'clients'], ending).flatMap((path) =>
      findSlowRegexes(path, readFileSync(join(root, path), 'utf8')),
    ),
  );

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const faults = checkRegexes();
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
