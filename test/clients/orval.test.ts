// A client that orval makes of openapi.json typechecks. Its packages are many, and so stand apart: `npm ci --prefix .ci/orval` installs them.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createFolder } from '../harness/folders.ts';

const run = promisify(execFile);
const orval = resolve('.ci/orval/node_modules/orval/dist/bin/orval.js');

it.skipIf(!existsSync(orval))('orval makes a client of the document, which typechecks', async () => {
  const folder = createFolder();
  const config = join(folder, 'orval.config.cjs');
  const output = { target: join(folder, 'client.ts'), client: 'fetch' };
  const muster = { input: resolve('openapi.json'), output };
  await writeFile(config, `module.exports = ${JSON.stringify({ muster })}`);
  await run(process.execPath, [orval, '--config', config], { cwd: folder });
  const options = { strict: true, noEmit: true, target: 'es2023', module: 'preserve', skipLibCheck: false, types: [] };
  const compilerOptions = { ...options, lib: ['es2023', 'dom', 'dom.iterable'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }));
  const { stdout } = await run(process.execPath, [resolve('node_modules/typescript/bin/tsc')], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});
