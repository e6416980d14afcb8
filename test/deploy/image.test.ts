// The image, from the steps of the Dockerfile: what is in it, how large it is, and that its files alone serve, be they read-only and the user any one.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { beforeAll, expect, it, vi } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';
import { findFreePort } from '../harness/free-port.ts';
import { waitUntil } from '../harness/waiting.ts';
import { buildImage, nodePath } from './image.ts';
import { readText } from './reading.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 240_000 });

const file = DockerfileParser.parse(readText('Dockerfile'));
const readCommand = (text: string | null | undefined): string[] => JSON.parse(/\[.*\]/.exec(text!)![0]);
const [entrypoint, command, check] = [file.getENTRYPOINTs()[0], file.getCMDs()[0], file.getHEALTHCHECKs()[0]].map(
  (one) => readCommand(one?.getArgumentsContent()),
) as [string[], string[], string[]];

let image: ReturnType<typeof buildImage>;
let files: string[];
let door: Door;

beforeAll(async () => {
  const place = createFolder();
  chmodSync(place, 0o711);
  image = buildImage(join(place, 'stages'));
  files = (readdirSync(image.folder, { recursive: true }) as string[]).filter((path) =>
    statSync(join(image.folder, path)).isFile(),
  );
  door = await openApp();
});

it('has Node, its libraries and the files of a release, and neither npm nor a shell nor sources', () => {
  const { files: shipped }: { files: string[] } = JSON.parse(
    readFileSync(join(image.folder, 'app/package.json'), 'utf8'),
  );
  const isLibrary = (path: string): boolean => /^(usr\/)?lib.*\.so(\.\d+)*$/.test(path);
  const outside = files.filter((path) => !path.startsWith('app/') && !isLibrary(path));
  expect(outside).toEqual([nodePath.slice(1)]);
  expect(readdirSync(join(image.folder, 'app')).sort()).toEqual([...shipped, 'package.json', 'node_modules'].sort());
  expect(readdirSync(join(image.folder, 'app/node_modules')).sort()).toEqual(
    Object.keys(JSON.parse(readText('packages/release/runtime-packages.json')).bundled)
      .map((name) => name.split('/')[0])
      .sort(),
  );
  expect(files.filter((path) => /\.(ts|map|node)$|(^|\/)(npm|npx|sh|bash|busybox|src)(\/|$)/.test(path))).toEqual([]);
});

it('is small: Node is most of it', () => {
  const sum = (paths: string[]): number =>
    paths.reduce((total, path) => total + statSync(join(image.folder, path)).size, 0) / 1e6;
  expect(sum(files.filter((path) => path !== nodePath.slice(1)))).toBeLessThan(40);
  // As it is pulled.
  const packed = spawnSync('sh', ['-c', 'tar --create . | gzip -6 | wc -c'], { cwd: image.folder, encoding: 'utf8' });
  expect(Number(packed.stdout) / 1e6).toBeLessThan(120);
});

/** Root shuts a program into the files of the image, as a container does. Anybody else starts it there. */
const spawnInImage = (args: readonly string[], env: Record<string, string>) => {
  if (process.getuid?.() === 0)
    return spawn('/usr/sbin/chroot', ['--userspec=1000:1000', image.folder, ...args], { env });
  const [program, ...rest] = args.map((one) => (one.startsWith('/') ? join(image.folder, one) : one));
  return spawn(program!, rest, { env, cwd: join(image.folder, image.workdir) });
};

it('serves from its files alone, as a user without rights, is found healthy, and stops', async () => {
  const port = await findFreePort();
  const env = { ...image.env, HOST: '127.0.0.1', PORT: String(port), DATABASE_URL: door.databaseUrl };
  const server = spawnInImage([...entrypoint, ...command], env);
  const ended = once(server, 'close');
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (said += text));
  const url = `http://127.0.0.1:${port}`;
  const checkHealth = async (): Promise<number> => {
    const [code] = await once(spawnInImage(check, env), 'close');
    return code;
  };
  try {
    expect(await checkHealth()).toBe(1);
    const isReady = () =>
      fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await waitUntil('it is ready', async () => server.exitCode !== null || isReady());
    expect(server.exitCode, said).toBe(null);
    expect(await checkHealth()).toBe(0);
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await door.token(1, 1)}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: '{ contacts(first: 1) { totalCount } }' }),
    });
    expect((await answer.json()).data.contacts.totalCount).toBeGreaterThan(0);
    for (const path of ['/', '/explore', '/docs', '/docs/guide', '/openapi.json'])
      expect([path, (await fetch(url + path, { headers: { Accept: '*/*' } })).status]).toEqual([path, 200]);
  } finally {
    server.kill('SIGTERM');
  }
  expect((await ended)[0]).toBe(0);
});
