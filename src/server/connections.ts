// The connections of a server: how many an address may open, and how long a client may take to read an answer.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '../limits/limits.ts';

/** In milliseconds: how often unread answers are looked for. */
const sweepMs = 1000;

/** An answer that a connection is being sent, or will be. Times are milliseconds of `performance.now()`. */
interface Sending {
  response: ServerResponse;
  /** When the client began to lag; 0 while it reads as fast as we send. */
  since: number;
  /** For exports and event streams: the bytes that the client has read so far, the time of its last read, and the seconds that it has for all of it. */
  taken?: { bytes: number; at: number; seconds: number };
}

/** A connection with the bytes that wait for its client. */
interface Unread {
  socket: Socket;
  bytes: number;
}

type ConnectionLimits = typeof limits.connection;

interface ConnectionsOptions {
  /** Whether many clients come over connections of this address. */
  isProxy(address: string | undefined): boolean;
  bounds?: ConnectionLimits;
}

export class Connections {
  readonly #server: Server;
  /** The answers of each connection, in their order: those behind the first wait for it, when a client sends requests without waiting for answers. */
  readonly #sockets = new Map<Socket, Sending[]>();
  readonly #counts = new Map<string, number>();
  readonly #bounds: ConnectionLimits;

  constructor(server: Server, { isProxy, bounds = limits.connection }: ConnectionsOptions) {
    this.#server = server;
    this.#bounds = bounds;
    server.maxConnections = bounds.connections;
    server.on('connection', (socket: Socket) => {
      const address = isProxy(socket.remoteAddress) ? undefined : socket.remoteAddress;
      const count = address === undefined ? 0 : (this.#counts.get(address) ?? 0) + 1;
      if (count > bounds.connectionsPerAddress) return void socket.destroy();
      if (address !== undefined) this.#counts.set(address, count);
      this.#sockets.set(socket, []);
      socket.once('close', () => this.#forget(socket, address));
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const sendings = this.#sockets.get(socket);
      if (!sendings) return;
      forgetFinished(sendings);
      sendings.push({ response, since: 0 });
    });
    const sweep = setInterval(() => this.#endUnread(), sweepMs).unref();
    server.once('close', () => clearInterval(sweep));
  }

  get count(): number {
    return this.#sockets.size;
  }

  /**
   * Gives the client of an export more time, as long as it goes on reading. Returns a body whose failure resets the
   * connection and is reported; to its sender it looks complete.
   */
  sendExport(
    request: IncomingMessage,
    body: ReadableStream<Uint8Array>,
    onFailure: (error: unknown) => void,
  ): ReadableStream<Uint8Array> {
    this.#allowSlowReading(request, this.#bounds.exportSeconds);
    const reader = body.getReader();
    return new ReadableStream({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // The reset comes first, so that no end of the answer is sent.
          cut(request.socket);
          controller.close();
          onFailure(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }

  /** Keeps an event stream as long as its client goes on reading. */
  keepStream(request: IncomingMessage): void {
    this.#allowSlowReading(request, Number.POSITIVE_INFINITY);
  }

  /** Resets all connections. A reset, unlike an end, tells a client with a part of an answer that it is incomplete. */
  cutAll(): void {
    for (const [socket, sendings] of this.#sockets)
      if (sendings.some(({ response }) => !response.writableFinished)) cut(socket);
    this.#server.closeAllConnections();
  }

  /** Ends connections that browsers hold in reserve: Node would wait for one that has not sent a byte yet. */
  closeUnused(): void {
    this.#server.closeIdleConnections();
    for (const socket of this.#sockets.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  #allowSlowReading(request: IncomingMessage, seconds: number): void {
    const { socket } = request;
    const sending = this.#sockets.get(socket)?.find(({ response }) => response.req === request);
    if (!sending) return;
    sending.since = performance.now();
    sending.taken = { bytes: takenOf(socket), at: sending.since, seconds };
  }

  #forget(socket: Socket, address: string | undefined): void {
    this.#sockets.delete(socket);
    if (address === undefined) return;
    const count = this.#counts.get(address)! - 1;
    if (count === 0) this.#counts.delete(address);
    else this.#counts.set(address, count);
  }

  /** An answer counts as unread while bytes of it wait here, since the client reads slower than the network carries. */
  #endUnread(): void {
    const now = performance.now();
    const unread: Unread[] = [];
    for (const [socket, sendings] of this.#sockets) {
      forgetFinished(sendings);
      const [sending] = sendings;
      if (!sending) continue;
      const isRead = socket.writableLength === 0;
      const isNew = sending.since === 0;
      if (isRead && !sending.taken) sending.since = 0;
      else if (isNew) sending.since = now;
      else if (this.#isLate(socket, sending, now)) {
        cut(socket);
        continue;
      }
      const bytes = (isNew ? 0 : socket.writableLength) + countWaitingBytes(sendings);
      if (bytes > 0) unread.push({ socket, bytes });
    }
    this.#endLargest(unread);
  }

  #isLate(socket: Socket, { since, taken }: Sending, now: number): boolean {
    const { answerSeconds, exportIdleSeconds } = this.#bounds;
    if (!taken) return now - since > answerSeconds * 1000;
    const bytes = takenOf(socket);
    // While nothing waits, the server is the slow side.
    if (bytes !== taken.bytes || socket.writableLength === 0) Object.assign(taken, { bytes, at: now });
    return now - taken.at > exportIdleSeconds * 1000 || now - since > taken.seconds * 1000;
  }

  /** Waiting bytes take memory, so all of them together are bounded. */
  #endLargest(unread: Unread[]): void {
    let sum = unread.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { socket, bytes } of unread.sort((a, b) => b.bytes - a.bytes)) {
      if (sum <= this.#bounds.unreadBytes) return;
      sum -= bytes;
      cut(socket);
    }
  }
}

const forgetFinished = (sendings: Sending[]): void => {
  while (sendings[0]?.response.writableFinished) sendings.shift();
};

/** The bytes of answers that wait for those before them: the socket does not know of these. */
const countWaitingBytes = (sendings: readonly Sending[]): number =>
  sendings.reduce((sum, { response }) => sum + (response.socket ? 0 : response.writableLength), 0);

/** Bytes that the network has taken from us. */
const takenOf = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

/** Ends it by a reset: in HTTP/1.0, where the end of a connection ends the body, a part would pass for the whole. */
const cut = (socket: Socket): void => void socket.resetAndDestroy();
