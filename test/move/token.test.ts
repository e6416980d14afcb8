// muster move-in --from: where the token of the source comes from, and that the source gets no other.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';
import { runHere } from '../harness/run-here.ts';
import { createSpace, listenLocally } from './moving.ts';

const token = 'of-the-source';
const folder = createFolder();
const file = join(folder, 'token');
const sent = new Set<string | undefined>();
let door: Door;
let address: string;
let space: number;

beforeAll(async () => {
  door = await openApp();
  space = await createSpace(door);
  // A space without records.
  address = await listenLocally((request, response) => {
    sent.add(request.headers.authorization);
    const data = { '/search': { contacts: null }, '/kpi': { total: 0 } }[request.url!.split('?')[0]!];
    const status = request.headers.authorization === `Bearer ${token}` ? (data ? 200 : 404) : 401;
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ data }));
  });
  // As `muster token create > token` writes it.
  writeFileSync(file, `${token}\n`);
});
beforeEach(() => sent.clear());

const move = async (args: string[], SOURCE_TOKEN = 'of-the-environment') => {
  const line = ['move-in', '--from', address, '--space', String(space), '--dry-run', ...args];
  return { ...(await runHere(door.databaseUrl, line, { SOURCE_TOKEN })), sent: [...sent] };
};
const whole = { code: 0, out: expect.stringContaining('dry run'), sent: [`Bearer ${token}`] };
const warning = 'visible in the list of processes';

describe('the token is read', () => {
  it('from --token, with a warning', async () => {
    expect(await move(['--token', token])).toEqual({ ...whole, err: expect.stringContaining(warning) });
  });

  it('from the file of --token-file, without one', async () => {
    expect(await move(['--token-file', file])).toEqual({ ...whole, err: expect.not.stringContaining(warning) });
  });

  it('from SOURCE_TOKEN, when neither is named', async () => {
    expect(await move([], token)).toEqual({ ...whole, err: expect.not.stringContaining(warning) });
    sent.clear();
    expect(await move([])).toMatchObject({ code: 1, sent: ['Bearer of-the-environment'] });
  });
});

it.each([
  ['both are named', ['--token', token, '--token-file', file], 2, 'name either --token or --token-file'],
  ['the file is empty', ['--token-file', '/dev/null'], 1, 'The token of the server is missing'],
  ['there is no file', ['--token-file', join(folder, 'none')], 1, 'none cannot be read: ENOENT'],
  ['it is no word', ['--token', 'two words'], 1, 'must be one word of ASCII'],
])('the source is not asked when %s', async (_, args, code, text) => {
  expect(await move(args)).toEqual({ code, out: '', err: expect.stringContaining(text), sent: [] });
});
