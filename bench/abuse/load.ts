// Sends requests, and reads as the neighbours do, at a steady rate.
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sent } from './attacks.ts';

/** Sends a request and returns the status, or 0 for a closed connection. */
export const sendRequest = (port: number, agent: Agent, { method, path, headers, body }: Sent): Promise<number> =>
  new Promise((resolve) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      response.on('data', () => {});
      response.on('end', () => resolve(response.statusCode!));
      response.on('error', () => resolve(0));
    });
    sent.on('error', () => resolve(0));
    sent.end(body);
  });

/** Sends these reads in rotation, at a steady rate, until `isOver`. Returns the sorted times in milliseconds, counted from the due time of each. */
export const readSteadily = async (
  port: number,
  reads: readonly Sent[],
  everyMs: number,
  isOver: () => boolean,
): Promise<number[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const times: number[] = [];
  const under: Promise<void>[] = [];
  const statuses = new Set<number>();
  const begun = performance.now();
  for (let count = 0; !isOver(); count++) {
    const due = begun + count * everyMs;
    await sleep(Math.max(0, due - performance.now()));
    under.push(
      sendRequest(port, agent, reads[count % reads.length]!).then((status) => {
        statuses.add(status);
        times.push(performance.now() - due);
      }),
    );
  }
  await Promise.all(under);
  agent.destroy();
  statuses.delete(200);
  if (statuses.size > 0) throw new Error(`A neighbour was answered ${[...statuses].join(' and ')}`);
  return times.sort((a, b) => a - b);
};

export const computePercentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
