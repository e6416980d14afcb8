// The connections of a server: how many an address may open, and how long a client may take to read an answer.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from './limits.ts';

/** In milliseconds: how often answers that are not read are looked for. */
const sweepMs = 1000;

/** What a connection is being sent. */
interface Sending {
  response: ServerResponse;
  /** When its time began to run, in milliseconds of `performance.now()`; 0 while the client reads as fast as it is sent. */
  since: number;
  seconds: number;
}

type Bounds = typeof limits.connection;

interface ConnectionsOptions {
  /** Whether many clients come over connections of this address. */
  isProxy(address: string | undefined): boolean;
  bounds?: Bounds;
}

export class Connections {
  readonly #server: Server;
  readonly #sockets = new Map<Socket, Sending | undefined>();
  readonly #counts = new Map<string, number>();
  readonly #bounds: Bounds;

  constructor(server: Server, { isProxy, bounds = limits.connection }: ConnectionsOptions) {
    this.#server = server;
    this.#bounds = bounds;
    server.maxConnections = bounds.connections;
    server.on('connection', (socket: Socket) => {
      const address = isProxy(socket.remoteAddress) ? undefined : socket.remoteAddress;
      const count = address === undefined ? 0 : (this.#counts.get(address) ?? 0) + 1;
      if (count > bounds.connectionsPerAddress) return void socket.destroy();
      if (address !== undefined) this.#counts.set(address, count);
      this.#sockets.set(socket, undefined);
      socket.once('close', () => this.#forget(socket, address));
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#sockets.set(socket, { response, since: 0, seconds: bounds.answerSeconds });
    });
    const sweep = setInterval(() => this.#endUnread(), sweepMs).unref();
    server.once('close', () => clearInterval(sweep));
  }

  /** Gives the client of an export more time, which runs from now on. */
  sendExport({ socket }: IncomingMessage): void {
    const sending = this.#sockets.get(socket);
    if (!sending) return;
    sending.since = performance.now();
    sending.seconds = this.#bounds.exportSeconds;
  }

  /** Browsers hold connections in reserve. One that has not sent a byte yet is busy to Node, which would wait for it. */
  closeUnused(): void {
    this.#server.closeIdleConnections();
    for (const socket of this.#sockets.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  #forget(socket: Socket, address: string | undefined): void {
    this.#sockets.delete(socket);
    if (address === undefined) return;
    const count = this.#counts.get(address)! - 1;
    if (count === 0) this.#counts.delete(address);
    else this.#counts.set(address, count);
  }

  /** An answer counts as unread while bytes of it wait here: the client takes fewer than the network would carry. */
  #endUnread(): void {
    const now = performance.now();
    const unread: Socket[] = [];
    for (const [socket, sending] of this.#sockets) {
      if (!sending) continue;
      const isExport = sending.seconds === this.#bounds.exportSeconds;
      if (sending.response.writableFinished || (socket.writableLength === 0 && !isExport)) sending.since = 0;
      else if (sending.since === 0) sending.since = now;
      else if (now - sending.since > sending.seconds * 1000) socket.destroy();
      else unread.push(socket);
    }
    this.#endLargest(unread);
  }

  /** Bytes that wait are held in memory, so that there is a bound for all of them together. */
  #endLargest(unread: Socket[]): void {
    let bytes = unread.reduce((sum, { writableLength }) => sum + writableLength, 0);
    if (bytes <= this.#bounds.unreadBytes) return;
    for (const socket of unread.sort((a, b) => b.writableLength - a.writableLength)) {
      if (bytes <= this.#bounds.unreadBytes) return;
      bytes -= socket.writableLength;
      socket.destroy();
    }
  }
}
