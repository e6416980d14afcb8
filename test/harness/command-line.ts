// Runs the command line as a process, from a build of the program, or within the process of the test.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { buildProgram } from './program.ts';

export interface Result {
  code: number;
  out: string;
  err: string;
}
export type Env = Record<string, string | undefined>;

/** Builds the program. `environment` gives the settings that a command is run with. */
export const buildCommandLine = (databaseUrl: () => string) => {
  const { folder, program } = buildProgram();
  const environment = (env: Env): Env => ({ PATH: process.env.PATH, DATABASE_URL: databaseUrl(), PORT: '0', ...env });
  /** Runs a command line to its end. */
  const muster = (line: string, env: Env = {}): Promise<Result> =>
    new Promise((resolve) => {
      const args = [program, ...line.split(' ').filter(Boolean)];
      const options = { cwd: folder, env: environment(env), timeout: 60_000 };
      execFile(process.execPath, args, options, (error, out, err) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
      );
    });
  return { folder, program, environment, muster };
};

/** Runs a command line in this process, which is much faster. Its stdin is no terminal. */
export const runHere = async (url: string, args: string[], env: Record<string, string> = {}): Promise<Result> => {
  // Loaded on demand: most tests run the command line as a process.
  const { runCommandLine } = await import('../../src/commands/command-line.ts');
  const said = { out: '', err: '' };
  const listen = (to: keyof typeof said) => (text: unknown) => {
    said[to] += `${text}\n`;
  };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(listen('out')),
    vi.spyOn(console, 'error').mockImplementation(listen('err')),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said.err += text;
      return true;
    }),
  ];
  for (const [name, value] of Object.entries({ ...env, DATABASE_URL: url })) vi.stubEnv(name, value);
  try {
    await runCommandLine([...args], '0.0.0');
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    process.exitCode = undefined;
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
};

/** Runs the command lines that it is sent, with a zero byte behind each argument. A failed one is answered as 500. */
export const listenForCommands = async (url: string): Promise<{ address: string; close: () => void }> => {
  const server = createServer(async (request, response) => {
    const args = (await text(request)).split('\0').slice(0, -1);
    const { code, out, err } = await runHere(url, args);
    response.writeHead(code === 0 ? 200 : 500).end(out + err);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
};
