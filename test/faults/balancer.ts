// A simple load balancer for tests: it asks each server whether it is ready, and keeps its connections to them.
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Backend {
  url: string;
  agent: Agent;
  isReady: boolean;
}

export interface Balancer {
  url: string;
  /** Adds a server, which gets requests once it is ready. */
  add(url: string): Promise<void>;
  close(): Promise<void>;
}

/** In milliseconds: how often each server is asked. */
const every = 100;

/** Starts a balancer. It answers 502 for a server that does not answer, and retries nothing. */
export const startBalancer = async (): Promise<Balancer> => {
  const backends: Backend[] = [];
  let next = 0;

  const check = async (backend: Backend): Promise<void> => {
    backend.isReady = await fetch(`${backend.url}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  const timer = setInterval(() => void Promise.all(backends.map(check)), every);

  const server = createServer((incoming, outgoing) => {
    const ready = backends.filter(({ isReady }) => isReady);
    const backend = ready[next++ % ready.length];
    const fail = (): void => void outgoing.writeHead(502).end();
    if (!backend) return fail();
    const { method, url, headers } = incoming;
    const forwarded = request(backend.url + url, { method, headers, agent: backend.agent }, (answer) => {
      const { connection: _, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode!, kept);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', fail);
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(url) {
      const backend = { url, agent: new Agent({ keepAlive: true }), isReady: false };
      await check(backend);
      backends.push(backend);
    },
    async close() {
      clearInterval(timer);
      for (const { agent } of backends) agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
