// In charge of the place of a table in a file that has other things in it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Writes a text between the markers of its section; at the end of the file when they are not there yet. */
export const writeSection = (file: string, name: string, text: string): void => {
  const before = existsSync(file)
    ? readFileSync(file, 'utf8')
    : '# Benchmarks\n\nEach section says how it was made, and on which machine.\n';
  const marks = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`] as const;
  const [begin, end] = [before.indexOf(marks[0]), before.indexOf(marks[1])];
  const section = `${marks[0]}\n${text}\n${marks[1]}`;
  const whole =
    begin >= 0 && end > begin
      ? before.slice(0, begin) + section + before.slice(end + marks[1].length)
      : `${before.trimEnd()}\n\n${section}\n`;
  writeFileSync(file, whole);
};
