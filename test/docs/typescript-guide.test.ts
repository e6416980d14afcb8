// The guide to the TypeScript client: its commands make the package, and its blocks are one program, which compiles under strict and runs against a server.
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { startClientServer } from '../graphql/clients/client-server.ts';
import { createFolder } from '../harness/folders.ts';

const run = promisify(execFile);
const guide = readFileSync('docs/typescript.md', 'utf8');
const blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text!);
const program = blocks.join('\n');
/** The commands that make the package, and its file. */
const [, commands, file] = /^npm ci\n([\s\S]*?)npm install (\S+)$/m.exec(guide)!;

const folder = createFolder();
/** The package as it is installed. */
const dist = join(folder, 'package/dist');

it('its program compiles, and prints what each block asks for', async () => {
  await run('sh', ['-ec', commands!], { env: { ...process.env, npm_config_pack_destination: folder } });
  await run('tar', ['-xzf', join(folder, file!), '-C', folder]);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'guide.ts'), program);
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    paths: { '@muster/client': [`${dist}/index.d.ts`] },
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['guide.ts'] }));
  const compile = run(process.execPath, [resolve('node_modules/typescript/bin/tsc')], { cwd: folder }).catch(
    ({ stdout }) => {
      throw new Error(stdout);
    },
  );
  const outfile = join(folder, 'guide.js');
  const bundle = build({
    entryPoints: [join(folder, 'guide.ts')],
    bundle: true,
    outfile,
    format: 'esm',
    platform: 'node',
    alias: { '@muster/client': `${dist}/index.js` },
  });
  const server = await startClientServer();
  await Promise.all([compile, bundle]);
  const env = {
    PATH: process.env.PATH,
    MUSTER: server.url,
    TOKEN: server.headers.Authorization.replace('Bearer ', ''),
  };
  const { stdout } = await run(process.execPath, [outfile], { env });
  const lines = stdout.trim().split(/\n(?! |\])/);
  expect(lines).toEqual([
    expect.stringMatching(/^\S+ works in \S+/),
    expect.stringMatching(/^Contact:\d+$/),
    expect.stringContaining("invalid-request [\n  {\n    location: 'input.email'"),
    'Ada Typed',
    '1',
    '0',
    '{"$all":[{"$all":[{"$condition":{"attr":"lastchange","ope":"gte","value":"2026-01-01"}}]}]}',
    expect.stringMatching(/^UPDATED Contact:\d+ \[ 'firstName' \]$/),
    '200',
  ]);
  expect(await server.sql(`select name from segments where name = 'Typed in Lyon'`)).toHaveLength(1);
});
