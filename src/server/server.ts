// Runs the server: listens, and drains when it is told to stop.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { HttpBindings } from '@hono/node-server';
import type { Logger } from 'pino';
import { schema } from '../../schema/index.ts';
import { writeStoredQuery } from '../../schema/segment/segment.ts';
import { createAddressReader } from '../config/client-address.ts';
import { type Config, readRetention } from '../config/config.ts';
import { sweepExpiredRows } from '../data/upkeep/expired-rows.ts';
import { Database } from '../database/database.ts';
import type { ReplicaState } from '../database/replica.ts';
import { isLasting } from '../graphql/event-stream.ts';
import { readTrustedDocuments } from '../graphql/trusted-documents.ts';
import { continueFileImport } from '../import/contact-file.ts';
import { readDeliveryPolicy, readSenderOptions, runJobs } from '../jobs/run.ts';
import { WebhookSender } from '../jobs/webhook-send.ts';
import { limits } from '../limits/limits.ts';
import { isExportResponse } from '../rest/export.ts';
import { addCollector, metrics } from '../telemetry/metrics.ts';
import { type AdmittedRequest, type Client, createApp, describeCause } from './app.ts';
import { Connections } from './connections.ts';
import { createListener, createRefuser, wrapHeaders } from './listener.ts';
import { listenOn } from './port.ts';

export interface RunningServer {
  url: string;
  database: Database;
  /**
   * Reports unready for `DRAIN_DELAY`, so that balancers turn elsewhere; then refuses new connections and lets requests under way
   * finish; then closes the pool. All of this takes little more than `DRAIN_SECONDS` at most.
   */
  stop(): Promise<void>;
}

/**
 * Header and idle limits against clients that hold connections without using them. Proxies usually keep theirs for 60 s, and
 * must close them first: otherwise a request on its way is lost.
 */
const httpOptions = {
  headersTimeout: limits.connection.headerSeconds * 1000,
  requestTimeout: limits.connection.requestSeconds * 1000,
  keepAliveTimeout: limits.connection.idleSeconds * 1000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: limits.connection.headerBytes,
  requireHostHeader: false,
};

/** In percent of the live heap: how far it grows before a collection. By default, pages of a thousand contacts would make it four times as large. */
const heapGrowth = 100;

/** Listens on `HOST`:`PORT`. Throws an Error in plain words when the port is taken or forbidden. */
export const startServer = async (
  config: Config,
  databaseUrl: string,
  log: Logger,
  sweepEvery?: number,
): Promise<RunningServer> => {
  const trusted = await readTrustedDocuments(config);
  setFlagsFromString(`--heap-growing-percent=${heapGrowth}`);
  const { DATABASE_REPLICA_URL: replicaUrl, DATABASE_POOLER: pooler } = config;
  const database = new Database(databaseUrl, {
    poolSize: config.POOL_SIZE,
    searchPool: { size: config.SEARCH_POOL_SIZE, perSpace: config.SEARCHES_PER_SPACE },
    pooler,
    ...(replicaUrl && {
      replica: {
        url: replicaUrl,
        maxLag: config.REPLICA_MAX_LAG,
        onState: (state, reason) => report(log, state, reason),
      },
    }),
  });
  let accepting = true;
  const app = createApp({ database, config, log, trusted, accepting: () => accepting });
  const addresses = createAddressReader(config.TRUSTED_PROXIES);
  const describeClient = (incoming: IncomingMessage): Client => {
    const { remoteAddress } = incoming.socket;
    return {
      address: () => addresses.clientOf(remoteAddress, incoming.headers['x-forwarded-for'] as string | undefined),
      hasLeft: () => incoming.socket.destroyed,
    };
  };
  // Health is answered under any load, and pages of other origins must be able to read a refusal.
  const admit = (incoming: IncomingMessage) =>
    accepting && !incoming.headers.origin && !incoming.url!.startsWith('/health/')
      ? app.admit(wrapHeaders(incoming), describeClient(incoming))
      : undefined;
  const fetch = async (request: Request, { incoming }: HttpBindings, admitted?: AdmittedRequest): Promise<Response> => {
    const response = await app.fetch(request, describeClient(incoming), admitted);
    // A client that goes on sending requests over its connection would keep the server from ending.
    if (!accepting) response.headers.set('Connection', 'close');
    if (isLasting(response)) connections.keepStream(incoming);
    if (!isExportResponse(response)) return response;
    const body = connections.sendExport(incoming, response.body!, (error) => {
      log.error({ errors: [describeCause(error)] }, 'export cut off');
    });
    return new Response(body, response);
  };
  const listener = createListener(fetch, log, admit);
  const server = createServer(httpOptions, listener);
  server.on('clientError', createRefuser(log));
  // Node would refuse an `Expect` that it does not know, without an id and a word; HTTP lets a server pass over it.
  server.on('checkExpectation', listener);
  const connections = new Connections(server, { isProxy: addresses.isTrusted });
  server.maxRequestsPerSocket = 0;
  // Node drops what is beyond, so one more tells the listener that there are too many.
  server.maxHeadersCount = limits.connection.headers + 1;
  await listenOn(server, config).catch(async (error) => {
    await database.close();
    throw error;
  });
  const shape = { capacity: config.BUCKET_CAPACITY, refill: config.BUCKET_REFILL };
  const sweeping = sweepExpiredRows(database, {
    shape,
    retention: readRetention(config),
    onRetention: (deleted) => log.info({ deleted }, 'retention'),
    every: sweepEvery,
    onFailure: (error) => {
      // In the driver's words, too.
      const { code, message } = error as { code?: string; message?: string };
      log.warn({ code, reason: message }, 'sweep');
    },
  });
  const recording = setInterval(() => void app.writeTokenUses(), tokenUsesPause).unref();
  const removeCollector = addCollector(() => {
    app.report();
    database.report();
    metrics.clientConnections.set(connections.count);
  });
  const sender = new WebhookSender(readSenderOptions(config));
  const jobs =
    config.JOBS === 'on'
      ? runJobs(database, {
          delivery: { sender, ...readDeliveryPolicy(config), writeQuery: (query) => writeStoredQuery(query, schema) },
          importFile: continueFileImport,
          onFailure: (error, job) => log.warn({ job, errors: [describeCause(error)] }, 'job'),
        })
      : undefined;
  const { port, family, address } = server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return {
    url: `http://${address === '0.0.0.0' || address === '::' ? 'localhost' : host}:${port}`,
    database,
    async stop() {
      accepting = false;
      const idle = jobs?.stop();
      const delay = Math.min(config.DRAIN_DELAY ?? 0, config.DRAIN_SECONDS);
      await sleep(delay * 1000);
      app.endStreams();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const sweep = setInterval(() => connections.closeUnused(), 250);
      const drainMs = (config.DRAIN_SECONDS - delay) * 1000;
      const drained = sleep(drainMs, undefined, { ref: false });
      const drainTimer = setTimeout(() => connections.cutAll(), drainMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(drainTimer);
      removeCollector();
      clearInterval(recording);
      // A statement on a frozen connection ends with it.
      await Promise.race([sweeping.stop(), drained]);
      await Promise.race([app.writeTokenUses(), drained]);
      // Another process finds the work that a job has not finished by then.
      await Promise.race([idle, drained]);
      sender.close();
      await database.close();
    },
  };
};

/** Logs the reason in the driver's words, without the values of a statement. */
const report = (log: Logger, state: ReplicaState, reason: unknown): void => {
  const { code, message } = (reason ?? {}) as { code?: string; message?: string };
  if (state === 'in use') log.info({ replica: state }, 'replica');
  else log.warn({ replica: state, code, reason: /^[0-9A-Z]{5}$/.test(code ?? '') ? undefined : message }, 'replica');
};

/** In milliseconds: how often the last uses of tokens are written. */
const tokenUsesPause = 10_000;
