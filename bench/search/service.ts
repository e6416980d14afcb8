// Starts the measured server in its own process, and sends requests to it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { locatePackageFile } from '../../src/database/package-file.ts';

export interface Answer {
  status: number;
  text: string;
}

/** Sends requests with one token over one persistent connection. */
export type Ask = (path: string, body: unknown) => Promise<Answer>;

export interface Service {
  url: string;
  stop(): Promise<void>;
}

/** A bucket that never runs empty, since it is not measured. */
export const limitless = { BUCKET_CAPACITY: '1000000000', BUCKET_REFILL: '1000000000' };

const ready = /answers at (http:\S+)/;

export const startService = async (databaseUrl: string): Promise<Service> => {
  const main = locatePackageFile('src/main.ts').pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', main, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: locatePackageFile('./').pathname,
    env: { ...process.env, ...limitless, DATABASE_URL: databaseUrl, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error' },
  });
  const ended = once(child, 'exit');
  const kill = (): void => void child.kill();
  process.once('exit', kill);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = ready.exec(line)?.[1];
    if (!url) continue;
    // After this it logs errors only.
    child.stdout.pipe(process.stderr);
    return {
      url,
      stop: async () => {
        process.off('exit', kill);
        child.kill();
        await ended;
      },
    };
  }
  throw new Error('The server did not start');
};

export const createAsker = (url: string, token: string): Ask => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (path, body) =>
    new Promise((resolve, reject) => {
      const content = Buffer.from(JSON.stringify(body));
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': content.length,
      };
      const sent = request(new URL(path, url), { agent, method: 'POST', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(content);
    });
};
