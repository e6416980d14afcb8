// npm run release: makes the files of a release, the same bytes from the same commit, without network.
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import runtimePackages from './runtime-packages.json' with { type: 'json' };

const root = resolve(import.meta.dirname, '../..');
/** `muster` belongs to somebody else there. */
const packageName = '@muster/server';
const shipped = ['dist', 'migrations', 'openapi.json', 'README.md', 'CHANGELOG.md', 'LICENSE'];

const run = (command: string, args: readonly string[], cwd = root): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'inherit'] });

const readJson = <Content>(name: string): Content => JSON.parse(readFileSync(join(root, name), 'utf8'));
type Manifest = Record<'version' | 'description' | 'license' | 'type', string> &
  Record<'engines' | 'bin' | 'dependencies', Record<string, string>>;
const manifest = readJson<Manifest>('package.json');
const writeJson = (path: string, content: object): void => writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);

const pick = (versions: Record<string, string>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, versions[name]!]));

/** The manifest of the package: what it needs is in its bundle or packed with it, but for the embedded PostgreSQL. */
const describePackage = (): object => {
  const { version, description, license, type, engines, bin, dependencies } = manifest;
  const bundled = Object.keys(runtimePackages.bundled);
  return {
    name: packageName,
    version,
    description,
    license,
    type,
    engines,
    bin,
    files: shipped,
    dependencies: pick(dependencies, bundled),
    bundleDependencies: bundled,
    optionalDependencies: pick(dependencies, runtimePackages.optional),
  };
};

/** Copies those files of a package that the program reads. */
const copyPackage = (name: string, files: readonly string[], stage: string): void => {
  const from = join(root, 'node_modules', name);
  const about = readdirSync(from).filter((file) => /^(package\.json$|licen[cs]e|notice)/i.test(file));
  for (const file of [...about, ...files])
    cpSync(join(from, file), join(stage, 'node_modules', name, file), {
      recursive: true,
      filter: (path) => !/\.(d\.ts|map)$/.test(path),
    });
  // The program needs none of its dependencies.
  const { dependencies, scripts, ...described } = readJson<Record<string, unknown>>(
    `node_modules/${name}/package.json`,
  );
  writeJson(join(stage, 'node_modules', name, 'package.json'), described);
};

/** Builds the server, and puts into a folder what a release has of it. The image has these files too. */
export const stageServer = (stage: string): void => {
  run('node', ['build.js']);
  // The file that tells a checkout whether its bundle is fresh has the times of the sources.
  const isShipped = (path: string): boolean => !path.endsWith('sources.sha256');
  for (const name of shipped) cpSync(join(root, name), join(stage, name), { recursive: true, filter: isShipped });
  for (const [name, files] of Object.entries(runtimePackages.bundled)) copyPackage(name, files, stage);
  writeJson(join(stage, 'package.json'), describePackage());
};

const packServer = (target: string): void => {
  const stage = mkdtempSync(join(tmpdir(), 'muster-release-'));
  try {
    stageServer(stage);
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', target], stage);
  } finally {
    rmSync(stage, { recursive: true });
  }
};

interface Locked {
  version: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
}

/** The bill of materials (CycloneDX 1.5) of all that is in the bundle or installed with it. `npm sbom --omit dev` leaves out what development needs, too. */
const describeMaterials = (): object => {
  const { packages } = readJson<{ packages: Record<string, Locked> }>('package-lock.json');
  const components = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version, integrity, license, optional }]) => {
      const name = path.split('node_modules/').at(-1)!;
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
      const digest = integrity?.startsWith('sha512-') && Buffer.from(integrity.slice(7), 'base64').toString('hex');
      return {
        type: 'library',
        'bom-ref': purl,
        name,
        version,
        scope: optional ? 'optional' : 'required',
        purl,
        ...(digest && { hashes: [{ alg: 'SHA-512', content: digest }] }),
        ...(license && { licenses: [{ expression: license }] }),
      };
    });
  const unique = new Map(components.map((component) => [component.purl, component]));
  const subject = {
    type: 'application',
    'bom-ref': `pkg:npm/${packageName.replace('@', '%40')}@${manifest.version}`,
    name: packageName,
    version: manifest.version,
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: subject },
    components: [...unique.values()],
  };
};

/** The part of the changelog about this version. */
const readChanges = (version: string): string => {
  const [, ...parts] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  const part = parts.find((one) => one.startsWith(version));
  if (!part) throw new Error(`CHANGELOG.md has no part about ${version}`);
  return `## ${part.trim()}\n`;
};

/** Makes the files of a release in a folder, which is emptied before. */
export const makeRelease = (target: string): void => {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  packServer(target);
  run('npm', ['run', '--silent', 'build', '--prefix', 'clients/typescript']);
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', target, './clients/typescript']);
  writeJson(join(target, 'sbom.cdx.json'), describeMaterials());
  writeFileSync(join(target, 'CHANGES.md'), readChanges(manifest.version));
  const sums = readdirSync(target)
    .sort()
    .map((name) => `${hash('sha256', readFileSync(join(target, name)))}  ${name}\n`);
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
};
