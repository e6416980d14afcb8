// Sends requests to the measured server.
import { Agent, request } from 'node:http';

export interface Answer {
  status: number;
  text: string;
}

/** Sends requests with one token over one persistent connection. */
export type Ask = (path: string, body: unknown) => Promise<Answer>;

export const createAsker = (port: number, token: string): Ask => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (path, body) =>
    new Promise((resolve, reject) => {
      const content = Buffer.from(JSON.stringify(body));
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': content.length,
      };
      const sent = request({ host: '127.0.0.1', port, path, agent, method: 'POST', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(content);
    });
};
