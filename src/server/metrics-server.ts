// Serves the metrics on a port of their own: no client reaches it, and no limit of the service applies to it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';

interface MetricsOptions {
  host: string;
  port: number;
  /** The metrics in the text format of Prometheus. */
  read(): Promise<string>;
  onFailure(error: unknown): void;
}

/** Listens for `GET /metrics`. Throws an Error in plain words when the port is taken or forbidden. */
export const startMetricsServer = async ({ host, port, read, onFailure }: MetricsOptions) => {
  const server = createServer({ requestTimeout: 10_000 }, async ({ method, url }, response) => {
    if (url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end('There is only /metrics here\n');
    if (method !== 'GET' && method !== 'HEAD')
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end('GET is the only method of /metrics\n');
    try {
      const text = await read();
      response.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
    } catch (error) {
      onFailure(error);
      response.writeHead(500).end('The metrics could not be read; the log says why\n');
    }
  });
  server.maxConnections = 20;
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used: ${error.message}`;
    throw new Error(`METRICS_PORT ${port} on ${host} ${reason}; set it to another port, or leave it out`);
  });
  const { port: bound } = server.address() as AddressInfo;
  // It ends with the process: metrics of a server that drains are of interest.
  server.unref();
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`,
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
};
