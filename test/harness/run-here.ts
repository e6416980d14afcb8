// Runs command lines in the process of the test, which is much faster than a process of their own.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import type { Env, Result } from './command-line.ts';

/** Its stdin is no terminal. */
export const runHere = async (url: string, args: string[], env: Env = {}): Promise<Result> => {
  // Loaded on demand: most tests run the command line as a process.
  const { runCommandLine } = await import('../../src/commands/command-line.ts');
  const said = { out: '', err: '' };
  const listen = (to: keyof typeof said) => (text: unknown) => {
    said[to] += `${text}\n`;
  };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(listen('out')),
    vi.spyOn(console, 'error').mockImplementation(listen('err')),
    ...(['stdout', 'stderr'] as const).map((stream) =>
      vi.spyOn(process[stream], 'write').mockImplementation((text) => {
        said[stream === 'stdout' ? 'out' : 'err'] += text;
        return true;
      }),
    ),
  ];
  for (const [name, value] of Object.entries({ DATABASE_URL: url, ...env })) vi.stubEnv(name, value);
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
