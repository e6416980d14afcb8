// The house: imports go down the layers of ARCHITECTURE.md and never in a circle, and files say what they are in charge of.
import { describe, expect, it } from 'vitest';
import { findCycles, findLayer, findUpwardImports, groupByFolder, groupByRoom, isLoose, readLayers } from './layers.ts';
import { isDerived, listFiles, readProgram, readSourceFile, readTests, type SourceFile } from './tree.ts';
import { countWords, findInvertedSentences, hasLeadingVerb, splitName, splitSentences } from './words.ts';

const files = readProgram();
const tests = readTests();
const layers = readLayers();
const file = (path: string, ...imports: string[]): SourceFile => ({
  path,
  imports,
  lines: 1,
  packages: [],
  functions: [],
  comments: [],
});

describe('imports', () => {
  it('go to the own layer or to one below', () => {
    expect(findUpwardImports(files, layers)).toEqual([]);
  });

  it('never go in a circle, nor do those of types, nor those of folders', () => {
    expect(findCycles(files)).toEqual([]);
    expect(findCycles(groupByFolder(files))).toEqual([]);
  });

  it('of the database driver stand where the database is spoken to', () => {
    const drivers = ['pg', 'knex', 'pg-copy-streams'];
    const strangers = files.filter(
      ({ path, packages }) =>
        !/^(codegen|packages|src\/(database|data))\//.test(path) && packages.some((name) => drivers.includes(name)),
    );
    expect(strangers.map(({ path }) => path)).toEqual([]);
  });

  it('of packages stay within the package, apart from the types of the attributes that the builder names', () => {
    const inPackage = (path: string): string => path.split('/').slice(0, 2).join('/');
    const leaving = files
      .filter(({ path }) => path.startsWith('packages/'))
      .flatMap(({ path, imports }) =>
        imports.filter((target) => inPackage(target) !== inPackage(path)).map((target) => `${path} → ${target}`),
      );
    expect(leaving).toEqual([
      'packages/pages/browser/search-labels.ts → src/search/attributes.ts',
      'packages/pages/browser/search-labels.ts → src/search/operators.ts',
    ]);
  });

  it('are read from static imports, dynamic ones, re-exports and types', () => {
    expect(readSourceFile('src/commands/command-line.ts').imports).toContain('src/commands/serve.ts');
    expect(readSourceFile('src/commands/export.ts').imports).toContain('src/rest/export.ts');
    expect(readSourceFile('test/search/mutants.test.ts').imports).toContain('src/data/search/find.ts');
  });

  it('upwards and in circles are found where there are some', () => {
    const [up, down] = ['src/server/app.ts', 'src/limits/limits.ts'];
    expect(findUpwardImports([file(up, down), file(down, up)], layers)).toEqual([`${down} → ${up}`]);
    expect(findCycles([file('a', 'b'), file('b', 'c', 'd'), file('c', 'a'), file('d')])).toEqual([['a', 'b', 'c']]);
    const folders = [file('src/a/1.ts', 'src/b/1.ts'), file('src/b/2.ts', 'src/a/2.ts'), file('src/a/2.ts')];
    expect(findCycles(folders)).toEqual([]);
    expect(findCycles(groupByFolder([...folders, file('src/b/1.ts')]))).toEqual([['src/a', 'src/b']]);
  });

  it('of a file in no layer are told with what to do', () => {
    expect(() => findLayer(layers, 'src/new/file.ts')).toThrow('stands in no row of the table in ARCHITECTURE.md');
  });
});

describe('files', () => {
  const others = ['.ts', '.tsx'].flatMap((ending) => listFiles(['clients', 'examples'], ending).map(readSourceFile));
  const all = [...files, ...tests, ...others].filter(({ path }) => !isDerived(path));

  it('of tests stand in folders, of which there is one for each folder of src and packages', () => {
    const folders = (paths: string[]): Set<string> => new Set(paths.map((path) => path.split('/')[1]!));
    const ofTests = folders(listFiles(['test'], ''));
    expect([...ofTests].filter((name) => name.includes('.'))).toEqual([]);
    const sources = [...folders(listFiles(['src', 'packages'], ''))].filter((name) => !name.includes('.'));
    expect(sources.filter((name) => !ofTests.has(name))).toEqual([]);
  });

  it('stand in folders, apart from a few, so that `ls` shows what there is', () => {
    const loose = files.map(({ path }) => path).filter(isLoose);
    expect(loose.sort()).toEqual(['codegen.ts', 'schema/index.ts', 'src/context.ts', 'src/main.ts', 'src/problem.ts']);
    expect(groupByRoom(files).length).toBeLessThanOrEqual(30);
  });

  it('open with a sentence', () => {
    expect(all.filter(({ comments }) => !comments[0]).map(({ path }) => path)).toEqual([]);
  });
});

describe('exported functions of tests and benchmarks', () => {
  const { functions, withVerb, ofOneWord } = countWords(tests);

  it('mostly have names that begin with a verb and go on', () => {
    expect(withVerb / functions).toBeGreaterThanOrEqual(0.85);
    expect(ofOneWord / functions).toBeLessThanOrEqual(0.15);
  });
});

describe('words', () => {
  it('of names are split at capitals, and a verb is known by the first', () => {
    expect(splitName('readContactById')).toEqual(['read', 'contact', 'by', 'id']);
    expect(splitName('toSQL')).toEqual(['to', 'sql']);
    expect([hasLeadingVerb('readContact'), hasLeadingVerb('contactOf')]).toEqual([true, false]);
  });

  it('of sentences are told apart, and those that begin without their subject are found', () => {
    expect(splitSentences('Reads a file. Of its lines the first counts.')).toHaveLength(2);
    const comments = ['Reads a file. Of its lines the first counts.', 'Whoever asks waits.'];
    expect(findInvertedSentences({ ...file('a'), comments })).toEqual([
      'Of its lines the first counts.',
      'Whoever asks waits.',
    ]);
  });
});
