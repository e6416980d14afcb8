// Servers behind a balancer are replaced one by one under load, and no request fails.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createDatabase } from '../harness/app.ts';
import { createToken, type Serving, spawnServer } from '../harness/serving.ts';
import { chooseCount } from '../harness/sizes.ts';
import { waitUntil } from '../harness/waiting.ts';
import { startBalancer } from './balancer.ts';

vi.setConfig({ testTimeout: 300_000 });

let databaseUrl: string;
let token: string;

beforeAll(async () => {
  databaseUrl = await createDatabase();
  token = await createToken(databaseUrl);
});

const start = (env: Record<string, string> = {}, options: string[] = []): Promise<Serving> =>
  spawnServer({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent', POOL_SIZE: '4', ...env }, options);

it('no request fails while servers are replaced again and again, with DRAIN_DELAY longer than the balancer needs to notice', async () => {
  const balancer = await startBalancer();
  onTestFinished(() => balancer.close());
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const statuses = new Map<number, number>();
  const read = (): Promise<void> =>
    new Promise((resolve) => {
      const headers = { Authorization: `Bearer ${token}` };
      const count = (status: number): void => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        resolve();
      };
      const sent = request(`${balancer.url}/users/1`, { agent, headers }, (answer) => {
        answer.resume();
        answer.on('end', () => count(answer.statusCode!));
        answer.on('error', () => count(0));
      });
      sent.on('error', () => count(0));
      sent.end();
    });

  let serving = await start({ DRAIN_DELAY: '1' });
  await balancer.add(serving.url);
  let isOver = false;
  const asking = Array.from({ length: 6 }, async () => {
    while (!isOver) await read();
  });
  const swaps = chooseCount(4, 4, 20);
  for (let swap = 0; swap < swaps; swap++) {
    const next = await start({ DRAIN_DELAY: '1' });
    await balancer.add(next.url);
    const before = statuses.get(200) ?? 0;
    serving.child.kill('SIGTERM');
    expect(await serving.ended).toBe(0);
    expect(statuses.get(200)).toBeGreaterThan(before);
    serving = next;
  }
  isOver = true;
  await Promise.all(asking);
  expect([...statuses.keys()]).toEqual([200]);
  expect(statuses.get(200)).toBeGreaterThan(250 * swaps);
});

it.each([
  ['--behind-proxy', ['--behind-proxy']],
  ['two workers', ['--workers', '2']],
])('with %s, a server still accepts requests for five seconds after it reports that it is not ready', async (_, options) => {
  const server = await start({}, options);
  const ready = async (): Promise<number> => (await server.ask(token, 'GET', '/health/ready')).status;
  expect(await ready()).toBe(200);
  const toldAt = performance.now();
  server.child.kill('SIGTERM');
  await waitUntil('it reports not ready', async () => (await ready()) === 503);
  while (performance.now() - toldAt < 4000) {
    expect((await server.ask(token, 'GET', '/users/1')).status).toBe(200);
    await sleep(200);
  }
  expect(await server.ended).toBe(0);
  expect(performance.now() - toldAt).toBeGreaterThan(4900);
});
