// Writes a table into its section of a Markdown file, and says what it was measured on.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listMigrations } from '../../src/database/migrate.ts';
import { locatePackageFile } from '../../src/database/package-file.ts';

/** The digest of the graph and of all migrations: what a table was measured on is another thing when it has changed. */
export const digestSchema = (): string => {
  const parts = listMigrations().map(({ name, checksum }) => `${name} ${checksum}\n`);
  const graph = readFileSync(locatePackageFile('schema/schema.graphql'), 'utf8');
  return createHash('sha256').update(parts.join('')).update(graph).digest('hex').slice(0, 8);
};

/** The commit of this tree. Tables that were just written into the docs do not make it another one. */
const describeCommit = (): string => {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: fileURLToPath(locatePackageFile('./')), encoding: 'utf8' }).trim();
  return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--', '.', ':!docs') && '-dirty');
};

/** Writes a text between the markers of its section, or at the end of a file without these markers, and below it what it was measured on. */
export const writeSection = (file: string, name: string, text: string): void => {
  const before = existsSync(file)
    ? readFileSync(file, 'utf8')
    : '# Benchmarks\n\nEach section names its command and its machine.\n';
  const marks = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`] as const;
  const [begin, end] = [before.indexOf(marks[0]), before.indexOf(marks[1])];
  const measuredOn = `Measured at commit ${describeCommit()}, schema ${digestSchema()}.`;
  const section = `${marks[0]}\n${text}\n\n${measuredOn}\n${marks[1]}`;
  const whole =
    begin >= 0 && end > begin
      ? before.slice(0, begin) + section + before.slice(end + marks[1].length)
      : `${before.trimEnd()}\n\n${section}\n`;
  writeFileSync(file, whole);
};

/** Prints a text, and writes it into its section of the file, if there is one. */
export const printSection = (name: string, text: string, file?: string): void => {
  console.log(text);
  if (file) writeSection(file, name, text);
};
