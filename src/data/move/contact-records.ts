// Writes the notes and interactions that contacts of another server show, and removes those that are gone there.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { buildMarkContactsSql } from '../noun/lock-contacts.ts';
import { findMovedRecords, listSourceIds, type MoveRun, mostKeptId, rememberMovedRecords } from './source-ids.ts';

interface MovedRecord {
  sourceId: number;
  /** The user here who is its author, if known. */
  user_id: number | null;
  created_at: string | null;
  updated_at: string | null;
}

export interface MovedNote extends MovedRecord {
  content: string;
  pinned: boolean;
}

interface MovedFile {
  name: string;
  url: string;
  mime: string | null;
  folder: string | null;
  subject: string | null;
  created_at: string | null;
}

export interface MovedInteraction extends MovedRecord {
  type: string;
  sub_type: string | null;
  title: string | null;
  comments: string | null;
  only_super_admin: boolean;
  files: MovedFile[];
}

/** A record on a contact here. */
type Placed<Of> = Of & { contact_id: number };

const tables = {
  note: { table: 'notes', columns: ['user_id', 'content', 'pinned'] },
  interaction: {
    table: 'interactions',
    columns: ['user_id', 'type', 'sub_type', 'title', 'comments', 'only_super_admin'],
  },
} as const;
type RecordKind = keyof typeof tables;
/** The contact has no merged ones. Nothing tells which records came from these, and the source may have them still. */
const isOfOneContact = `not exists (select 1 from contacts b where b.group_id = :group and b.merged_into = r.contact_id)`;

const buildStatements = (kind: RecordKind) => {
  const { table, columns } = tables[kind];
  const given = `jsonb_populate_recordset(cast(null as ${table}), cast(:rows as jsonb))`;
  const next = [...columns.map((column) => `g.${column}`), 'coalesce(g.created_at, r.created_at)'];
  return {
    /** The id of a given row is that of the source. */
    create: defineStatement(
      `move.create_${kind}`,
      `with numbered as materialized (
         select g.*, case when g.id > ${mostKeptId} or exists (select 1 from ${table} r where r.group_id = :group and r.id = g.id)
                          then nextval('${table}_id_seq') else g.id end as own_id
           from ${given} g),
       made as (
         insert into ${table} (group_id, id, contact_id, ${columns.join(', ')}, created_at, updated_at)
         select :group, n.own_id, n.contact_id, ${columns.map((column) => `n.${column}`).join(', ')}, coalesce(n.created_at, now()),
                coalesce(n.updated_at, n.created_at, now()) from numbered n)
       select n.id as "sourceId", n.own_id as "recordId" from numbered n`,
    ),
    /** The records here that are on another contact than in the source, and whether that contact is as it was moved, or deleted. */
    astray: defineStatement(
      `move.astray_${kind}`,
      `select r.id, r.contact_id as "contactId", o.id is null as "isFree"
         from ${given} g
         join ${table} r on r.group_id = :group and r.id = g.id and r.contact_id <> g.contact_id and r.deleted_at is null
         left join lateral (
           select c.id from contacts c
            where c.group_id = :group and c.id = r.contact_id and c.deleted_at is null
              and not exists (select 1 from moved_records m where m.group_id = :group and m.source = :source and m.kind = 'contact'
                                 and m.record_id = c.id and m.lastchange = c.lastchange)) o on true`,
    ),
    /** The id of a given row is that of the record here. A record that was deleted here is restored. */
    update: defineStatement(
      `move.update_${kind}`,
      `update ${table} r set (contact_id, ${columns.join(', ')}, created_at) = row(g.contact_id, ${next.join(', ')}), deleted_at = null,
              updated_at = coalesce(g.updated_at, clock.at)
         from ${given} g cross join (select now() as at) clock
        where r.group_id = :group and r.id = g.id and (r.contact_id = g.contact_id or r.deleted_at is null)
          and (r.deleted_at is not null
            or row(r.contact_id, ${columns.map((column) => `r.${column}`).join(', ')}, r.created_at, r.updated_at)
               is distinct from row(g.contact_id, ${next.join(', ')}, coalesce(g.updated_at, r.updated_at)))
       returning r.contact_id`,
    ),
    /** Those of the source that it no longer has. */
    removeGone: defineStatement(
      `move.remove_gone_${kind}`,
      `update ${table} r set deleted_at = now(), updated_at = now() from moved_records m
        where m.group_id = :group and m.source = :source and m.kind = '${kind}' and not m.source_id = any(cast(:seen as bigint[]))
          and r.group_id = :group and r.id = m.record_id and r.contact_id = any(cast(:contacts as bigint[])) and r.deleted_at is null and ${isOfOneContact}
       returning r.contact_id`,
    ),
  };
};
const statements = { note: buildStatements('note'), interaction: buildStatements('interaction') };

const unpin = defineStatement(
  'move.unpin',
  `update notes r set pinned = false where r.group_id = :group and r.contact_id = any(cast(:contacts as bigint[])) and r.pinned
      and r.deleted_at is null and not r.id = any(cast(:pinned as bigint[]))
   returning r.contact_id`,
);
/** A server shows the pinned note, else the newest. So a newer one that we have of it is gone there; so are all when it shows none. */
const removeHidden = defineStatement(
  'move.remove_hidden_notes',
  `update notes r set deleted_at = now(), updated_at = now() from moved_records m
    where m.group_id = :group and m.source = :source and m.kind = 'note'
      and r.group_id = :group and r.id = m.record_id and r.contact_id = any(cast(:contacts as bigint[])) and r.deleted_at is null and ${isOfOneContact}
      and not exists (select 1 from jsonb_populate_recordset(cast(null as notes), cast(:shown as jsonb)) s
                       where s.contact_id = r.contact_id and (s.pinned or s.id = m.source_id or s.created_at is null or s.created_at >= r.created_at))
   returning r.contact_id`,
);
const replaceFiles = defineStatement(
  'move.replace_files',
  `with given as (
     select g.* from rows from (jsonb_to_recordset(cast(:files as jsonb)) as
       (interaction_id bigint, name text, url text, mime text, folder text, subject text, created_at timestamptz))
       with ordinality g (interaction_id, name, url, mime, folder, subject, created_at, nth)),
   before as (
     select f.interaction_id, array_agg(row(f.name, f.url, f.mime, f.folder, f.subject)::text order by f.id) as files from files f
      where f.group_id = :group and f.interaction_id = any(cast(:interactions as bigint[])) and f.deleted_at is null group by f.interaction_id),
   after as (
     select g.interaction_id, array_agg(row(g.name, g.url, g.mime, g.folder, g.subject)::text order by g.nth) as files from given g group by g.interaction_id),
   changed as materialized (
     select i.id from unnest(cast(:interactions as bigint[])) i (id) left join before b on b.interaction_id = i.id left join after a on a.interaction_id = i.id
      where b.files is distinct from a.files),
   removed as (
     update files f set deleted_at = now() from changed c where f.group_id = :group and f.interaction_id = c.id and f.deleted_at is null)
   insert into files (group_id, interaction_id, owner_id, name, url, mime, folder, subject, created_at)
   select :group, g.interaction_id, null, g.name, g.url, g.mime, g.folder, g.subject, coalesce(g.created_at, now())
     from given g join changed c on c.id = g.interaction_id order by g.nth
   returning interaction_id`,
);

/** Marks contacts that show something else now, though no user has changed them. */
const markLeft = defineStatement(
  'move.mark_left',
  `update contacts set ${buildMarkContactsSql({ lastchange: false })} where group_id = :group and id = any(:ids)`,
);

const addContacts = (contacts: Set<number>, rows: readonly { contact_id: number }[]): void =>
  rows.forEach(({ contact_id }) => void contacts.add(contact_id));

interface Astray {
  id: number;
  contactId: number;
  isFree: boolean;
}

/** Writes a batch. Returns the record here of each record of the source, and the contacts whose records have changed. */
const writeRecords = async (
  tx: Space,
  run: MoveRun,
  kind: RecordKind,
  records: readonly Placed<MovedRecord>[],
): Promise<{ ids: Map<number, number>; contacts: Set<number> }> => {
  const contacts = new Set<number>();
  const ids = await findMovedRecords(tx, run.source, kind, listSourceIds(records));
  const { create, update, astray } = statements[kind];
  const buildRows = (): string =>
    JSON.stringify(
      records.flatMap((record) => (ids.has(record.sourceId) ? [{ ...record, id: ids.get(record.sourceId) }] : [])),
    );
  if (ids.size > 0) {
    // The source has merged two contacts, or a file has been corrected. A contact that was changed here keeps its record, and the other one gets a copy.
    const found = await tx.rows<Astray>(astray, { rows: buildRows(), source: run.source });
    const kept = new Set(found.flatMap(({ id, isFree }) => (isFree ? [] : [id])));
    for (const [sourceId, id] of ids) if (kept.has(id)) ids.delete(sourceId);
    addContacts(contacts, await tx.rows(update, { rows: buildRows() }));
    const left = found.flatMap(({ contactId, isFree }) => (isFree ? [contactId] : []));
    left.forEach((contact) => void contacts.add(contact));
    if (left.length > 0) await tx.rows(markLeft, { ids: left });
  }
  const fresh = records.filter(({ sourceId }) => !ids.has(sourceId));
  if (fresh.length > 0) {
    const rows = JSON.stringify(fresh.map((record) => ({ ...record, id: record.sourceId })));
    const made = await tx.rows<{ sourceId: number; recordId: number }>(create, { rows });
    await rememberMovedRecords(tx, run, kind, made);
    for (const { sourceId, recordId } of made) ids.set(sourceId, recordId);
    addContacts(contacts, fresh);
  }
  return { ids, contacts };
};

/** Writes the notes of locked contacts. `complete` says that these are all their notes, not only the one that the source shows. */
export const writeMovedNotes = async (
  tx: Space,
  run: MoveRun,
  {
    contacts,
    notes,
    complete,
  }: { contacts: readonly number[]; notes: readonly Placed<MovedNote>[]; complete: boolean },
): Promise<Set<number>> => {
  if (contacts.length === 0) return new Set();
  const { ids, contacts: touched } = await writeRecords(tx, run, 'note', notes);
  const pinned = notes.filter((note) => note.pinned).map(({ sourceId }) => ids.get(sourceId)!);
  addContacts(touched, await tx.rows(unpin, { contacts, pinned }));
  const { source } = run;
  if (complete) {
    const seen = listSourceIds(notes);
    addContacts(touched, await tx.rows(statements.note.removeGone, { source, contacts, seen }));
  } else {
    const shown = JSON.stringify(notes.map(({ sourceId, ...note }) => ({ ...note, id: sourceId })));
    addContacts(touched, await tx.rows(removeHidden, { source, contacts, shown }));
  }
  return touched;
};

/** Writes all interactions of locked contacts, with their files. */
export const writeMovedInteractions = async (
  tx: Space,
  run: MoveRun,
  { contacts, interactions }: { contacts: readonly number[]; interactions: readonly Placed<MovedInteraction>[] },
): Promise<Set<number>> => {
  if (contacts.length === 0) return new Set();
  const { ids, contacts: touched } = await writeRecords(tx, run, 'interaction', interactions);
  const seen = listSourceIds(interactions);
  const { source } = run;
  addContacts(touched, await tx.rows(statements.interaction.removeGone, { source, contacts, seen }));
  if (interactions.length > 0) {
    const files = interactions.flatMap((one) =>
      one.files.map((file) => ({ ...file, interaction_id: ids.get(one.sourceId)! })),
    );
    const changed = await tx.rows<{ interaction_id: number }>(replaceFiles, {
      files: JSON.stringify(files),
      interactions: interactions.map(({ sourceId }) => ids.get(sourceId)!),
    });
    const contactOf = new Map(interactions.map((one) => [ids.get(one.sourceId)!, one.contact_id]));
    for (const { interaction_id } of changed) touched.add(contactOf.get(interaction_id)!);
  }
  return touched;
};
