// Runs an attack in its own process, so that its requests do not delay those of the neighbours.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Attack, listAttacks } from './attacks.ts';
import { sendRequest } from './load.ts';

export interface Attacked {
  requests: number;
  /** The number of answers by status; 0 for closed connections. */
  statuses: Map<number, number>;
}

interface Order {
  port: number;
  name: string;
  bearer: string;
  asset: string;
  seconds: number;
}

/** Runs an attack for so many seconds. */
export const runAttack = async (order: Order): Promise<Attacked> => {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
  child.send(order);
  const [attacked] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`The attack ${order.name} ended early`))),
  ]);
  child.kill();
  return attacked as Attacked;
};

/** Sends at its rate until the time is over. It skips requests while the maximum is under way. */
const run = async (port: number, of: Attack, seconds: number): Promise<Attacked> => {
  const agent = new Agent({ keepAlive: true, maxSockets: of.concurrency });
  const statuses = new Map<number, number>();
  const end = performance.now() + seconds * 1000;
  const isOver = (): boolean => performance.now() > end;
  const sendOne = of.unread ? holdUnread : (count: number) => sendRequest(port, agent, of.request(count));
  const underWay = new Set<Promise<void>>();
  let requests = 0;

  /** Sends a request and does not read the answer, for two seconds or until the server closes the connection. */
  async function holdUnread(count: number): Promise<number> {
    const { method, path, headers, body = '' } = of.request(count);
    const socket = connect(port, '127.0.0.1');
    const head = { ...headers, Host: 'test', 'Content-Length': String(Buffer.byteLength(body)) };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    let isOpen = true;
    socket.on('error', () => {});
    socket.once('close', () => {
      isOpen = false;
    });
    socket.pause();
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    for (const begun = performance.now(); isOpen && !isOver() && performance.now() - begun < 2000; ) await sleep(50);
    socket.destroy();
    return 0;
  }

  const begun = performance.now();
  for (let due = 0; !isOver(); due++) {
    await sleep(Math.max(0, begun + (due * 1000) / of.rate - performance.now()));
    if (underWay.size >= of.concurrency) continue;
    const one = sendOne(requests++).then((status) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      underWay.delete(one);
    });
    underWay.add(one);
  }
  await Promise.race([Promise.all(underWay), sleep(20_000)]);
  agent.destroy();
  return { requests, statuses };
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.once('message', async ({ port, name, bearer, asset, seconds }: Order) => {
    const of = listAttacks({ bearer, asset }).find((one) => one.name === name)!;
    process.send!(await run(port, of, seconds));
  });
