// The blocks of docs/events.md run as the page shows them: the feed, a webhook with its message, a subscription, and a receiver that refuses forged messages.
import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listCodeBlocks } from '../../packages/pages/guide/markdown.ts';
import { generateWebhookSecret, signMessage } from '../../src/data/event/webhook.ts';
import type { Json } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';
import { findFreePort } from '../harness/free-port.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createQuery, openWebhookDoor } from '../webhook/webhook-door.ts';

const blocks = listCodeBlocks(readFileSync('docs/events.md', 'utf8'));
const listBlocks = (wanted: string): [string, ...string[]] =>
  blocks.filter(({ language }) => language === wanted).map(({ text }) => text) as [string];
const [receiverScript] = listBlocks('js');
const { door, receiver, token, run, readDeliveries, settle, jobs } = await openWebhookDoor();

const folder = createFolder();
let stop = (): void => {};
afterAll(() => {
  stop();
});

/** Runs a subscription, and `work` again and again until its first event, which is returned. */
const follow = async (query: string, work: () => Promise<unknown>): Promise<Json> => {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'text/event-stream',
  };
  const body = JSON.stringify({ query });
  const response = await door.app.fetch(new Request('http://muster.test/graphql', { method: 'POST', headers, body }));
  const reader = response.body!.getReader();
  let text = '';
  const read = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += Buffer.from(part.value);
  };
  const reading = read();
  const findData = () => /^data: (.+)$/m.exec(text)?.[1];
  await waitUntil('an event came', async () => {
    await work();
    return findData();
  });
  await reader.cancel();
  await reading;
  return JSON.parse(findData()!);
};

const createAda = async (): Promise<string> =>
  (await run('mutation { createContact(input: { firstName: "Ada" }) { contact { id } } }')).createContact.contact.id;

describe('its documents', () => {
  const [latest, next, createHook, watch, ...others] = listBlocks('graphql') as [string, string, string, string];

  it('read what comes after the latest change, and follow contacts', async () => {
    expect(others).toEqual([]);
    const { cursor } = (await run(latest)).changes;
    const contact = await createAda();
    await settle();
    const { changes } = await run(next, { cursor });
    expect(changes).toEqual({
      nodes: [
        {
          operation: 'CREATED',
          recordId: contact,
          contactId: contact,
          fields: [],
          node: { id: contact, firstName: 'Ada', email: null },
        },
      ],
      cursor: expect.any(String),
      hasMore: false,
    });
    expect((await run(next, { cursor: changes.cursor })).changes.nodes).toEqual([]);
    const created = { operation: 'CREATED', recordId: expect.any(String), fields: [], node: { firstName: 'Ada' } };
    expect(await follow(watch, createAda)).toEqual({ data: { contactChanged: created } });
  });

  it('create a webhook, which is sent a message as shown', async () => {
    const here = createHook.replace('https://example.org/hooks', receiver.url);
    expect(here).not.toBe(createHook);
    const { secret } = (await run(here)).createWebhook;
    receiver.secret = secret;
    const contact = await createAda();
    await run(`mutation { updateContact(input: { id: "${contact}", email: "ada@example.org" }) { contact { id } } }`);
    await settle();
    const messages = receiver.received.splice(0);
    expect(messages.map(({ type }) => type)).toEqual(['contact.created', 'contact.updated']);
    const [shown] = listBlocks('json').map((text) => JSON.parse(text));
    const sent = JSON.parse(messages[1]!.body);
    expect(sent).toEqual({
      ...shown,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { ...shown.data, id: contact, contactId: contact, cursor: expect.any(String) },
    });
    expect(`${sent.data.cursor.slice(0, shown.data.cursor.length - 1)}…`).toBe(shown.data.cursor);
    for (const name of ['Went', 'Came'])
      await run(
        `mutation { updateContact(input: { id: "${contact}", tags: [{ name: "${name}" }] }) { contact { id } } }`,
      );
    await settle();
    const [first, second] = receiver.received.splice(0).map(({ data }) => data) as [Json, Json];
    expect([first.fields, first.before, first.after]).toEqual([
      ['tags'],
      { tags: [] },
      { tags: [{ id: expect.stringMatching(/^Tag:\d+$/), name: 'Went' }] },
    ]);
    const came = { tags: [{ id: expect.stringMatching(/^Tag:\d+$/), name: 'Came' }] };
    expect([second.before, second.after]).toEqual([first.after, came]);
    expect(second.after).not.toEqual(second.before);
  });
});

it('its receiver verifies a message, and refuses a forged one', async () => {
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), receiverScript);
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
  await waitUntil('the receiver prints the message', () => printed.endsWith('\n'));
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
  await waitUntil('the receiver prints the last message', () => printed.split('\n').length > 2);
  expect(printed.split('\n').slice(1)).toEqual(['msg_forged contact.created Contact:1', '']);
  expect(jobs.failures).toEqual([]);
});
