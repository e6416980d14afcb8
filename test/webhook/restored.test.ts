// Webhooks of a restored database: silent until somebody says otherwise, and then with the ids that receivers know.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { createBackup } from '../database/backups.ts';
import { createDatabase, type Json, openApp } from '../harness/app.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';
import { runHere } from '../harness/run-here.ts';
import { programFolder } from '../harness/serving.ts';
import { waitUntil } from '../harness/waiting.ts';
import { startJobs } from './receiver.ts';
import { openWebhookDoor } from './webhook-door.ts';

vi.setConfig({ testTimeout: 60_000 });

const { door, receiver, run, create, settle } = await openWebhookDoor();
const createContact = (name: string): string =>
  `mutation { createContact(input: { firstName: "${name}" }) { contact { id } } }`;
const isAbout =
  (contact: Json) =>
  ({ data }: Json): boolean =>
    data.id === contact.createContact.contact.id;

it('are paused, go on where they were, and send what waited under its former id', async () => {
  const hook = await create({ events: ['CONTACT_CREATED'] });
  const delivered = await run(createContact('Delivered'));
  await settle();
  receiver.answer = (_, response) => response.writeHead(500).end();
  const waiting = await run(createContact('Waiting'));
  await waitUntil('the first attempt', async () => receiver.received.some(isAbout(waiting)));
  const file = join(programFolder, 'webhooks.backup');
  writeFileSync(file, await createBackup(door.databaseUrl));
  receiver.answer = (_, response) => response.end();
  await settle();
  const ids = receiver.received
    .splice(0)
    .filter(isAbout(waiting))
    .map(({ id }) => id);
  expect(new Set(ids).size).toBe(1);

  const copyUrl = await createDatabase('empty');
  expect(await runHere(copyUrl, ['restore', file])).toMatchObject({
    code: 0,
    err: expect.stringMatching(/\n1 webhooks are paused, /),
  });
  const database = new Database(copyUrl);
  cleanUpAfterFile(() => database.close());
  const copy = await openApp({ WEBHOOK_PRIVATE_ADDRESSES: true }, undefined, {
    ...door,
    database,
    databaseUrl: copyUrl,
  });
  startJobs(copy);
  const send = async (query: string): Promise<Json> => (await copy.graphql(query)).body.data;
  const inCopy = await send(createContact('In the copy'));
  await waitUntil(
    'the change of the copy has its place',
    async () => (await copy.sql('select 1 from change_queue')).length === 0,
  );
  await sleep(300);
  expect(receiver.received).toEqual([]);
  expect((await send(`{ webhook(id: "${hook}") { isActive disabledReason } }`)).webhook).toEqual({
    isActive: false,
    disabledReason: 'the database was restored from a backup',
  });
  await send(`mutation { updateWebhook(input: { id: "${hook}", isActive: true }) { webhook { id } } }`);
  await waitUntil(
    'both messages',
    async () => receiver.received.some(isAbout(inCopy)) && receiver.received.some(isAbout(waiting)),
  );
  expect(receiver.received.find(isAbout(waiting))!.id).toBe(ids[0]);
  expect(receiver.received.some(isAbout(delivered))).toBe(false);
});

it('stay active when the copy takes the place of the original', async () => {
  await create({ events: ['CONTACT_CREATED'] });
  const file = join(programFolder, 'webhooks-active.backup');
  writeFileSync(file, await createBackup(door.databaseUrl));
  const copyUrl = await createDatabase('empty');
  const { code, err } = await runHere(copyUrl, ['restore', file, '--send-webhooks']);
  expect([code, err]).toEqual([0, expect.not.stringContaining('paused')]);
  const database = new Database(copyUrl);
  cleanUpAfterFile(() => database.close());
  const copy = await openApp({}, undefined, { ...door, database, databaseUrl: copyUrl });
  expect(await copy.sql('select disabled_at from webhooks')).toEqual([{ disabled_at: null }]);
});
