// In charge of the requests: those of an attack, as many at once as it says, and the neighbour's reads beside them, at a steady pace.
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Sent } from './attacks.ts';

/** The status of the answer, or 0 when the connection was ended. */
export const send = (port: number, agent: Agent, { method, path, headers, body }: Sent): Promise<number> =>
  new Promise((resolve) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      response.on('data', () => {});
      response.on('end', () => resolve(response.statusCode!));
      response.on('error', () => resolve(0));
    });
    sent.on('error', () => resolve(0));
    sent.end(body);
  });

export interface Attacked {
  requests: number;
  /** How many answers had each status. */
  statuses: Map<number, number>;
}

/** Attacks until `isOver`. */
export const attack = async (port: number, of: Attack, isOver: () => boolean): Promise<Attacked> => {
  if (of.unread) return holdUnread(port, of, isOver);
  const agent = new Agent({ keepAlive: true, maxSockets: of.concurrency });
  const statuses = new Map<number, number>();
  let requests = 0;
  const one = async (): Promise<void> => {
    while (!isOver()) {
      const status = await send(port, agent, of.request(requests++));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: of.concurrency }, one));
  agent.destroy();
  return { requests, statuses };
};

/** Asks on connections that nobody reads, and opens another where one is ended. */
const holdUnread = async (port: number, of: Attack, isOver: () => boolean): Promise<Attacked> => {
  let requests = 0;
  let ended = 0;
  const one = async (): Promise<void> => {
    while (!isOver()) {
      const { method, path, headers, body = '' } = of.request(requests++);
      const socket = connect(port, '127.0.0.1');
      const lines = Object.entries({ ...headers, Host: 'test', 'Content-Length': String(Buffer.byteLength(body)) });
      socket.on('error', () => {});
      let isOpen = true;
      socket.once('close', () => {
        isOpen = false;
        ended++;
      });
      socket.pause();
      socket.write(
        `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
      );
      for (const begun = performance.now(); isOpen && !isOver() && performance.now() - begun < 2000; ) await sleep(50);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: of.concurrency }, one));
  return { requests, statuses: new Map([[0, ended]]) };
};

/** Reads these in turn, at a steady pace, until `isOver`; each is timed from when it was due. Returns the times in milliseconds, sorted. */
export const readSteadily = async (
  port: number,
  reads: readonly Sent[],
  everyMs: number,
  isOver: () => boolean,
): Promise<number[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const times: number[] = [];
  const under: Promise<void>[] = [];
  const begun = performance.now();
  for (let count = 0; !isOver(); count++) {
    const due = begun + count * everyMs;
    await sleep(Math.max(0, due - performance.now()));
    under.push(
      send(port, agent, reads[count % reads.length]!).then((status) => {
        if (status !== 200) throw new Error(`The neighbour was answered ${status}`);
        times.push(performance.now() - due);
      }),
    );
  }
  await Promise.all(under);
  agent.destroy();
  return times.sort((a, b) => a - b);
};

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
