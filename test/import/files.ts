// What tests of files enter by: commands on a database of their own, with files and spaces of their own.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildProgram } from '../harness/program.ts';
import { runHere } from '../harness/run-here.ts';

const people = 'id,surname,mail\n1,Ada,ada@example.org\n2,Bob,bob@example.org\n3,Cleo,cleo@example.org\n';

export interface Done {
  code: number;
  out: string;
  err: string;
}

export interface Files {
  door: Door;
  /** Where the program is, and what it is started with. */
  started: { program: string; folder: string; env: Record<string, string | undefined> };
  /** Runs a command in this process: one at a time. */
  muster(...args: string[]): Promise<Done>;
  /** A path in a folder of these tests. */
  path(name: string): string;
  /** Writes a file and imports it. */
  importFile(family: string, name: string, content: string | Buffer, ...args: string[]): Promise<Done>;
  /** A space of its own, without anybody in it. */
  createSpace(): Promise<string>;
  /** The contacts of a space whose search row, or row of e-mails, is not what it derives from. */
  findStaleRows(space: string): Promise<Json[]>;
  /** A space with Ada, Bob and Cleo, whose mails are ada@example.org and so on; the import that brought them. */
  createPeopledSpace(): Promise<{ space: string; contacts: string }>;
  /** The living rows of a table of a space, in the order of their ids. */
  readLivingRows(table: string, space: string, columns: string): Promise<Json[]>;
  /** Undoes an import of a space. */
  undoImport(id: string, space: string, ...args: string[]): Promise<Done>;
  /** The id of the import that was told of. */
  readImportId(out: string): string;
}

export const createFiles = async (): Promise<Files> => {
  const { folder, program, place } = buildProgram();
  const door = await openApp();
  const env = { PATH: process.env.PATH, DATABASE_URL: door.databaseUrl };
  const path = (name: string): string => join(place, name);
  const muster = (...args: string[]): Promise<Done> => runHere(door.databaseUrl, args);
  const different = (table: string, derive: string): string =>
    `select coalesce(s.contact_id, f.contact_id) as id from (select * from ${table} where group_id = :space) s
       full join ${derive}(:space, array(select id from contacts where group_id = :space and deleted_at is null)) f on f.contact_id = s.contact_id
      where s is distinct from f`;
  const createSpace = async (): Promise<string> =>
    String((await door.sql(`insert into spaces (name) values ('files') returning id`))[0].id);
  const importFile: Files['importFile'] = (family, name, content, ...args) => {
    writeFileSync(path(name), content);
    return muster('import', family, path(name), ...args);
  };
  const readImportId = (out: string): string => /import (\d+)/.exec(out)![1]!;
  return {
    door,
    started: { program, folder, env },
    muster,
    path,
    importFile,
    createSpace,
    createPeopledSpace: async () => {
      const space = await createSpace();
      return {
        space,
        contacts: readImportId((await importFile('contacts', 'people.csv', people, '--space', space)).out),
      };
    },
    readLivingRows: (table, space, columns) =>
      door.sql(`select ${columns} from ${table} where group_id = ? and deleted_at is null order by id`, [space]),
    undoImport: (id, space, ...args) => muster('import', 'undo', id, '--space', space, ...args),
    findStaleRows: async (space) =>
      (
        await Promise.all(
          [different('contact_search', 'search_rows'), different('contact_emails', 'email_rows')].map((sql) =>
            door.sql(sql.replaceAll(':space', String(Number(space)))),
          ),
        )
      ).flat(),
    readImportId,
  };
};
