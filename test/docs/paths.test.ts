// The documentation names files that exist, links to pages that exist, and every decision has a number, a status and a date.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listSections, listTargets } from '../../packages/pages/guide/markdown.ts';

/** Tracked files, and new ones that are not ignored. */
const listFiles = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

const repository = listFiles();
const folders = new Set(repository.flatMap((file) => listParents(file)));
const roots = new Set(repository.filter((file) => file.includes('/')).map((file) => file.split('/')[0]!));
const pages = repository.filter((file) => /^(ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/.*\.md$/.test(file));
const decisions = pages.filter((file) => file.startsWith('docs/decisions/'));

function listParents(file: string): string[] {
  const parent = dirname(file);
  return parent === '.' ? [] : [parent, ...listParents(parent)];
}

/** Code in backquotes, without blocks of code: these contain examples of other files. */
const listInlineCode = (text: string): string[] =>
  [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);

/** Paths of this repository: below a folder of its root, or the bare name of a source file. `*` and `<noun>` stand for any name. */
const listPaths = (text: string): string[] =>
  listInlineCode(text)
    .flatMap((code) => code.split(/\s+/))
    .filter((word) => /^[\w.*<>/-]+$/.test(word))
    .filter((word) =>
      word.includes('/') ? roots.has(word.split('/')[0]!) : /^[\w*<>-][\w.*<>-]*\.(ts|sql|graphql|md)$/.test(word),
    );

const isThere = (path: string): boolean => {
  const parts = path.replace(/\/$/, '').split(/\*|<\w+>/);
  const pattern = parts.map((part) => part.replace(/[.\\-]/g, '\\$&')).join('[^/]+');
  const whole = new RegExp(path.includes('/') ? `^${pattern}$` : `(^|/)${pattern}$`);
  return repository.some((file) => whole.test(file)) || [...folders].some((folder) => whole.test(folder));
};

/** Targets of relative links, as paths of this repository. */
const listLinks = (page: string, text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) =>
    normalize(join(dirname(page), target!)),
  );

describe('paths in the documentation', () => {
  it.each(pages)('%s names files that exist', (page) => {
    expect(listPaths(readFileSync(page, 'utf8')).filter((path) => !isThere(path))).toEqual([]);
  });

  it.each([...pages, 'README.md', 'SECURITY.md'])('%s links to pages that exist', (page) => {
    expect(listLinks(page, readFileSync(page, 'utf8')).filter((path) => !isThere(path))).toEqual([]);
  });

  it.each([...pages, 'README.md', 'SECURITY.md', 'CHANGELOG.md'])('%s links to headings that exist', (page) => {
    const broken = listTargets(readFileSync(page, 'utf8')).filter((target) => {
      const [path = '', anchor] = target.split('#');
      if (anchor === undefined || /^https?:/.test(path)) return false;
      const file = path === '' ? page : normalize(join(dirname(page), path));
      return !listSections(readFileSync(file, 'utf8')).some((section) => section.anchor === anchor);
    });
    expect(broken).toEqual([]);
  });

  it('are found wherever they are missing', () => {
    const text =
      'See `src/server/app.ts`, `app.ts`, `src/data/*/<noun>.ts`, `src/rest/*.graphql`, `src/data/` and `npx vitest run test/none.test.ts`; ' +
      '`none.ts`, `src/none/`, `src/rest/*.none`, `functions.sql`, `map.json`, `text/csv`, `select 1`.';
    const missing = ['test/none.test.ts', 'none.ts', 'src/none/', 'src/rest/*.none'];
    expect(listPaths(text).filter((path) => !isThere(path))).toEqual(missing);
    expect(listLinks('docs/a.md', '[b](decisions/none.md#part), [c](#c), [d](https://d.example)')).toEqual([
      'docs/decisions/none.md',
    ]);
  });
});

/** What is wrong with the head of a decision, which stands below its title. */
const findHeadFaults = (file: string, text: string): string[] => {
  const [, number, slash] = /(\d{4})-([\w-]+)\.md$/.exec(file) ?? [];
  const [title = '', , status = '', date = ''] = text.split('\n');
  return [
    ...(slash && title.startsWith(`# ${Number(number)}. `) ? [] : ['its title must begin with the number of its file']),
    ...(/^Status: (accepted|superseded by \[\d+\]\(\S+\))$/.test(status)
      ? []
      : ['its third line must be `Status: accepted` or `Status: superseded by [n](file)`']),
    ...(/^Date: \d{4}-\d{2}-\d{2}$/.test(date) ? [] : ['its fourth line must be `Date: YYYY-MM-DD`']),
  ];
};

/** Links of a head to later and to earlier decisions, as `earlier → later`. */
const listAmendments = (file: string, text: string, words: RegExp, isLater: boolean): string[] =>
  text
    .split('\n')
    .slice(0, 8)
    .filter((line) => words.test(line))
    .flatMap((line) => listLinks(file, line))
    .map((other) => (isLater ? `${file} → ${other}` : `${other} → ${file}`));

const findOneWayLinks = (texts: readonly (readonly [file: string, text: string])[]): string[] => {
  const from = (words: RegExp, isLater: boolean) =>
    texts.flatMap(([file, text]) => listAmendments(file, text, words, isLater));
  const forward = from(/^(Amended by:|Status: superseded by)/, true);
  const back = from(/^(Amends|Supersedes):/, false);
  return [...forward.filter((link) => !back.includes(link)), ...back.filter((link) => !forward.includes(link))].sort();
};

describe('decisions', () => {
  const texts = decisions.map((file) => [file, readFileSync(file, 'utf8')] as const);

  it('are numbered from 1 without gaps', () => {
    const numbers = decisions.map((file) => Number(/\d{4}/.exec(file)?.[0])).sort((one, two) => one - two);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it.each(texts)('%s has a title, a status and a date', (file, text) => {
    expect(findHeadFaults(file, text)).toEqual([]);
  });

  it('that amend or supersede each other say so on both pages', () => {
    expect(findOneWayLinks(texts)).toEqual([]);
  });

  it('without a status, a date or a link back are found', () => {
    expect(findHeadFaults('docs/decisions/0002-a.md', '# 3. A\n\nStatus: new\nDate: today\n')).toHaveLength(3);
    const [one, two] = ['docs/decisions/0001-a.md', 'docs/decisions/0002-b.md'];
    const amended = '# 1. A\n\nStatus: accepted\nDate: 2026-01-01\nAmended by: [2](0002-b.md)\n';
    const later = '# 2. B\n\nStatus: accepted\nDate: 2026-01-02\n';
    const pair = (text: string) => findOneWayLinks([[one, amended] as const, [two, text] as const]);
    expect(pair(later)).toEqual([`${one} → ${two}`]);
    expect(pair(`${later}Amends: [1](0001-a.md)\n`)).toEqual([]);
  });
});
