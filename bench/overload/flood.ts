// The flood, in its own process: requests at a steady rate, or each after the answer to the last one.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sent } from '../abuse/attacks.ts';

export interface Order {
  port: number;
  requests: Sent[];
  seconds: number;
  connections: number;
  /** Requests a second. Without it, each connection sends its next request after its answer. */
  rate?: number;
}

export interface Flooded {
  /** Sorted milliseconds of the answers by status, counted from the due time of the request. Status 0: the server closed the connection. */
  times: Map<number, number[]>;
  /** Requests that were not sent, because all connections were waiting for answers. */
  unsent: number;
}

/** A GraphQL request of a caller. */
export const buildQueryRequest = (bearer: string, query: string): Sent => ({
  method: 'POST',
  path: '/graphql',
  headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ query }),
});

/** One process makes all floods, one after the other: each start of one takes time of the server. */
let flooder: ChildProcess | undefined;
const startFlooder = (): ChildProcess => {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
  // Elsewhere floods come from other machines: this one should not take the processors of the server.
  setPriority(child.pid!, constants.priority.PRIORITY_LOW);
  // It ends with the benchmark, and does not keep it running.
  child.unref();
  return child;
};

/** Runs a flood for so many seconds. */
export const runFlood = async (order: Order): Promise<Flooded> => {
  flooder ??= startFlooder();
  flooder.channel!.ref();
  flooder.send(order);
  const [flooded] = await Promise.race([
    once(flooder, 'message'),
    once(flooder, 'exit').then(() => Promise.reject(new Error('The flood ended early'))),
  ]);
  flooder.channel!.unref();
  return flooded as Flooded;
};

const bytesOf = ({ method, path, headers, body = '' }: Sent): Buffer => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(body);
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: bench.test\r\n${lines.join('')}Content-Length: ${length}\r\n\r\n${body}`,
  );
};

/** A persistent connection. Node's own client would need more CPU than the server. */
class Connection {
  readonly #socket: Socket;
  #answered: ((status: number) => void) | undefined;
  #status = 0;
  #left = -1;

  constructor(port: number, address: string) {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: address }).setNoDelay();
    this.#socket.on('data', (data) => this.#read(data));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => this.#finish(0));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  ask(request: Buffer): Promise<number> {
    this.#socket.write(request);
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  /** The head arrives in one piece, because the server writes each answer at once. */
  #read(data: Buffer): void {
    let body = data.length;
    if (this.#left < 0) {
      const end = data.indexOf('\r\n\r\n');
      const head = data.toString('latin1', 0, end);
      this.#status = Number(head.slice(9, 12));
      this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      body -= end + 4;
    }
    this.#left -= body;
    if (this.#left > 0) return;
    this.#left = -1;
    this.#finish(this.#status);
  }

  #finish(status: number): void {
    this.#answered?.(status);
    this.#answered = undefined;
  }
}

const run = async ({ port, requests, seconds, connections, rate }: Order): Promise<Flooded> => {
  const bytes = requests.map(bytesOf);
  let opened = 0;
  /** From several addresses: a server accepts only so many connections of each. */
  const open = (): Connection => new Connection(port, `127.0.0.${2 + (opened++ % 4)}`);
  const idle = Array.from({ length: connections }, open);
  const times = new Map<number, number[]>();
  const underWay = new Set<Promise<void>>();
  const begun = performance.now();
  const end = begun + seconds * 1000;
  let unsent = 0;
  let count = 0;

  const ask = async (connection: Connection, due: number): Promise<void> => {
    const status = await connection.ask(bytes[count++ % bytes.length]!);
    const known = times.get(status);
    if (known) known.push(performance.now() - due);
    else times.set(status, [performance.now() - due]);
    idle.push(connection.isOpen ? connection : open());
  };
  const send = (due: number): void => {
    const connection = idle.pop();
    if (!connection) return void unsent++;
    const asked = ask(connection, due).finally(() => underWay.delete(asked));
    underWay.add(asked);
  };

  if (rate === undefined) {
    await Promise.all(
      idle.splice(0).map(async (one) => {
        while (performance.now() < end) {
          await ask(one, performance.now());
          idle.pop();
        }
        one.end();
      }),
    );
  } else {
    for (let sent = 0; performance.now() < end; await sleep(1)) {
      const due = ((performance.now() - begun) / 1000) * rate;
      for (; sent < due; sent++) send(begun + (sent / rate) * 1000);
    }
    await Promise.race([Promise.all(underWay), sleep(5000)]);
  }
  for (const connection of idle) connection.end();
  for (const list of times.values()) list.sort((a, b) => a - b);
  return { times, unsent };
};

if (process.send)
  process.on('message', async (order: Order) => {
    process.send!(await run(order));
  });
