// Tables of benchmarks do not rot: each says of which version it is, or was measured on the schema that stands.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { digestSchema } from '../../bench/harness/section.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const released = [...readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## (\d+\.\d+\.\d+)\b/gm)].map(([, one]) => one);
const versions = new Set([version, ...released]);

const mark = `Of version ${version}, as it was on that day; measured again for each release.`;
const marked = /^Of version (\d+\.\d+\.\d+), as it was on that day; measured again for each release\.$/;
const stamped = /^Measured at commit [0-9a-f]{7,40}(?:-dirty)?, schema ([0-9a-f]{8})\.$/;

/** Says what is wrong with a section, or nothing. */
const findFault = (text: string): string | undefined => {
  const lines = text.split('\n').filter((line) => /^(Of version|Measured at)\b/.test(line));
  const [line = ''] = lines;
  const advice = `run the command that it names with --out, or write in it: ${mark}`;
  if (lines.length !== 1) return `has ${lines.length} lines that say what it was measured on, and not one: ${advice}`;
  const [of, schema] = [marked.exec(line)?.[1], stamped.exec(line)?.[1]];
  if (of) return versions.has(of) ? undefined : `is of version ${of}, which the changelog does not know: ${advice}`;
  if (!schema) return `says what it was measured on in other words: ${advice}`;
  return schema === digestSchema()
    ? undefined
    : `was measured on schema ${schema}, and that is now ${digestSchema()}: ${advice}`;
};

const sections = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => {
    const text = readFileSync(`docs/${name}`, 'utf8');
    const found = [...text.matchAll(/<!-- ([a-z-]+):begin -->\n(.*?)<!-- \1:end -->/gs)];
    // A marker without its other half would hide a section.
    expect(text.match(/<!-- [a-z-]+:(begin|end) -->/g) ?? []).toHaveLength(2 * found.length);
    return found.map(([, section, inner]) => ({ name: `${section} in docs/${name}`, text: inner! }));
  });

it.each(sections)('the section $name says what it was measured on', ({ text }) => {
  expect(findFault(text)).toBeUndefined();
});

describe('a section', () => {
  it('of this schema or of a known version is right', () => {
    expect(findFault(`text\n\nMeasured at commit abc1234-dirty, schema ${digestSchema()}.\n`)).toBeUndefined();
    expect(findFault(`${mark}\n\ntext\n`)).toBeUndefined();
  });

  it.each([
    ['text', /^has 0 lines/],
    [`${mark}\n${mark}`, /^has 2 lines/],
    ['Measured at commit abc1234, schema 00000000.', /^was measured on schema 00000000/],
    ['Measured at commit abc1234.', /in other words/],
    ['Of version 0.1.0.', /in other words/],
    [mark.replace(version, '99.0.0'), /^is of version 99\.0\.0/],
  ])('such as %j is wrong', (text, fault) => {
    expect(findFault(text)).toMatch(fault);
  });
});
