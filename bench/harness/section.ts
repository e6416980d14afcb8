// Writes a table into its section of a Markdown file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Writes a text between the markers of its section, or at the end of a file without these markers. */
export const writeSection = (file: string, name: string, text: string): void => {
  const before = existsSync(file)
    ? readFileSync(file, 'utf8')
    : '# Benchmarks\n\nEach section names its command and its machine.\n';
  const marks = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`] as const;
  const [begin, end] = [before.indexOf(marks[0]), before.indexOf(marks[1])];
  const section = `${marks[0]}\n${text}\n${marks[1]}`;
  const whole =
    begin >= 0 && end > begin
      ? before.slice(0, begin) + section + before.slice(end + marks[1].length)
      : `${before.trimEnd()}\n\n${section}\n`;
  writeFileSync(file, whole);
};
