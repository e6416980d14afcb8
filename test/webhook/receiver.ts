// A receiver of webhooks: verifies each message by the package of Standard Webhooks, and answers as a test says.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { schema } from '../../schema/index.ts';
import { writeStoredQuery } from '../../schema/segment/segment.ts';
import { runJobs } from '../../src/jobs/run.ts';
import { WebhookSender } from '../../src/jobs/webhook-send.ts';
import type { Door, Json } from '../harness/app.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';

export interface Received {
  id: string;
  type: string;
  data: Json;
  body: string;
  headers: IncomingMessage['headers'];
}

export interface Receiver {
  url: string;
  /** Verified messages, in the order of arrival, repetitions too. */
  received: Received[];
  /** The secret by which messages are verified. */
  secret: string;
  /** How the next messages are answered; with 200 at first. */
  answer: (message: Received, response: ServerResponse) => void;
  server: Server;
}

const open: { close(): Promise<unknown> }[] = [];
cleanUpAfterFile(() => Promise.all(open.splice(0).map((one) => one.close())));

export const openReceiver = async (): Promise<Receiver> => {
  const receiver: Receiver = {
    url: '',
    received: [],
    secret: '',
    answer: (_, response) => response.end(),
    server: createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      try {
        const headers = request.headers as Record<string, string>;
        const { type, data } = new Webhook(receiver.secret).verify(body, headers) as Json;
        const message = { id: headers['webhook-id']!, type, data, body, headers: request.headers };
        receiver.received.push(message);
        receiver.answer(message, response);
      } catch (error) {
        response.writeHead(401).end(String(error));
      }
    }),
  };
  receiver.server.listen(0, '127.0.0.1');
  await once(receiver.server, 'listening');
  receiver.url = `http://127.0.0.1:${(receiver.server.address() as AddressInfo).port}/hooks`;
  open.push({
    close: async () => {
      receiver.server.closeAllConnections();
      receiver.server.close();
    },
  });
  return receiver;
};

export const impatient = {
  timeout: 2,
  firstPause: 0.02,
  giveUpAfter: 20,
  disableAfter: 20,
  invitationUrl: undefined as string | undefined,
};

/** Works on the jobs of a database until the file ends, with small times. */
export const startJobs = (door: Door, policy: Partial<typeof impatient> = {}, allowsPrivate = true) => {
  const failures: unknown[] = [];
  const sender = new WebhookSender({ allowsPrivate, timeoutMs: (policy.timeout ?? impatient.timeout) * 1000 });
  const jobs = runJobs(door.database, {
    importFile: async () => {},
    delivery: { sender, ...impatient, ...policy, writeQuery: (query) => writeStoredQuery(query, schema) },
    onFailure: (error) => failures.push(error),
    every: 20,
  });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= jobs.stop().finally(() => sender.close());
    return stopped;
  };
  open.unshift({ close: stop });
  return { failures, stop };
};
