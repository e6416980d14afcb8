// Files that are sent to be imported: their content in pieces, the import that a job makes of each, and the rows that it refuses. None is kept for longer than a day.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../database/database.ts';
import { lockSpace } from '../../database/lock-on-node.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { createNotFoundProblem, type Fault, Problem, shortenFault } from '../../problem.ts';
import { type AuditAction, addAuditLines } from '../noun/audit.ts';
import { type Begun, buildCountsSql, finishImport, type ImportCounts, readBegunImport } from './contacts.ts';

/** Tables that no backup has. */
export const fileTables = ['import_files', 'import_file_chunks', 'import_rejects'] as const;

/** A file, and its import once that has begun. */
export interface ImportFile extends ImportCounts {
  id: number;
  user_id: number;
  name: string;
  size: number;
  created_at: string;
  /** The options that its import began with. */
  asked: object | null;
  /** Those by which it is read. */
  options: object | null;
  rows: number | null;
  head: string | null;
  names_at: number | null;
  begun_at: string | null;
  ended_at: string | null;
  cancelled: boolean;
  failure: string | null;
  undone_at: string | null;
}

/** Which file somebody changes, and the line of the audit log. */
interface FileChange {
  id: number;
  by: number;
  action: AuditAction;
}

/** A row that an import refused, with its faults by the columns of the file. */
export interface RefusedRow {
  row: number;
  line: number;
  text: string;
  faults: Fault[];
}

const count = defineStatement(
  'import_file.count',
  'select cast(count(*) as int) as count from import_files where group_id = :group',
);
const create = defineStatement(
  'import_file.create',
  `insert into import_files (group_id, id, user_id, name)
   values (:group, nextval(pg_get_serial_sequence('imports', 'id')), :by, :name) returning id`,
);
const addChunk = defineStatement(
  'import_file.add_chunk',
  'insert into import_file_chunks (group_id, file_id, place, content) values (:group, :id, :place, :content)',
);
const complete = defineStatement(
  'import_file.complete',
  'update import_files set size = :size where group_id = :group and id = :id',
);
const readOne = defineStatement(
  'import_file.read',
  `select f.id, f.user_id, f.name, f.size, f.created_at, f.asked, f.options, f.rows, f.head, f.names_at, f.begun_at, f.ended_at, f.cancelled,
          f.failure, i.undone_at, ${buildCountsSql('f')}
     from import_files f left join imports i on i.group_id = :group and i.id = f.id
    where f.group_id = :group and f.id = :id and f.size is not null`,
);
const lock = defineStatement(
  'import_file.lock',
  'select id from import_files where group_id = :group and id = :id for no key update',
);
/** A batch waits here for those who end its import, and they wait for it. */
const lockForBatch = defineStatement(
  'import_file.lock_for_batch',
  'select id from import_files where group_id = :group and id = :id and ended_at is null for share',
);
const readChunk = defineStatement(
  'import_file.chunk',
  'select content from import_file_chunks where group_id = :group and file_id = :id and place = :place',
);
const addImport = defineStatement(
  'import_file.add_import',
  `insert into imports (group_id, id, family, name, fingerprint, user_id) values (:group, :id, 'contacts', :name, :fingerprint, :by)`,
);
const begin = defineStatement(
  'import_file.begin',
  `update import_files set begun_at = now(), asked = cast(:asked as jsonb), options = cast(:options as jsonb), rows = :rows, head = :head, names_at = :namesAt
    where group_id = :group and id = :id`,
);
const end = defineStatement(
  'import_file.end',
  `update import_files set ended_at = now(), failure = :failure, cancelled = :cancelled
    where group_id = :group and id = :id and ended_at is null`,
);
const removeContent = defineStatement(
  'import_file.remove_content',
  'delete from import_file_chunks where group_id = :group and file_id = :id',
);
const remove = defineStatement(
  'import_file.remove',
  'delete from import_files where group_id = :group and id = :id returning id',
);
const addRejects = defineStatement(
  'import_file.add_rejects',
  `insert into import_rejects (group_id, file_id, row, line, text, faults)
   select :group, :id, r.row, r.line, r.text, r.faults
     from jsonb_to_recordset(cast(:rows as jsonb)) as r (row bigint, line bigint, text text, faults jsonb)`,
);
const readRejects = defineStatement(
  'import_file.rejects',
  `select r.row, r.line, r.text, r.faults from import_rejects r
    where r.group_id = :group and r.file_id = :id and r.row > :after order by r.row limit :limit`,
);
const isRunning = defineStatement(
  'import_file.is_running',
  'select 1 from import_files where group_id = :group and id = :id and begun_at is not null and ended_at is null',
);
/** In bytes: the size of a piece of a file. */
export const chunkSize = 256 * 1024;

/** A file with its import. Throws 404 for one of somebody else, too. */
export const readImportFile = async (space: Space, id: number, by: number): Promise<ImportFile> => {
  const found = await space.row<ImportFile>(readOne, { id });
  if (found?.user_id !== by) throw createNotFoundProblem('uploaded file', id);
  return found;
};

/** Makes room for a file. Each of several that come at once counts those before it. */
const openFile = (space: Space, name: string, by: number): Promise<number> =>
  space.transaction(async (tx) => {
    const { files } = limits.import;
    await tx.rows(lockSpace);
    if ((await tx.row<{ count: number }>(count))!.count >= files)
      throw new Problem(
        'conflict',
        `The space has ${files} uploaded files: delete one, or wait until one is a day old`,
      );
    return (await tx.row<{ id: number }>(create, { name, by }))!.id;
  });

/** Stores a file piece by piece. Nothing of it stays when `pieces` throws. Throws 409 when the space has too many files, and when somebody is erased meanwhile. */
export const storeImportFile = async (
  space: Space,
  { name, by, pieces, action }: { name: string; by: number; pieces: AsyncIterable<Buffer>; action: AuditAction },
): Promise<ImportFile> => {
  const id = await openFile(space, name, by);
  try {
    let [place, size] = [0, 0];
    for await (const content of pieces) {
      await space.rows(addChunk, { id, place, content });
      place++;
      size += content.length;
    }
    return await space.transaction(async (tx) => {
      await tx.rows(complete, { id, size });
      await addAuditLines(tx, action, { type: 'Import', ids: [id] });
      return readImportFile(tx, id, by);
    });
  } catch (error) {
    const left = await space.rows(remove, { id }).catch(() => undefined);
    if (left?.length !== 0) throw error;
    throw new Problem('conflict', 'The file was deleted while it was sent, since a person was erased: send it again');
  }
};

/** The content of a file, piece by piece. Throws 404 when it was deleted meanwhile. */
export async function* readFileContent(space: Space, { id, size }: ImportFile): AsyncGenerator<Buffer> {
  for (let [place, left] = [0, size]; left > 0; place++) {
    const found = await space.row<{ content: Buffer }>(readChunk, { id, place });
    if (!found) throw createNotFoundProblem('uploaded file', id);
    left -= found.content.length;
    yield found.content;
  }
}

/** The file, whose import has begun. Throws 409 when it has begun with other options. */
export const requireSameOptions = (file: ImportFile, asked: object): ImportFile => {
  if (isDeepStrictEqual(file.asked, JSON.parse(JSON.stringify(asked)))) return file;
  throw new Problem('conflict', `The import ${file.id} has begun with other options`);
};

/** Begins the import of a file, which a job then makes. A repeated request finds it begun. Throws 409 when it has begun with other options. */
export const beginFileImport = (
  space: Space,
  { id, by, action }: FileChange,
  { asked, options, ...how }: { asked: object; options: object; rows: number; head: string; namesAt: number },
): Promise<ImportFile> =>
  space.transaction(async (tx) => {
    await tx.rows(lock, { id });
    const file = await readImportFile(tx, id, by);
    if (file.begun_at) return requireSameOptions(file, asked);
    // No other import continues this one.
    await tx.rows(addImport, { id, name: file.name, fingerprint: Buffer.from(randomUUID()), by });
    await tx.rows(begin, { id, ...how, asked: JSON.stringify(asked), options: JSON.stringify(options) });
    await addAuditLines(tx, action, { type: 'Import', ids: [id] });
    return readImportFile(tx, id, by);
  });

/** Ends an import and deletes the content of its file, in a transaction. */
const endImport = async (tx: Space, id: number, how: { failure: string | null; cancelled: boolean }): Promise<void> => {
  await tx.rows(end, { id, ...how });
  await tx.rows(removeContent, { id });
  await finishImport(tx, id);
};

/** Ends an import when all of its file was read, or as far as it can be read. */
export const endFileImport = (space: Space, id: number, failure: string | null): Promise<void> =>
  space.transaction((tx) => endImport(tx, id, { failure, cancelled: false }));

/** Stops an import that is under way: what it has written stays, and can be undone. Throws 409 when there is nothing to stop. */
export const cancelFileImport = (space: Space, { id, by, action }: FileChange): Promise<ImportFile> =>
  space.transaction(async (tx) => {
    await tx.rows(lock, { id });
    const { begun_at, ended_at, cancelled } = await readImportFile(tx, id, by);
    if (!begun_at) throw new Problem('conflict', `The import ${id} has not begun`);
    if (ended_at && !cancelled) throw new Problem('conflict', `The import ${id} is over already`);
    if (!ended_at) await endImport(tx, id, { failure: null, cancelled: true });
    const file = await readImportFile(tx, id, by);
    const { created, updated, unchanged, refused } = file;
    const counts = { created, updated, unchanged, refused };
    if (!ended_at) await addAuditLines(tx, action, { type: 'Import', ids: [id], counts });
    return file;
  });

/** Deletes a file, with the rows that its import has refused. Throws 409 while the import is under way. */
export const deleteImportFile = (space: Space, { id, by, action }: FileChange): Promise<ImportFile> =>
  space.transaction(async (tx) => {
    await tx.rows(lock, { id });
    const file = await readImportFile(tx, id, by);
    if (file.begun_at && !file.ended_at)
      throw new Problem('conflict', `The import ${id} is under way: wait for its end, or cancel it`);
    await tx.rows(remove, { id });
    await addAuditLines(tx, action, { type: 'Import', ids: [id] });
    return file;
  });

/** An import was cancelled, or its file was deleted, while a batch was written. */
export class ImportEnded extends Error {}

/** PostgreSQL stores no such character. */
const withoutZeros = (text: string): string => text.replaceAll('\0', '');

/** Keeps the rows that a batch refuses, in the transaction of the batch. Throws when the import has ended: the batch is not written then. */
export const keepRefusedRows = async (tx: Space, id: number, refused: readonly RefusedRow[]): Promise<void> => {
  if (!(await tx.row(lockForBatch, { id }))) throw new ImportEnded();
  if (refused.length === 0) return;
  const rows = refused.map(({ row, line, text, faults }) => ({
    row,
    line,
    text: withoutZeros(text),
    faults: faults.map(shortenFault).map(({ location, message, value }) => ({
      location: withoutZeros(location),
      message: withoutZeros(message),
      ...(typeof value === 'string' && { value: withoutZeros(value) }),
    })),
  }));
  await tx.rows(addRejects, { id, rows: JSON.stringify(rows) });
};

/** The rows that an import has refused, page by page, in their order. */
export async function* readRefusedRows(space: Space, id: number): AsyncGenerator<RefusedRow[]> {
  const limit = 500;
  for (let after = 0; ; ) {
    const rows = await space.rows<RefusedRow>(readRejects, { id, after, limit });
    yield rows;
    if (rows.length < limit) return;
    after = rows.at(-1)!.row;
  }
}

/** The file of an import that is under way, and what it has done; undefined when it has ended. */
export const findRunningImport = async (
  space: Space,
  id: number,
): Promise<{ file: ImportFile; begun: Begun } | undefined> => {
  const file = await space.row<ImportFile>(readOne, { id });
  return file?.begun_at && !file.ended_at ? { file, begun: await readBegunImport(space, id) } : undefined;
};

/** Whether a job works on an import. */
export const isFileImportRunning = async (space: Space, id: number): Promise<boolean> =>
  (await space.row(isRunning, { id })) !== undefined;

const underWay =
  'select group_id as space, id as file from import_files where begun_at is not null and ended_at is null';

/** The imports of files that are under way. */
export const findFileImports = (database: Database): Promise<{ space: number; file: number }[]> =>
  database.jobPool.run(underWay, {}, 'import_file.under_way');
