// Sizes of runs: no test is lost between them, and samples nest.
import { describe, expect, it } from 'vitest';
import { findProject, listTestFiles } from './projects.ts';
import { drawSampleFor, drawShareFor, inEachShare, leftOutOfSmall, readShares, readSize, type Size } from './sizes.ts';

const names = (size: Size): string[] => listTestFiles(size).map((path) => path.split('/test/').at(-1)!);

describe('a file', () => {
  it('that npm test leaves out is in the rest, and in all', () => {
    const all = names('all');
    expect(all.length).toBeGreaterThan(250);
    expect([...new Set([...names('small'), ...names('rest')])].sort()).toEqual(all.sort());
    expect(names('thorough').sort()).toEqual(all);
    expect(names('small').length).toBeLessThan(all.length);
  });

  it('is left out, or in each share, by a name that exists', () => {
    const all = names('all');
    expect([...leftOutOfSmall, ...inEachShare].filter((start) => !all.some((path) => path.startsWith(start)))).toEqual(
      [],
    );
  });

  it('is in the rest, too, when its tests depend on the size', () => {
    expect(names('rest')).toContain('harness/sizes.test.ts');
  });

  it('is in one of the shares of a run, which take about as long as each other', () => {
    const files = Array.from({ length: 60 }, (_, place) => `some/file-${place}.`);
    const secondsOf = (file: string) => Number(/\d+/.exec(file));
    const drawn = Array.from({ length: 40 }, (_, index) =>
      drawShareFor(`commit ${index}`, [...files, ...inEachShare], 4, secondsOf),
    );
    const shares = [...new Map(drawn.map((share) => [share.join(), share])).values()];
    expect(shares).toHaveLength(4);
    const ofOne = shares.flatMap((share) => share.filter((file) => !inEachShare.includes(file)));
    expect(ofOne.sort()).toEqual([...files].sort());
    for (const share of shares) {
      expect(share).toEqual(expect.arrayContaining(inEachShare));
      const seconds = share.reduce((sum, file) => sum + secondsOf(file), 0);
      expect(Math.abs(seconds - (60 * 59) / 2 / 4)).toBeLessThan(40);
    }
    expect(drawShareFor('a', files, 1, secondsOf).sort()).toEqual([...files].sort());
  });

  it('is in a project by what it imports', () => {
    const files = listTestFiles('all');
    const find = (name: string) => findProject(files.find((path) => path.endsWith(`/test/${name}.test.ts`))!);
    expect(find('harness/sizes')).toBe('unit');
    expect(find('house/house')).toBe('unit');
    expect(find('contract/note')).toBe('app');
    expect(find('contract/shown')).toBe('app');
    expect(find('faults/server')).toBe('process');
    expect(find('embedded-server/server')).toBe('process');
    expect(find('pages/explore')).toBe('browser');
    expect(find('data/contact-locks')).toBe('mocks');
  });
});

describe('a sample', () => {
  const cases = Array.from({ length: 41 }, (_, place) => place);
  const sample = (size: Size, seed = 'a'): number[] => drawSampleFor(size, seed, cases, { small: 8, all: 2 });

  it('of a size is in that of each larger one, and the rest draws as all does', () => {
    expect([sample('small').length, sample('all').length]).toEqual([6, 21]);
    expect(sample('rest')).toEqual(sample('all'));
    expect(sample('thorough')).toEqual(cases);
    expect(sample('all')).toEqual(expect.arrayContaining(sample('small')));
  });

  it('is the same for a seed, and seeds together have every case', () => {
    expect(sample('small')).toEqual(sample('small'));
    const drawn = Array.from({ length: 100 }, (_, index) => sample('small', `commit ${index}`));
    expect([...new Set(drawn.flat())].length).toBe(cases.length);
  });
});

it('a size or a number of shares that does not exist is refused', () => {
  for (const wrong of ['0', '1.5', 'two', '']) expect(() => readShares(wrong)).toThrow('from 1 to 99');
  expect(() => readSize('tiny')).toThrow('TEST_SIZE is one of small, rest, all, thorough, and not tiny');
});
