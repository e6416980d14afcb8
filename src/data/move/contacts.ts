// Writes a batch of contacts of another server, with their notes, interactions and times, in one transaction.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import type { Problem } from '../../problem.ts';
import { attributeConsents } from '../contact/consent.ts';
import type { Unfollowed } from '../contact/keep-consent.ts';
import type { AnswerChange, AnswerContent, UpsertWrite } from '../contact/patch.ts';
import { matchByPosition, type SaveResult, saveContactRecords } from '../contact/save.ts';
import { writeInHalves } from '../contact/upsert.ts';
import { lockContacts, refreshContactEmails, refreshSearchRows } from '../contact/write.ts';
import { readBooleanWord } from '../form/form.ts';
import {
  claimImportBatch,
  countImportBatch,
  createImportTrace,
  keepImportKeys,
  traceCreatedContacts,
} from '../import/contacts.ts';
import { type MovedInteraction, type MovedNote, writeMovedInteractions, writeMovedNotes } from './contact-records.ts';
import type { Outcome } from './definitions.ts';
import { listSourceIds, type MoveRun, mostKeptId, reserveIds } from './source-ids.ts';

/** A contact of the source, in the form in which it is written. */
export interface MovedContact {
  sourceId: number;
  /** All that the source says of it: lists replace, what it lacks is cleared. */
  write: UpsertWrite;
  times: { created_at: string | null; updated_at: string | null; lastchange: string | null };
  /** Undefined where the source was not asked for them. */
  notes?: readonly MovedNote[] | undefined;
  interactions?: readonly MovedInteraction[] | undefined;
}

/** `isFirst`: this import has not read the contact before. */
export type MovedResult =
  | { id: number; outcome: Outcome; isFirst: boolean; unfollowed: readonly Unfollowed[] }
  | { problem: Problem };

/** The latest change of the opt-out of a contact, and of each of its answers on consent, where it was made here. */
const saidHereSql = `select l.* from (
     select distinct on (l.form_id, l.form_ref_id) l.* from consent_changes l
      where l.group_id = :group and l.contact_id = c.id and l.before is distinct from l.after order by l.form_id, l.form_ref_id, l.created_at desc, l.id desc) l
    where not exists (select 1 from imports i where i.group_id = :group and i.id = l.import_id and i.name = :source)`;
const find = defineStatement(
  'move.find_contacts',
  `select m.source_id as "sourceId", m.record_id as id, c.id is null or c.deleted_at is not null as deleted, c.lastchange is distinct from m.lastchange as changed, m.import_id = :id as seen,
          coalesce(c.deleted_at = m.lastchange, false) as undone,
          coalesce(c.black_list and (c.lastchange is distinct from m.lastchange or exists (select 1 from (${saidHereSql}) s where s.form_id is null)
            or exists (select 1 from opt_outs o where o.group_id = :group and o.digest = any(digest_opt_out(:group, c.mail, c.phone, c.mobile)))), false) as "optedOutHere",
          (select coalesce(jsonb_agg(jsonb_build_object('form_id', s.form_id, 'form_ref_id', s.form_ref_id, 'after', s.after, 'at', coalesce(a.date, s.created_at), 'option', a.form_ref_id)), '[]')
             from (${saidHereSql}) s
             left join answers a on a.group_id = :group and a.contact_id = c.id and a.form_id = s.form_id and (s.form_ref_id is null or a.form_ref_id = s.form_ref_id)
            where s.form_id is not null) as "saidHere"
     from moved_records m left join contacts c on c.group_id = :group and c.id = m.record_id
    where m.group_id = :group and m.source = :source and m.kind = 'contact' and m.source_id = any(cast(:ids as bigint[]))`,
);
const taken = defineStatement(
  'move.taken_contacts',
  'select c.id from contacts c where c.group_id = :group and c.id = any(cast(:ids as bigint[]))',
);
/** An import that was undone has deleted its contacts: moved again, they are the same contacts. Somebody may have their external ids now, so the write gives them. */
const revive = defineStatement(
  'move.revive_contacts',
  `update contacts c set deleted_at = null, external_id = null, version = c.version + 1, updated_at = now()
    where c.group_id = :group and c.id = any(cast(:ids as bigint[])) and c.deleted_at is not null and c.merged_into is null returning c.id`,
);
/** Times are those of the source. A contact that was not written before in this transaction gets a new version. */
const keepTimes = defineStatement(
  'move.keep_times',
  `update contacts c set created_at = coalesce(g.created_at, c.created_at), updated_at = coalesce(g.updated_at, case when g.touched then clock.at else c.updated_at end),
          lastchange = coalesce(g.lastchange, c.lastchange), version = c.version + case when g.written then 0 else 1 end
     from jsonb_to_recordset(cast(:items as jsonb)) as g (id bigint, created_at timestamptz, updated_at timestamptz, lastchange timestamptz, written boolean, touched boolean)
    cross join (select now() as at) clock
    where c.group_id = :group and c.id = g.id
      and (g.touched or row(c.created_at, c.updated_at, c.lastchange)
           is distinct from row(coalesce(g.created_at, c.created_at), coalesce(g.updated_at, c.updated_at), coalesce(g.lastchange, c.lastchange)))
   returning c.id`,
);
const remember = defineStatement(
  'move.remember_contacts',
  `insert into moved_records (group_id, source, kind, source_id, record_id, import_id, lastchange)
   select :group, :source, 'contact', g.source_id, c.id, :id, c.lastchange
     from unnest(cast(:sourceIds as bigint[]), cast(:ids as bigint[])) g (source_id, id)
     join contacts c on c.group_id = :group and c.id = g.id
   on conflict (group_id, source, kind, source_id)
     do update set record_id = excluded.record_id, import_id = excluded.import_id, lastchange = excluded.lastchange`,
);
/** They were read, and not written. */
const see = defineStatement(
  'move.see_contacts',
  `update moved_records m set import_id = :id
    where m.group_id = :group and m.source = :source and m.kind = 'contact' and m.source_id = any(cast(:sourceIds as bigint[])) and m.import_id <> :id`,
);
/** Notes and times have raised the versions that undoing compares. */
const settleTrace = defineStatement(
  'move.settle_trace',
  `update import_contacts i set version = c.version from contacts c
    where i.group_id = :group and i.import_id = :id and i.contact_id = any(cast(:ids as bigint[])) and c.group_id = :group and c.id = i.contact_id`,
);

interface Known {
  sourceId: number;
  id: number;
  deleted: boolean;
  changed: boolean;
  /** This import has read it before. */
  seen: boolean;
  /** An import that was undone has deleted it. */
  undone: boolean;
  /** It was changed here and is opted out, or somebody with its mail or phone opted out here: the source lifts no such opt-out. */
  optedOutHere: boolean;
  saidHere: SaidHere[];
}

/** An answer on consent that was given or withdrawn here. */
interface SaidHere {
  form_id: number;
  /** Null where the form takes one answer. */
  form_ref_id: number | null;
  after: string | null;
  at: string;
  /** The option of the answer, if there is one. */
  option: number | null;
}

interface BatchOptions {
  /** The number of the first contact of the batch, by which an interrupted import is continued. */
  firstRow: number;
  /** Records that could not be read. */
  refused: number;
  /** Whether what the source says replaces what somebody has changed here. */
  overwrite: boolean;
  /** Whether the notes are all notes of the contacts, not only those that the source shows. */
  completeNotes: boolean;
}

/** A contact of the batch, with the contact that it is here. */
interface Placed extends MovedContact {
  id: number | null;
  /** An import that was undone has deleted it. */
  undone: boolean;
}

/** Brings back what an undone import has deleted. */
const reviveUndone = async (tx: Space, run: MoveRun, ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.rows(revive, { ids });
  await refreshSearchRows(tx, ids);
  await refreshContactEmails(tx, ids);
  await traceCreatedContacts(tx, run.id, ids);
};

/** Writes contacts that are new here or unchanged since they were moved; a fault of one does not keep the others from being written. */
const writeContacts = async (tx: Space, run: MoveRun, contacts: readonly Placed[]): Promise<SaveResult[]> => {
  const trace = createImportTrace(run.id);
  const placeOf = new Map<UpsertWrite, Placed>(contacts.map((contact) => [contact.write, contact]));
  return writeInHalves(
    tx,
    contacts.map(({ write }) => write),
    async (within, writes) => {
      const some = writes.map((write) => placeOf.get(write)!);
      const rows = await within.rows<{ id: number }>(taken, { ids: listSourceIds(some) });
      const used = new Set(rows.map(({ id }) => id));
      const matcher = matchByPosition(
        some.map(({ id, sourceId }) => ({
          id,
          newId: used.has(sourceId) || sourceId > mostKeptId ? undefined : sourceId,
        })),
      );
      await reviveUndone(
        within,
        run,
        some.flatMap(({ id, undone }) => (undone ? [id!] : [])),
      );
      await lockContacts(within, matcher.ids);
      const saved = await saveContactRecords(within, writes, matcher, { by: run.by, trace, keepsOldValues: true });
      // One that is refused stays deleted.
      const refused = saved.find((result, index) => 'problem' in result && some[index]!.undone);
      if (refused && 'problem' in refused) throw refused.problem;
      return saved;
    },
  );
};

/** Writes the records of contacts and their times. Returns the contacts that it has changed. */
const writeRest = async (
  tx: Space,
  run: MoveRun,
  contacts: readonly (MovedContact & { id: number; written: boolean })[],
  complete: boolean,
): Promise<Set<number>> => {
  const withNotes = contacts.filter(({ notes }) => notes);
  const withInteractions = contacts.filter(({ interactions }) => interactions);
  const touched = new Set([
    ...(await writeMovedNotes(tx, run, {
      contacts: withNotes.map(({ id }) => id),
      notes: withNotes.flatMap(({ id, notes }) => notes!.map((note) => ({ ...note, contact_id: id }))),
      complete,
    })),
    ...(await writeMovedInteractions(tx, run, {
      contacts: withInteractions.map(({ id }) => id),
      interactions: withInteractions.flatMap(({ id, interactions }) =>
        interactions!.map((one) => ({ ...one, contact_id: id })),
      ),
    })),
  ]);
  const items = contacts.map(({ id, times, written }) => ({ id, ...times, written, touched: touched.has(id) }));
  return new Set((await tx.rows<{ id: number }>(keepTimes, { items: JSON.stringify(items) })).map(({ id }) => id));
};

const omitOptOut = ({ content, ...write }: UpsertWrite): UpsertWrite => {
  const { black_list: _, ...columns } = content.columns;
  return { ...write, content: { ...content, columns } };
};

/** The write with the answers on consent of here in place of the earlier ones of the source. An answer of the source that has no date replaces no refusal. */
const keepLaterAnswers = ({ content, ...write }: UpsertWrite, said: readonly SaidHere[]): UpsertWrite | undefined => {
  let kept = false;
  const answers = content.answers!.map((change): AnswerChange => {
    if (change.replaces !== 'answers') return change;
    let list = change.answers;
    for (const { form_id, form_ref_id, after, at, option } of said) {
      const theirs = list.filter((one) => one.form_id === form_id && [null, one.form_ref_id].includes(form_ref_id));
      const date = theirs.find((one) => one.date)?.date;
      const isLater = date ? Date.parse(at) > Date.parse(date) : after === null || readBooleanWord(after) === false;
      const isSame = (one: AnswerContent): boolean => one.form_ref_id === option && (one.data ?? after) === after;
      if (!isLater || (option === null ? theirs.length === 0 : theirs.some(isSame))) continue;
      kept = true;
      // An answer without more stays as it is stored.
      const own = option === null ? [] : [{ form_id, form_ref_id: option }];
      list = [...list.filter((one) => !theirs.includes(one)), ...own];
    }
    // An answer of this space has no place in the source.
    const places = change.places && list.map((one) => change.places![change.answers.indexOf(one)] ?? '');
    return { ...change, answers: list, ...(places && { places }) };
  });
  return kept ? { ...write, content: { ...content, answers } } : undefined;
};

const writeBatch = async (
  tx: Space,
  run: MoveRun,
  contacts: readonly MovedContact[],
  { overwrite, completeNotes }: Pick<BatchOptions, 'overwrite' | 'completeNotes'>,
): Promise<MovedResult[]> => {
  const { source, id } = run;
  const rows = await tx.rows<Known>(find, { source, id, ids: listSourceIds(contacts) });
  const known = new Map(rows.map((row) => [row.sourceId, row]));
  const isFirst = (sourceId: number): boolean => !known.get(sourceId)?.seen;
  const isKept = ({ sourceId }: MovedContact): boolean => {
    const found = known.get(sourceId);
    if (!found || found.undone) return false;
    return found.deleted || (found.changed && !overwrite);
  };
  const unfollowed = new Map<number, Unfollowed[]>();
  const follow = ({ sourceId, write }: MovedContact): UpsertWrite => {
    const { optedOutHere = false, saidHere = [] } = known.get(sourceId) ?? {};
    const { columns } = write.content;
    const lifts = optedOutHere && 'black_list' in columns && columns.black_list !== true;
    const later = keepLaterAnswers(write, saidHere);
    unfollowed.set(sourceId, [...(lifts ? (['black_list'] as const) : []), ...(later ? (['consents'] as const) : [])]);
    return lifts ? omitOptOut(later ?? write) : (later ?? write);
  };
  const writing = contacts
    .filter((contact) => !isKept(contact))
    .map((contact): Placed => {
      const { id = null, undone = false } = known.get(contact.sourceId) ?? {};
      return { ...contact, write: follow(contact), id, undone };
    });
  const saved = await writeContacts(tx, run, writing);
  const written = writing.flatMap((contact, index) => {
    const result = saved[index]!;
    return 'problem' in result ? [] : [{ ...contact, id: result.id, written: !result.unchanged }];
  });
  const changed = await writeRest(tx, run, written, completeNotes);
  const ids = written.map((one) => one.id);
  await attributeConsents(tx, ids, { userId: run.by, operation: 'importServer', importId: id });
  await tx.rows(settleTrace, { id, ids });
  await tx.rows(remember, { source, id, ids, sourceIds: listSourceIds(written) });
  await tx.rows(see, { source, id, sourceIds: listSourceIds(contacts) });
  await keepImportKeys(
    tx,
    id,
    written.map((one) => ({ key: String(one.sourceId), id: one.id })),
  );
  const results = new Map<number, MovedResult>(
    writing.map(({ sourceId, undone }, index): [number, MovedResult] => {
      const result = saved[index]!;
      if ('problem' in result) return [sourceId, result];
      const isUnchanged = result.unchanged && !changed.has(result.id);
      const outcome = undone ? 'created' : isUnchanged ? 'unchanged' : result.outcome;
      const omitted = unfollowed.get(sourceId)!;
      return [sourceId, { id: result.id, outcome, isFirst: isFirst(sourceId), unfollowed: omitted }];
    }),
  );
  return contacts.map(
    ({ sourceId }) =>
      results.get(sourceId) ?? {
        id: known.get(sourceId)!.id,
        outcome: 'kept',
        isFirst: isFirst(sourceId),
        unfollowed: [],
      },
  );
};

/** Writes one batch of an import from another server; undefined when another process has written it meanwhile. */
export const moveContactBatch = async (
  space: Space,
  run: MoveRun,
  contacts: readonly MovedContact[],
  { firstRow, refused, ...options }: BatchOptions,
): Promise<MovedResult[] | undefined> => {
  await reserveIds(space, 'contacts', listSourceIds(contacts));
  await reserveIds(space, 'notes', listSourceIds(contacts.flatMap(({ notes }) => notes ?? [])));
  await reserveIds(space, 'interactions', listSourceIds(contacts.flatMap(({ interactions }) => interactions ?? [])));
  return space.transaction(async (tx) => {
    if (!(await claimImportBatch(tx, run.id, firstRow))) return undefined;
    const results = contacts.length > 0 ? await writeBatch(tx, run, contacts, options) : [];
    const count = (outcomes: readonly Outcome[]): number =>
      results.filter((result) => 'outcome' in result && outcomes.includes(result.outcome)).length;
    await countImportBatch(tx, run.id, firstRow, {
      created: count(['created']),
      updated: count(['updated']),
      unchanged: count(['unchanged', 'kept']),
      refused: refused + results.filter((result) => 'problem' in result).length,
    });
    return results;
  });
};
