// A list of the real world, brought in and searched: the communes of France, as a package of open data ships them.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'csv-stringify/sync';
import { expect, it } from 'vitest';
import { type Json, openApp } from '../harness/app.ts';
import { buildProgram } from '../harness/program.ts';

const { folder, program, place } = buildProgram();

it('35,000 communes become contacts with addresses, and are found', async () => {
  const door = await openApp();
  const source = createRequire(import.meta.url).resolve('@etalab/decoupage-administratif/data/communes.json');
  const communes = (JSON.parse(readFileSync(source, 'utf8')) as Json[]).filter(({ codesPostaux }) => codesPostaux);
  expect(communes.length).toBeGreaterThan(30_000);
  const file = join(place, 'communes.csv');
  const rows = communes.map(({ code, nom, codesPostaux, departement }) => [code, nom, codesPostaux[0], departement]);
  writeFileSync(
    file,
    stringify(rows, { header: true, columns: ['Code', 'Commune', 'CP', 'Département'], delimiter: ';' }),
  );

  const [{ id }] = await door.sql(`insert into spaces (name) values ('Communes') returning id`);
  const map = 'Code=external_id,Commune=surname,CP=address_postalcode,Département=tags';
  const args = ['import', 'contacts', file, '--space', String(id), '--mode', 'create', '--map', map];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, DATABASE_URL: door.databaseUrl },
  });
  expect(stdout).toContain(
    `${communes.length.toLocaleString('en-US')} contacts created, 0 updated, 0 unchanged, 0 rows rejected`,
  );

  await door.sql(
    `with role as (insert into roles (group_id, name, type) values (?, 'Admin', 'admin') returning group_id, id)
     insert into members (group_id, user_id, role_id) select group_id, 1, id from role`,
    [id],
  );
  const search = async (attr: string, ope: string, value: unknown): Promise<Json> => {
    const query = { $all: [{ $all: [{ $condition: { attr, ope, value } }] }] };
    const body = { data: { advanced_search: { per_page: 1000, query, with_total: true } } };
    return (await door.rest('POST', '/search', body, await door.token(id, 1))).body.data;
  };
  expect((await search('surname', 'start_with', 'CHATELAILLON')).contacts).toMatchObject([
    { surname: 'Châtelaillon-Plage', address: { postalcode: 17340 } },
  ]);
  const inAin = communes.filter(({ departement }) => departement === '01').length;
  expect((await search('tags.name', 'eql', '01')).total).toBe(inAin);
  const saints = communes.filter(({ nom }) => /^saint/i.test(nom)).length;
  expect((await search('surname', 'start_with', 'SAINT')).total).toBe(saints);
}, 120_000);
