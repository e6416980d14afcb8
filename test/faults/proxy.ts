// A TCP proxy for tests: it stalls, swallows, delays or cuts connections, as networks do.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A client's connection with the one to the target behind it. */
interface Pair {
  client: Socket;
  server: Socket;
  frozen: boolean;
}

export interface FaultyProxy {
  port: number;
  /** The number of open connections. */
  readonly open: number;
  /** The number of connections accepted since the start. */
  readonly accepted: number;
  /** The same URL, through the proxy. */
  url(databaseUrl: string): string;
  /** Stalls the open connections. New ones are carried, or with `all` stalled as well; neither side gets an error. */
  freeze(options?: { all?: boolean }): void;
  /** Stalls one of them: the oldest that is not frozen yet. Returns whether there was one. */
  freezeOne(): boolean;
  /** Resumes, with all that was sent meanwhile. Connections that were swallowed are cut, since their bytes are lost. */
  thaw(): void;
  /** Accepts connections and bytes, and carries none of them. */
  blackhole(): void;
  /** Delays every byte by so many milliseconds, in both directions. 0 ends that. */
  delay(milliseconds: number): void;
  /** Resets all open connections on both sides. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of `target`: a URL, or a port of this machine. */
export const startProxy = async (target: string | number): Promise<FaultyProxy> => {
  const url = typeof target === 'string' ? new URL(target) : undefined;
  const to = url
    ? { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 5432) }
    : { host: '127.0.0.1', port: target as number };
  const pairs = new Set<Pair>();
  const swallowed = new Set<Socket>();
  const state = { freezesAll: false, swallows: false, delay: 0 };

  const carry = (pair: Pair, from: Socket, into: Socket): void => {
    // Bytes stay in order, whatever the delay was when each was sent.
    let last = Promise.resolve();
    const later = (step: () => void): void => {
      const { delay } = state;
      const due = delay > 0 ? new Promise<void>((resolve) => setTimeout(resolve, delay)) : undefined;
      last = Promise.all([last, due]).then(step);
    };
    from.on('data', (data) => {
      if (state.swallows) return;
      if (state.delay > 0) return later(() => void into.write(data));
      last = last.then(() => {
        if (into.destroyed || into.write(data)) return;
        from.pause();
        into.once('drain', () => pair.frozen || from.resume());
      });
    });
    from.on('end', () => state.swallows || later(() => void into.end()));
    from.on('error', () => {});
    from.on('close', () => {
      if (!state.swallows) later(() => void into.destroySoon());
      else into.destroy();
      pairs.delete(pair);
    });
  };

  const setFrozen = (pair: Pair, frozen: boolean): void => {
    pair.frozen = frozen;
    for (const socket of [pair.client, pair.server]) frozen ? socket.pause() : socket.resume();
  };

  let accepted = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    accepted++;
    if (state.swallows) {
      swallowed.add(client.on('error', () => {}).resume());
      return void client.once('close', () => swallowed.delete(client));
    }
    const behind = connect({ ...to, allowHalfOpen: true });
    const pair: Pair = { client: client.setNoDelay(), server: behind.setNoDelay(), frozen: false };
    pairs.add(pair);
    carry(pair, client, behind);
    carry(pair, behind, client);
    if (state.freezesAll) setFrozen(pair, true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const reset = (): void => {
    for (const { client, server: behind } of pairs) {
      client.resetAndDestroy();
      behind.resetAndDestroy();
    }
    for (const client of swallowed) client.resetAndDestroy();
  };
  return {
    port,
    get open() {
      return pairs.size + swallowed.size;
    },
    get accepted() {
      return accepted;
    },
    url(databaseUrl) {
      const through = new URL(databaseUrl);
      through.hostname = '127.0.0.1';
      through.port = String(port);
      return through.href;
    },
    freeze({ all = false } = {}) {
      state.freezesAll = all;
      for (const pair of pairs) setFrozen(pair, true);
    },
    freezeOne() {
      const pair = [...pairs].find(({ frozen }) => !frozen);
      if (pair) setFrozen(pair, true);
      return pair !== undefined;
    },
    thaw() {
      if (state.swallows) reset();
      state.freezesAll = false;
      state.swallows = false;
      for (const pair of pairs) setFrozen(pair, false);
    },
    blackhole() {
      state.swallows = true;
    },
    delay(milliseconds) {
      state.delay = milliseconds;
    },
    cut: reset,
    async close() {
      reset();
      server.close();
      await once(server, 'close');
    },
  };
};
