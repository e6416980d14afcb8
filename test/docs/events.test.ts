// The receiver in docs/events.md runs as the page shows it: it takes the messages of a webhook, and refuses forged ones.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { generateWebhookSecret, signMessage } from '../../src/webhook/sign.ts';
import { until } from '../harness/waiting.ts';
import { createQuery, openWebhookDoor } from '../webhook/webhook-door.ts';

const [receiver] = [...readFileSync('docs/events.md', 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(
  ([, text]) => text!,
);

const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
let stop = (): void => {};
afterAll(() => {
  stop();
  rmSync(folder, { recursive: true, force: true });
});

const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

it('its receiver verifies a message, and refuses a forged one', async () => {
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), receiver!);
  const { run, readDeliveries, settle, jobs } = await openWebhookDoor();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/hooks`;
  const { secret } = (await run(createQuery, { input: { name: 'Docs', url, events: ['CONTACT_CREATED'] } }))
    .createWebhook;
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) };
  const child = spawn(process.execPath, [join(folder, 'receiver.mjs')], { env });
  stop = () => void child.kill();
  let printed = '';
  let failed = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  child.stderr.on('data', (text) => {
    failed += text;
  });
  const { contact } = (await run('mutation { createContact(input: { firstName: "Ada" }) { contact { id } } }'))
    .createContact;
  // Until the receiver listens, the delivery is tried again.
  await settle();
  const [delivery] = await readDeliveries();
  expect([failed, delivery]).toMatchObject(['', { state: 'DELIVERED', status: 204 }]);
  await until('the receiver prints the message', () => printed.endsWith('\n'));
  expect(printed).toMatch(new RegExp(`^msg_\\S+ contact\\.created ${contact.id}\n$`));

  const seconds = Math.floor(Date.now() / 1000);
  const forged = { id: 'msg_forged', body: JSON.stringify({ type: 'contact.created', data: { id: 'Contact:1' } }) };
  const post = async (headers: Record<string, string>, body = forged.body): Promise<number> =>
    (await fetch(url, { method: 'POST', headers, body })).status;
  const signed = signMessage(forged, [secret], seconds);
  expect(await post(signMessage(forged, [generateWebhookSecret()], seconds))).toBe(401);
  expect(await post(signed, forged.body.replace('Contact:1', 'Contact:2'))).toBe(401);
  expect(await post(signMessage(forged, [secret], seconds - 3600))).toBe(401);
  expect(await post({})).toBe(401);
  // Only the signature was wrong: with the secret, the same message is taken.
  expect(await post(signed)).toBe(204);
  await until('the receiver prints the last message', () => printed.split('\n').length > 2);
  expect(printed.split('\n').slice(1)).toEqual(['msg_forged contact.created Contact:1', '']);
  expect(jobs.failures).toEqual([]);
});
