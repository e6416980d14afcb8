// Exports while contacts change: each contact that exists throughout is exported once, whatever the sort order.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sortNames } from '../../src/search/sort.ts';
import { type Door, openApp } from '../harness/app.ts';
import { buildProgram } from '../harness/program.ts';
import { openSession } from '../harness/session.ts';
import { drawSample } from '../harness/sizes.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 60_000 });

const { folder, program, place } = buildProgram();
const contacts = 4000;
let door: Door;
let token: string;

beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
  await door.sql(
    `insert into contacts (group_id, surname, firstname, married_name, mail, gender, birthdate)
     select 1, 'S' || n, 'F' || n, 'M' || n, n || '@example.org', (array['F', 'M', 'O'])[1 + n % 3], date '1950-01-01' + n from generate_series(1, ?) n`,
    [contacts],
  );
  await door.sql(`insert into addresses (group_id, contact_id, city) select 1, id, 'C' || id from contacts
                   where group_id = 1 and surname like 'S%' on conflict do nothing`);
  await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
});

const pick = `select id from contacts where group_id = 1 and deleted_at is null order by random() limit $1`;
const change = `with moving as materialized (
      select * from jsonb_to_recordset($1) m (id bigint, surname text, firstname text, married_name text, mail text, gender text, birthdate date, city text)),
    settled as (update addresses a set city = m.city from moving m where a.group_id = 1 and a.contact_id = m.id)
  update contacts c set surname = m.surname, firstname = m.firstname, married_name = m.married_name, mail = m.mail, gender = m.gender, birthdate = m.birthdate
    from moving m where c.group_id = 1 and c.id = m.id`;
const leave = `update contacts set deleted_at = now() where group_id = 1 and id = any($1)`;
const come = `insert into contacts (group_id, surname) select 1, md5(random()::text) from generate_series(1, 5) returning id`;

/** Values by which a contact moves in every order. */
const draw = (id: string) => {
  const [surname, firstname, married_name, city, name] = Array.from({ length: 5 }, () => randomUUID());
  const birthdate = new Date(Math.random() * 1.7e12 - 6e11).toISOString().slice(0, 10);
  return {
    id,
    surname,
    firstname,
    married_name,
    city,
    mail: `${name}@example.org`,
    gender: ['F', 'M', 'O', null][Math.floor(Math.random() * 4)],
    birthdate: Math.random() < 0.1 ? null : birthdate,
  };
};

/** Changes contacts continuously until it is stopped. */
const startWriter = async () => {
  const client = await openSession(door.databaseUrl);
  const state = { rounds: 0, stop: async () => {} };
  let stopped = false;
  const write = async (): Promise<void> => {
    while (!stopped) {
      await client.query('begin');
      // A tenth moves, a few are deleted, a few are added.
      const idsOf = async (text: string, values?: unknown[]): Promise<string[]> =>
        (await client.query(text, values)).rows.map(({ id }) => id);
      const moving = await idsOf(pick, [400]);
      await client.query(change, [JSON.stringify(moving.map(draw))]);
      const leaving = await idsOf(pick, [5]);
      await client.query(leave, [leaving]);
      const others = [...leaving, ...(await idsOf(come))];
      await client.query('select touch_contacts(1, $1, 1)', [moving]);
      await client.query('select refresh_search(1, $1)', [others]);
      await client.query('commit');
      state.rounds++;
    }
  };
  const written = write();
  state.stop = async () => {
    stopped = true;
    await written;
  };
  onTestFinished(() => state.stop());
  return state;
};

const livingIds = async (): Promise<number[]> =>
  (await door.sql('select id from contacts where group_id = 1 and deleted_at is null')).map(({ id }) => Number(id));

/** Reads an export while contacts change: after every 500 lines, it waits for enough writes to move many contacts. */
const readWhileMoving = async (open: () => Promise<Readable>): Promise<{ doubled: number[]; missed: number[] }> => {
  const before = await livingIds();
  const writer = await startWriter();
  const seen = new Map<number, number>();
  let lines = 0;
  for await (const line of createInterface({ input: await open() })) {
    const { id } = JSON.parse(line);
    seen.set(id, (seen.get(id) ?? 0) + 1);
    if (++lines % 500 > 0) continue;
    const { rounds } = writer;
    await waitUntil('contacts have moved', () => writer.rounds > rounds + 1);
  }
  await writer.stop();
  const after = new Set(await livingIds());
  const stayed = before.filter((id) => after.has(id));
  expect(stayed.length).toBeGreaterThan(contacts / 2);
  return {
    doubled: [...seen].filter(([, count]) => count > 1).map(([id]) => id),
    missed: stayed.filter((id) => !seen.has(id)),
  };
};

const searches = [null, ...sortNames].map((sort, index) => [sort, index % 2 === 0] as const);

describe('an export that is read while contacts change', () => {
  it.each(drawSample(searches, { small: 6 }))('by %s, ascending %s, has each contact once', async (sort, ascending) => {
    const body = { data: { advanced_search: { sort_attr: sort ?? undefined, sort_asc: ascending } } };
    const found = await readWhileMoving(async () => {
      const answer = await door.app.fetch(
        new Request('http://muster.test/export', {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
      expect(answer.status).toBe(200);
      return Readable.fromWeb(answer.body as ReadableStream);
    });
    expect(found).toEqual({ doubled: [], missed: [] });
  });

  it('by muster export has each contact once', async () => {
    const search = join(place, 'search.json');
    writeFileSync(search, JSON.stringify({ sort_attr: 'lastchange', sort_asc: false }));
    let ended: Promise<unknown> | undefined;
    const found = await readWhileMoving(async () => {
      const child = spawn(process.execPath, [program, 'export', '--space', '1', '--search', search], {
        cwd: folder,
        env: { PATH: process.env.PATH, DATABASE_URL: door.databaseUrl },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      ended = once(child, 'exit');
      return child.stdout;
    });
    expect(found).toEqual({ doubled: [], missed: [] });
    expect(await ended).toEqual([0, null]);
  });
});

it('an export keeps the order of its start, has each contact as it is now, and drops those deleted since', async () => {
  const [{ ids }] = await door.sql(
    `select array(select c.id from contacts c join contact_search s on s.group_id = c.group_id and s.contact_id = c.id
      where c.group_id = 1 and s.surname > '' order by s.surname, c.id) as ids`,
  );
  const order = ids.map(Number) as number[];
  const answer = await door.app.fetch(
    new Request('http://muster.test/export', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ data: { advanced_search: { sort_attr: 'surname', sort_asc: true } } }),
    }),
  );
  const [gone, moved] = order.slice(-2) as [number, number];
  await door.sql('update contacts set deleted_at = now() where group_id = 1 and id = ?', [gone]);
  await door.sql(`update contacts set surname = '0 first' where group_id = 1 and id = ?`, [moved]);
  await door.sql('select refresh_search(1, cast(? as bigint[]))', [[gone, moved]]);
  const read = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(read.map(({ id }) => id).slice(0, order.length - 1)).toEqual(order.filter((id) => id !== gone));
  expect(read.find(({ id }) => id === moved).surname).toBe('0 first');
});
