// The disk of the embedded PostgreSQL is full: nothing acknowledged is lost, and the same process continues once there is space again.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { killPostmaster } from '../embedded-server/clusters.ts';
import { spawnServer } from '../harness/serving.ts';
import { waitUntil } from '../harness/waiting.ts';
import { listDatabaseEvents, makeFolder, makeServedFolder } from './served-folder.ts';
import { mountSmallDisk } from './small-disk.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Fills the disk of a folder, up to this many bytes. */
const fill = (folder: string, leave: number): string => {
  const file = join(folder, 'filling');
  const { bavail, bsize } = fs.statfsSync(folder);
  fs.writeFileSync(file, Buffer.alloc(bavail * bsize - leave));
  return file;
};

/** Appends to a file until nothing fits on its disk. */
const append = (file: string): void => {
  try {
    for (;;) fs.appendFileSync(file, Buffer.alloc(4096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
};

it('writes are refused with 503 while the disk is full, and succeed again afterwards', async (context) => {
  const data = makeFolder();
  mountSmallDisk(context, data, '400m');
  const { token } = await makeServedFolder(data);
  const server = await spawnServer({ MUSTER_DATA_DIR: data });
  expect(server.child.exitCode, server.said.err).toBe(null);
  const graphql = (query: string, variables?: unknown) => server.ask(token, 'POST', '/graphql', { query, variables });
  const id = (await graphql('{ contacts(first: 1) { nodes { id: databaseId } } }')).body.data.contacts.nodes[0]
    .id as string;
  const acknowledged: string[] = [];
  const refused: number[] = [];
  const write = async (): Promise<void> => {
    // Random text, which cannot be compressed.
    const content = `${acknowledged.length + refused.length} ${randomBytes(45_000).toString('base64')}`;
    const { status, headers } = await server.ask(token, 'POST', `/v1/contacts/${id}/notes`, { content, pinned: false });
    if (status === 201) return void acknowledged.push(content.split(' ')[0]!);
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    refused.push(status);
  };

  const file = fill(data, 1024 * 1024);
  await waitUntil('writes are refused', async () => {
    await write();
    return refused.length > 0;
  });
  fs.rmSync(file);
  const before = acknowledged.length;
  await waitUntil('notes are written again', async () => {
    await write();
    return acknowledged.length > before;
  });

  expect(server.child.exitCode).toBe(null);
  const { body } = await graphql('query ($id: ID!) { contact(id: $id) { notes(first: 1000) { nodes { content } } } }', {
    id,
  });
  const written = body.data.contact.notes.nodes.map(({ content }: { content: string }) => content.split(' ')[0]);
  expect(acknowledged.filter((number) => !written.includes(number))).toEqual([]);
  expect(new Set(written).size).toBe(written.length);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});

it('a database that is killed while its disk is full is restarted, and works when there is space again', async (context) => {
  const data = makeFolder();
  mountSmallDisk(context, data, '400m');
  const { token } = await makeServedFolder(data);
  const server = await spawnServer({ MUSTER_DATA_DIR: data });
  const read = async (): Promise<number> => (await server.ask(token, 'GET', '/users/1')).status;
  expect(await read()).toBe(200);
  const file = fill(data, 1024 * 1024);
  append(file);
  killPostmaster(data);
  const statuses = new Set<number>();
  // A dying PostgreSQL frees some space, in which it starts again if it is faster than this test. Otherwise its start fails after half a minute.
  const hasTried = async (): Promise<boolean> => {
    append(file);
    statuses.add(await read());
    return listDatabaseEvents(server).some(({ pid, failures }) => pid || failures === 2);
  };
  await waitUntil('it runs again, or could not be restarted', hasTried, 90_000);
  expect([200, 503]).toEqual(expect.arrayContaining([...statuses]));
  fs.rmSync(file);
  await waitUntil('requests succeed again', async () => (await read()) === 200, 60_000);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});
