// Imports: batches of contacts that are written with a trace, so that an import can be resumed after a crash.
import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { buildOffsetPageSql, convertToOffsetPage, type OffsetPage } from '../../database/offset-page.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { Problem } from '../../problem.ts';
import { unwrittenContactColumns } from '../contact/columns.ts';
import { attributeConsents } from '../contact/consent.ts';
import type { ContactContent, UpsertWrite } from '../contact/patch.ts';
import { createContacts, type ImportTrace, type SaveResult } from '../contact/save.ts';
import { findNamedLists } from '../contact/stored-contact.ts';
import { type MatchKey, upsertContactRecords, writeInHalves } from '../contact/upsert.ts';
import { addAuditLines, describeCommand } from '../noun/audit.ts';
import { defineList } from '../noun/define-list.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';
import { requireFound } from '../noun/references.ts';

/** The family of changes of many contacts (contact-change.ts), which are imports without a file: they have the same counts, traces and undo. */
export const changeFamily = 'contact_changes';
/** The family of merges (merge.ts). */
export const mergeFamily = 'contact_merges';

export type ImportMode = 'upsert' | 'create';

const described = describeRecordColumns({
  id: { kind: 'id' },
  family: {
    kind: 'code',
    description:
      'What it wrote: `contacts`, or a family of records such as `donations`; `contact_changes` for a change of many contacts, `contact_merges` for a merge.',
  },
  name: { kind: 'text', description: 'What it was called.' },
  created: { kind: 'whole', description: 'How many contacts, or records, it created.' },
  updated: { kind: 'whole', description: 'How many of its records changed a contact.' },
  unchanged: {
    kind: 'whole',
    description: 'How many of its records said nothing new of a contact, which was left as it is.',
  },
  refused: { kind: 'whole', description: 'How many records were left out.' },
  created_at: { kind: 'instant', description: 'When it began.' },
  finished_at: { kind: 'instant', nullable: true, description: 'When it was done.' },
  undone_at: { kind: 'instant', nullable: true, description: 'When it was undone.' },
  purged_at: {
    kind: 'instant',
    nullable: true,
    description: 'When its copies were deleted, without which an import of contacts cannot be undone.',
  },
});
export const importColumns = described.columns;
/** The progress of an import. */
export type Import = RowOf<typeof importColumns>;

export type ImportCounts = Pick<Import, 'created' | 'updated' | 'unchanged' | 'refused'>;

interface BatchResult extends ImportCounts {
  results: SaveResult[];
}

const begin = defineStatement(
  'import.begin',
  `insert into imports (group_id, family, name, fingerprint, user_id) values (:group, :family, :name, :fingerprint, :by) returning id`,
);
const listedColumns = 'i.id, i.family, i.name, i.created_at, i.finished_at, i.undone_at, i.purged_at';
const readOne = defineStatement(
  'import.read',
  `select ${listedColumns},
          coalesce(sum(b.created), 0)::int as created, coalesce(sum(b.updated), 0)::int as updated,
          coalesce(sum(b.unchanged), 0)::int as unchanged, coalesce(sum(b.refused), 0)::int as refused,
          array_remove(array_agg(b.first_row), null) as batches
     from imports i left join import_batches b on b.group_id = :group and b.import_id = i.id
    where i.group_id = :group and i.id = :id group by i.group_id, i.id`,
);
/** The counts of the rows of the import under this alias. */
export const buildCountsSql = (alias: string): string =>
  ['created', 'updated', 'unchanged', 'refused']
    .map(
      (column) =>
        `(select coalesce(sum(b.${column}), 0)::int from import_batches b where b.group_id = :group and b.import_id = ${alias}.id) as ${column}`,
    )
    .join(', ');
/** The latest first. */
const list = defineStatement(
  'import.list',
  buildOffsetPageSql(
    `${listedColumns}, ${buildCountsSql('i')}`,
    'from imports i where i.group_id = :group',
    'i.id desc',
  ),
);
export const importList = defineList<Import>()({
  noun: 'import',
  from: 'imports i',
  scoped: ['i'],
  columns: listedColumns,
  computed: buildCountsSql('page'),
  fields: described.listFields(['id', 'family', 'name', 'created_at', 'finished_at', 'undone_at'], {}, 'i'),
  orders: ['id', 'name', 'createdAt'],
  isShort: true,
  groups: ['family'],
});
const latest = defineStatement(
  'import.latest',
  `select id from imports
    where group_id = :group and fingerprint = :fingerprint and undone_at is null and (purged_at is null or finished_at is not null) order by id desc limit 1`,
);
/** The last import of the same name, if it is not finished: its content is different, or it is read in another way. */
const otherwise = defineStatement(
  'import.otherwise',
  `select id from (select id, finished_at from imports where group_id = :group and family = :family and name = :name and undone_at is null
                    order by id desc limit 1) i where finished_at is null`,
);
const finish = defineStatement(
  'import.finish',
  'update imports set finished_at = now() where group_id = :group and id = :id and finished_at is null',
);
/**
 * Two processes that resume one import meet here: the second waits, and then finds the batch done. A batch of an import that is being undone
 * waits for the current part of the undo, so that the last part finds every batch.
 */
const claim = defineStatement(
  'import.claim',
  `insert into import_batches (group_id, import_id, first_row, created, updated, refused)
   select :group, i.id, :firstRow, 0, 0, 0 from imports i where i.group_id = :group and i.id = :import and i.undone_at is null for key share
   on conflict do nothing returning first_row`,
);
const wasUndone = defineStatement(
  'import.was_undone',
  'select 1 from imports where group_id = :group and id = :import and undone_at is not null',
);
const count = defineStatement(
  'import.count',
  `update import_batches set created = :created, updated = :updated, unchanged = :unchanged, refused = :refused, faults = cast(:faults as jsonb)
    where group_id = :group and import_id = :import and first_row = :firstRow`,
);
const internalColumns = [...unwrittenContactColumns, 'deleted_at', 'merged_into'];
const ifNamed = (part: string, sql: string): string =>
  `case when cast(:${part} as boolean) then jsonb_build_object('${part}', ${sql}) else '{}' end`;
/**
 * The state of a contact as content that would restore it, with the version that it will have. It has the parts that may change; of its notes the last one, and the pinned one, and its former mails. A later
 * row of the file changes a contact again: the version moves on, unless somebody else has changed the contact between the two, and is not to be undone.
 */
const remember = defineStatement(
  'import.remember',
  `insert into import_contacts (group_id, import_id, contact_id, before, version)
   select :group, :import, c.id, jsonb_build_object(
            'columns', case when cast(:columns as boolean) then to_jsonb(c) - '{${internalColumns.join(',')}}'::text[] else '{}' end)
          || ${ifNamed(
            'answers',
            `(select coalesce(jsonb_agg(jsonb_build_object('custom', f.kind = 'custom_fields', 'form_id', r.form_id, 'form_ref_id', r.form_ref_id,
                                 'data', r.data, 'date', r.date, 'survey_id', r.survey_id) order by r.id), '[]') from answers r
                join forms f on f.group_id = :group and f.id = r.form_id and f.deleted_at is null where r.group_id = :group and r.contact_id = c.id)`,
          )}
          || ${ifNamed('address', `(select to_jsonb(a) - '{group_id,id,contact_id,created_at,updated_at}'::text[] from addresses a where a.group_id = :group and a.contact_id = c.id)`)}
          || ${ifNamed('tags', `coalesce(tagged.tags, '[]')`)}
          || ${ifNamed(
            'actions',
            `(select coalesce(jsonb_agg(ca.action_id), '[]') from contact_actions ca
                join actions x on x.group_id = :group and x.id = ca.action_id and x.deleted_at is null where ca.group_id = :group and ca.contact_id = c.id)`,
          )}
          || ${ifNamed(
            'noted',
            `(select jsonb_build_object('last', coalesce(max(n.id), -1), 'pinned', max(n.id) filter (where n.pinned),
                 'mails', (select coalesce(jsonb_agg(f.mail), '[]') from former_mails f where f.group_id = :group and f.contact_id = c.id)) from notes n
               where n.group_id = :group and n.contact_id = c.id and n.deleted_at is null)`,
          )}, c.version + 1
     from contacts c
     left join (
       select ct.contact_id, jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name)) as tags from contact_tags ct join tags t on t.group_id = :group and t.id = ct.tag_id
        where cast(:tags as boolean) and ct.group_id = :group and ct.contact_id = any(:ids) group by ct.contact_id) tagged on tagged.contact_id = c.id
    where c.group_id = :group and c.id = any(:ids)
   on conflict (group_id, import_id, contact_id) do update set version = excluded.version where import_contacts.version = excluded.version - 1`,
);
const made = defineStatement(
  'import.made',
  'insert into import_contacts (group_id, import_id, contact_id, version) select :group, :import, id, 1 from unnest(cast(:ids as bigint[])) id',
);
/** The id that a row had in its file: files of records name their contacts by it. */
const keep = defineStatement(
  'import.keep_keys',
  `insert into import_keys (group_id, import_id, source_key, record_id)
   select :group, :import, k.key, k.id from unnest(cast(:keys as text[]), cast(:ids as bigint[])) k (key, id) on conflict do nothing`,
);

/** Records for undoing that the import has created these contacts. */
export const traceCreatedContacts = (tx: Space, id: number, ids: readonly number[]): Promise<unknown> =>
  tx.rows(made, { import: id, ids });

const everyPart = { columns: true, address: true, tags: true, actions: true, answers: true, noted: true };

/** Records for undoing what these contacts are before the import changes them: all of it, or the parts that `content` may change. */
export const traceChangingContacts = (
  tx: Space,
  id: number,
  ids: readonly number[],
  content?: ContactContent,
): Promise<unknown> => {
  const named = content && {
    columns: Object.keys(content.columns).length > 0,
    address: content.address !== undefined,
    noted: false,
    ...findNamedLists([content]),
  };
  return tx.rows(remember, { import: id, ids, ...(named ?? everyPart) });
};

/** Records for undoing all that an import does to contacts. */
export const createImportTrace = (id: number): ImportTrace => ({
  created: (tx, ids) => traceCreatedContacts(tx, id, ids),
  changing: (tx, ids) => traceChangingContacts(tx, id, ids),
});

interface ImportSource {
  /** The type of its rows: contacts when it is left out. */
  family?: string;
  name: string;
  /** Content that is read in one way has one. Nothing resumes an import without it. */
  fingerprint?: Buffer | undefined;
  by: number | null;
}

/** An import to which rows are written, and the first rows of the batches that are done. */
export interface Begun {
  id: number;
  done: Set<number>;
  /** Whether all of it was done before. */
  finished: boolean;
}

/** An import that has begun, and what of it is done. */
export const readBegunImport = async (space: Space, id: number): Promise<Begun> => {
  const { batches, finished_at } = (await space.row<Import & { batches: number[] }>(readOne, { id }))!;
  return { id, done: new Set(batches), finished: finished_at !== null };
};

/**
 * Begins an import. When asked to resume, continues the last one of the same content, which may be finished already; throws 409 when there
 * is none, and says so when one of the same name was interrupted: a new start would write its rows twice.
 */
export const beginImport = async (space: Space, source: ImportSource, resume: boolean): Promise<Begun> => {
  const { name, family = 'contacts', fingerprint = Buffer.from(randomUUID()) } = source;
  const known = resume ? await space.row<{ id: number }>(latest, { fingerprint }) : undefined;
  if (known) return readBegunImport(space, known.id);
  const other = resume ? await space.row<{ id: number }>(otherwise, { family, name }) : undefined;
  if (other)
    throw new Problem(
      'conflict',
      `Import ${other.id} of ${name} was interrupted, but the file or the options were different then: --resume needs the same file and the same options. Leave --resume out to begin a new import`,
    );
  if (resume)
    throw new Problem(
      'conflict',
      `There is no import of ${name} with these options to resume. Leave --resume out to begin one`,
    );
  const { id } = (await space.row<{ id: number }>(begin, { ...source, family, fingerprint }))!;
  return { id, done: new Set(), finished: false };
};

/** An import of the space. Throws 404 when there is none. */
export const readImport = async (space: Space, id: number): Promise<Import> =>
  requireFound('import', id, await space.row<Import>(readOne, { id }));

/** Throws 409 for an import that was undone, and for one whose undo needs copies of contacts that are gone. */
export const requireUndoable = (
  { id, undone_at, purged_at }: Pick<Import, 'id' | 'undone_at' | 'purged_at'>,
  needsCopies: boolean,
): void => {
  if (undone_at) throw new Problem('conflict', `The import ${id} was undone already`);
  if (purged_at && needsCopies)
    throw new Problem(
      'conflict',
      `The import ${id} cannot be undone any more: its copies of the contacts as they were before have been deleted, as RETENTION_IMPORT_DAYS says`,
    );
};

/** Some imports of the space, the latest first. */
export const listImports = async (
  space: Space,
  slice: { limit: number; offset: number },
): Promise<OffsetPage<Import>> => convertToOffsetPage(await space.rows(list, slice));

export const finishImport = (space: Space, id: number): Promise<unknown> => space.rows(finish, { id });

/** The name in the audit log of an import of a file, which has a line before its first batch, and one with the counts at its end. */
const auditedOperation = 'importFile';

/** Begins or resumes an import. One that is killed later has this line, whatever it has written. */
export const beginAuditedImport = (space: Space, source: ImportSource, resume: boolean): Promise<Begun> =>
  space.transaction(async (tx) => {
    const begun = await beginImport(tx, source, resume);
    const action = describeCommand(auditedOperation, source.by);
    if (!begun.finished) await addAuditLines(tx, action, { type: 'Import', ids: [begun.id] });
    return begun;
  });

export const finishAuditedImport = (
  space: Space,
  id: number,
  by: number | null,
  operation = auditedOperation,
): Promise<void> =>
  space.transaction(async (tx) => {
    await finishImport(tx, id);
    const { created, updated, unchanged, refused } = await readImport(tx, id);
    const counts = { created, updated, unchanged, refused };
    await addAuditLines(tx, describeCommand(operation, by), { type: 'Import', ids: [id], counts });
  });

/** Marks the batch as begun, within its transaction; false when another process has written it meanwhile. Throws 409 when the import was undone. */
export const claimImportBatch = async (tx: Space, id: number, firstRow: number): Promise<boolean> => {
  if (await tx.row(claim, { import: id, firstRow })) return true;
  if (await tx.row(wasUndone, { import: id }))
    throw new Problem(
      'conflict',
      `The import ${id} was undone while it was under way: what is left of it is not written`,
    );
  return false;
};

export const countImportBatch = (
  tx: Space,
  id: number,
  firstRow: number,
  counts: ImportCounts & { faults?: string },
): Promise<unknown> => tx.rows(count, { import: id, firstRow, faults: null, ...counts });

/** Stores the ids that rows had in their file, with those that they have now. */
export const keepImportKeys = async (
  tx: Space,
  id: number,
  written: readonly { key: string | null | undefined; id: number }[],
): Promise<void> => {
  const keyed = written.filter(({ key }) => key != null);
  if (keyed.length === 0) return;
  await tx.rows(keep, { import: id, keys: keyed.map(({ key }) => key), ids: keyed.map((one) => one.id) });
};

/** The position of a batch, and its import. */
export interface BatchPosition {
  id: number;
  firstRow: number;
  refused?: number;
  /** The id that each record had in its file. */
  keys?: readonly (string | null)[];
  /** Does more in the transaction of the batch, at its end. */
  settle?(tx: Space, results: readonly SaveResult[]): Promise<void>;
}

export interface ContactBatchOptions {
  mode: ImportMode;
  by: number | null;
  key?: MatchKey | undefined;
  liftsOptOuts?: boolean;
}

/** Writes one batch of an import with its trace, in one transaction; undefined when another process has written it meanwhile. */
export const importContactBatch = (
  space: Space,
  records: readonly UpsertWrite[],
  { id, firstRow, refused = 0, keys = [], settle, ...how }: BatchPosition & ContactBatchOptions,
): Promise<BatchResult | undefined> => {
  const work = async (tx: Space): Promise<BatchResult | undefined> => {
    if (!(await claimImportBatch(tx, id, firstRow))) return undefined;
    const write = how.mode === 'create' ? createContacts : upsertContactRecords;
    const results = await writeInHalves(tx, records, (within, some) =>
      write(within, some, { ...how, trace: createImportTrace(id), apart: true }),
    );
    const written = results.flatMap((result, index) => ('problem' in result ? [] : [{ ...result, key: keys[index] }]));
    await keepImportKeys(tx, id, written);
    const created = written.filter(({ outcome }) => outcome === 'created').length;
    const unchanged = written.filter((result) => result.unchanged).length;
    const counts = {
      created,
      updated: written.length - created - unchanged,
      unchanged,
      refused: refused + results.length - written.length,
    };
    await attributeConsents(
      tx,
      written.map((one) => one.id),
      { userId: how.by, operation: 'importContacts', importId: id },
    );
    await countImportBatch(tx, id, firstRow, counts);
    await settle?.(tx, results);
    return { results, ...counts };
  };
  return space.transaction(work, { repeats: true });
};

/** Writes a batch that is an import by itself. */
export const importWholeList = (
  space: Space,
  records: readonly UpsertWrite[],
  { name, mode, by }: { name: string; mode: ImportMode; by: number },
): Promise<BatchResult & { import: Import }> =>
  space.transaction(async (tx) => {
    const { id } = await beginImport(tx, { name, by }, false);
    const result = (await importContactBatch(tx, records, { id, firstRow: 1, mode, by }))!;
    await finishImport(tx, id);
    return { ...result, import: await readImport(tx, id) };
  });

const unfinished = `
  select i.group_id as space, i.id, i.family, i.name, i.created_at as since, coalesce(c.total, f.rows) as total, f.id is not null as "isUploaded",
         (select cast(coalesce(sum(b.created + b.updated + b.unchanged + b.refused), 0) as int) from import_batches b where b.group_id = i.group_id and b.import_id = i.id) as done
    from imports i left join bulk_changes c on c.group_id = i.group_id and c.import_id = i.id
     left join import_files f on f.group_id = i.group_id and f.id = i.id
   where i.finished_at is null and i.undone_at is null and i.purged_at is null order by i.group_id, i.id`;

/** An import that is under way, or was interrupted. */
interface UnfinishedImport extends Pick<Import, 'id' | 'family' | 'name'> {
  space: number;
  since: string;
  /** Rows so far. */
  done: number;
  /** Known of changes of contacts, and of uploaded files. */
  total: number | null;
  /** Whether a job makes it. */
  isUploaded: boolean;
}

/** The imports of all spaces that are not finished. */
export const listUnfinishedImports = (database: Database): Promise<UnfinishedImport[]> =>
  database.jobPool.run(unfinished, {}, 'import.unfinished');
