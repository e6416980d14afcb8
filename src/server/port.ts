// The port that the server listens on: taken, free, or not allowed.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface Place {
  HOST: string;
  PORT: number;
}

/** In milliseconds: the workers of a killed process keep its port for a moment. */
const patience = 2000;

/** Lets a server listen. Throws an Error in plain words when the port is taken or forbidden. */
export const listenOn = async (server: Server, { HOST, PORT }: Place): Promise<void> => {
  for (const deadline = performance.now() + patience; ; await sleep(100)) {
    server.listen(PORT, HOST);
    const error = await once(server, 'listening').then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    );
    if (!error) return;
    const isTaken = error.code === 'EADDRINUSE';
    if (isTaken && performance.now() < deadline) continue;
    const reason = isTaken ? 'is in use; set PORT to another' : `cannot be used: ${error.message}`;
    throw new Error(`Port ${PORT} on ${HOST} ${reason}`);
  }
};

/** Throws as `listenOn` does: a start that takes a while should fail at once. */
export const requirePort = async (place: Place): Promise<void> => {
  const server = createServer();
  await listenOn(server, place);
  server.close();
  await once(server, 'close');
};
