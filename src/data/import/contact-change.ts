// Changes many contacts at once: an import without a file, of contacts that are fixed when it begins. Few are changed at once, more by a job, batch by batch.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../database/database.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement, oneRowOfSpace } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { Problem } from '../../problem.ts';
import { trimLine } from '../../search/trim-line.ts';
import { readKnownReferences } from '../contact/check-references.ts';
import { adoptTagNames, createMissingTags } from '../contact/child-rows.ts';
import { addressColumnNames, getFieldName } from '../contact/columns.ts';
import { attributeConsents } from '../contact/consent.ts';
import type { ContactContent, ContactWrite } from '../contact/patch.ts';
import { matchByPosition, planContactRecords, saveContactRecords } from '../contact/save.ts';
import type { StoredContact } from '../contact/stored-contact.ts';
import { writeInHalves } from '../contact/upsert.ts';
import { deleteContacts, lockContacts } from '../contact/write.ts';
import { addAuditLines, describeCommand } from '../noun/audit.ts';
import { defineReadByIds } from '../noun/crud.ts';
import { isStillPermitted } from '../noun/reach.ts';
import { listReferencesIn, requireFound, requireKnownReferences } from '../noun/references.ts';
import {
  beginImport,
  changeFamily,
  claimImportBatch,
  countImportBatch,
  finishImport,
  type Import,
  traceChangingContacts,
} from './contacts.ts';

/** The change of each contact: it is deleted, or gets this content. */
export interface ChangeOfContacts {
  content: ContactContent;
  deletes: boolean;
}

/** A contact that a change refused, and why. */
export interface RefusedContact {
  contact_id: number;
  message: string;
}

export interface ContactChange extends Pick<Import, 'id' | 'name' | 'created_at' | 'finished_at' | 'undone_at'> {
  user_id: number | null;
  total: number;
  changed: number;
  unchanged: number;
  refused: number;
  faults: RefusedContact[];
  cancelled_at: string | null;
}

/** The fates of some contacts, or those that they would have. */
interface Outcome extends Pick<ContactChange, 'changed' | 'unchanged' | 'refused' | 'faults'> {}

const { atOnce, shown, examined, underWay } = limits.bulk;
/** The operation in the audit log and in histories of consent. */
const operation = 'changeContacts';

const begin = defineStatement(
  'bulk.begin',
  'insert into bulk_changes (group_id, import_id, change, total) values (:group, :import, cast(:change as jsonb), :total)',
);
/** Contacts that one statement writes down, which must end within seconds. */
const writtenAtOnce = 100_000;
const addBatches = defineStatement(
  'bulk.add_batches',
  `insert into bulk_change_batches (group_id, import_id, first_row, contact_ids)
   select :group, :import, :before + min(w.place), array_agg(w.id order by w.place)
     from unnest(cast(:ids as bigint[])) with ordinality w (id, place) group by (w.place - 1) / ${atOnce}`,
);
const findAuthor = defineStatement(
  'bulk.find_author',
  'select i.user_id as by from imports i where i.group_id = :group and i.id = :id',
);
/** Several may change contacts at once; who ends a change waits for all of them. */
const share = defineStatement(
  'bulk.share',
  `select b.change, i.user_id as by from bulk_changes b join imports i on i.group_id = :group and i.id = b.import_id
    where b.group_id = :group and b.import_id = :id for share of b`,
);
const take = defineStatement(
  'bulk.take',
  `delete from bulk_change_batches b where b.group_id = :group and b.import_id = :id
      and b.first_row = (select o.first_row from bulk_change_batches o where o.group_id = :group and o.import_id = :id
                          order by o.first_row limit 1 for update skip locked)
   returning b.first_row, b.contact_ids as ids,
     exists (select 1 from bulk_change_batches o where o.group_id = :group and o.import_id = :id and o.first_row > b.first_row) as more`,
);
/** Waits for those who change other contacts, then tells whether contacts are left. */
const lock = defineStatement(
  'bulk.lock',
  'select from bulk_changes b where b.group_id = :group and b.import_id = :id for no key update',
);
const isLeft = defineStatement(
  'bulk.left',
  'select exists (select from bulk_change_batches b where b.group_id = :group and b.import_id = :id) as more',
);
/** The batches that nobody changes: nobody can take one of them any more. */
const dropFree = defineStatement(
  'bulk.drop_free',
  `delete from bulk_change_batches b using (
     select o.first_row from bulk_change_batches o where o.group_id = :group and o.import_id = :id for update skip locked) free
    where b.group_id = :group and b.import_id = :id and b.first_row = free.first_row`,
);
const drop = defineStatement(
  'bulk.cancel',
  `with dropped as (delete from bulk_change_batches where group_id = :group and import_id = :id)
   update bulk_changes set cancelled_at = now(), change = '{}' where group_id = :group and import_id = :id`,
);
/** A value that was written to contacts must not outlive those that are erased. */
const forget = defineStatement(
  'bulk.forget',
  `update bulk_changes set change = '{}' where group_id = :group and import_id = :id`,
);
/** Each of several that begin at once counts those before it. The lock is not the lock of the space, which others take while they wait for a tag. */
const lockCount = defineStatement(
  'bulk.lock_count',
  `select pg_advisory_xact_lock(hashint8(:group), hashtext('bulk_changes')) from ${oneRowOfSpace}`,
);
const countUnderWay = defineStatement(
  'bulk.count',
  'select cast(count(distinct b.import_id) as int) as count from bulk_change_batches b where b.group_id = :group',
);
/** The changes with these ids. */
export const readContactChanges = defineReadByIds<ContactChange>(
  'bulk.read',
  `select i.id, i.name, i.user_id, i.created_at, i.finished_at, i.undone_at, c.total, c.cancelled_at, cast(coalesce(sum(b.updated), 0) as int) as changed,
          cast(coalesce(sum(b.unchanged), 0) as int) as unchanged, cast(coalesce(sum(b.refused), 0) as int) as refused,
          (select coalesce(jsonb_agg(f.fault), '[]') from (
             select f.fault from import_batches o cross join lateral jsonb_array_elements(o.faults) f (fault)
              where o.group_id = :group and o.import_id = i.id order by o.first_row limit ${shown}) f) as faults
     from imports i join bulk_changes c on c.group_id = :group and c.import_id = i.id
     left join import_batches b on b.group_id = :group and b.import_id = i.id
    where i.group_id = :group and i.id = any(:ids)
    group by i.group_id, i.id, c.group_id, c.import_id`,
);
const living = defineStatement(
  'bulk.living',
  'select id from contacts where group_id = :group and id = any(:ids) and deleted_at is null order by id',
);
const findTags = defineStatement(
  'bulk.find_tags',
  'select t.id, t.name from tags t where t.group_id = :group and fold(t.name) in (select fold(n) from unnest(cast(:names as text[])) n)',
);
const readTags = defineStatement(
  'bulk.read_tags',
  'select t.id, t.name from tags t where t.group_id = :group and t.id = any(:ids)',
);

/** Contacts who have said something else since the change began of what it would have them agree to. */
const decidedSince = defineStatement(
  'bulk.decided_since',
  `select distinct l.contact_id as id from imports i
     join consent_changes l on l.group_id = :group and l.contact_id = any(:ids) and l.created_at > i.created_at and l.before is distinct from l.after
    where i.group_id = :group and i.id = :import and (l.form_id = any(:forms) or :lifts and l.form_id is null and l.after = 'true') order by 1`,
);

/** A change of the space. Throws 404 when there is none. */
export const readContactChange = async (space: Space, id: number): Promise<ContactChange> => {
  const [found] = await readContactChanges(space, [id]);
  return requireFound('contact change', id, found);
};

/** These contacts in the order of their ids, each once. Throws 422 for missing ones. */
export const listGivenContacts = async (space: Space, ids: readonly number[], location: string): Promise<number[]> => {
  const found = (await space.rows<{ id: number }>(living, { ids })).map(({ id }) => id);
  requireKnownReferences('contact', listReferencesIn(location, ids), found);
  return found;
};

interface Tag {
  id: number;
  name: string;
}

/** The stored tags that these names mean. */
const findTagsByName = async (tx: Space, names: readonly string[]): Promise<Tag[]> =>
  names.length === 0 ? [] : tx.rows(findTags, { names: names.map(trimLine) });

/** The content with the names by which the space stores the tags that it removes. */
const nameRemovedTags = async (tx: Space, content: ContactContent): Promise<ContactContent> =>
  content.removedTags
    ? { ...content, removedTags: (await findTagsByName(tx, content.removedTags)).map(({ name }) => name) }
    : content;

/** A change that a job goes on with has the ids of its tags, which are created: somebody may rename or delete one meanwhile. */
interface StoredChange extends ChangeOfContacts {
  tags?: { added: number[]; removed: number[] };
}

const storeTags = async (tx: Space, change: ChangeOfContacts): Promise<StoredChange> => {
  const content = { ...change.content };
  await adoptTagNames(tx, [content]);
  const { addedTags = [], removedTags = [] } = content;
  const nameOf = addedTags.length > 0 ? await createMissingTags(tx, addedTags) : String;
  const names = addedTags.map(({ name }) => nameOf(name));
  const added = (await findTagsByName(tx, names)).filter(({ name }) => names.includes(name));
  const removed = await findTagsByName(tx, removedTags);
  const listIds = (tags: readonly Tag[]): number[] => tags.map(({ id }) => id);
  return { ...change, tags: { added: listIds(added), removed: listIds(removed) } };
};

/** The content of a stored change with the names that its tags have now. Deleted ones are left out. */
const nameStoredTags = async (tx: Space, { content, tags }: StoredChange): Promise<ContactContent> => {
  if (!tags) return nameRemovedTags(tx, content);
  const { added, removed } = tags;
  const found = await tx.rows<Tag>(readTags, { ids: [...added, ...removed] });
  const names = new Map(found.map(({ id, name }) => [id, name]));
  const listNames = (some: readonly number[]): string[] => some.flatMap((id) => names.get(id) ?? []);
  return {
    ...content,
    ...(content.addedTags && { addedTags: listNames(added).map((name) => ({ name })) }),
    ...(content.removedTags && { removedTags: listNames(removed) }),
  };
};

/** A write of the same content to each of some contacts. */
const describeWrites = (content: ContactContent, ids: readonly number[]): (ContactWrite & { id: number })[] =>
  ids.map((id) => ({ id, at: 'input.change.set', content: { ...content }, formAnswers: [] }));

const describeProblem = ({ message, errors = [] }: Problem): string =>
  errors.map((fault) => `${fault.location.slice(fault.location.lastIndexOf('.') + 1)} ${fault.message}`).join('; ') ||
  message;

/** Why a contact is left who has decided otherwise while the change was under way. */
export const saidOtherwise = new Problem(
  'conflict',
  'has agreed to something else, or opted out, since the change began',
);

/** Sums up what became of contacts; those that are not among the living were deleted meanwhile. */
const sumUp = (
  ids: readonly number[],
  there: ReadonlySet<number>,
  results: readonly { contact_id: number; problem?: Problem; unchanged?: boolean }[],
): Outcome => {
  const refused = [
    ...ids.flatMap((id) => (there.has(id) ? [] : [{ contact_id: id, message: 'is not a contact of the space' }])),
    ...results.flatMap(({ contact_id, problem }) =>
      problem ? [{ contact_id, message: describeProblem(problem) }] : [],
    ),
  ];
  const unchanged = results.filter((result) => result.unchanged).length;
  return {
    changed: ids.length - refused.length - unchanged,
    unchanged,
    refused: refused.length,
    faults: refused.slice(0, shown),
  };
};

/** The contacts, locked by the transaction, who have decided otherwise since the change began. */
const findDecided = async (
  tx: Space,
  id: number,
  { columns, answers = [] }: ContactContent,
  ids: readonly number[],
): Promise<Set<number>> => {
  const lifts = columns.black_list === false;
  const forms = answers.flatMap((one) => one.answers.map(({ form_id }) => form_id));
  if (!lifts && forms.length === 0) return new Set();
  return new Set((await tx.rows<{ id: number }>(decidedSince, { import: id, ids, forms, lifts })).map((one) => one.id));
};

/** Changes contacts within a transaction, each as if it were changed alone. */
const changeSome = async (
  tx: Space,
  id: number,
  { content, deletes }: ChangeOfContacts,
  { ids, by }: { ids: readonly number[]; by: number | null },
): Promise<Outcome> => {
  const there = new Set((await lockContacts(tx, ids)).keys());
  if (deletes) {
    await traceChangingContacts(tx, id, [...there], content);
    await deleteContacts(tx, [...there], by);
  }
  const left = await findDecided(tx, id, content, [...there]);
  const changed = deletes ? [] : [...there].filter((contact) => !left.has(contact));
  const writes = describeWrites(content, changed);
  const changing = (within: Space, some: readonly number[]) => traceChangingContacts(within, id, some, content);
  const trace = { created: async () => {}, changing };
  const save = (within: Space, some: readonly (ContactWrite & { id: number | null })[]) =>
    saveContactRecords(within, some, matchByPosition(some), { by, trace });
  const results = writes.length > 0 ? await writeInHalves(tx, writes, save) : [];
  await attributeConsents(tx, [...there], { userId: by, operation, importId: id });
  return sumUp(ids, there, [
    ...results.map((result, place) => ({ contact_id: writes[place]!.id, ...result })),
    ...[...left].map((contact_id) => ({ contact_id, problem: saidOtherwise })),
  ]);
};

const endChange = async (tx: Space, id: number): Promise<void> => {
  await tx.rows(forget, { id });
  await finishImport(tx, id);
};

/** Changes the next contacts in the transaction that takes them and counts them: whether they were the last ones, or that none were left to take. */
const changeNext = async (tx: Space, id: number): Promise<'more' | 'ended' | 'over'> => {
  const locked = await tx.row<{ change: StoredChange; by: number | null }>(share, { id });
  const next = await tx.row<{ first_row: number; ids: number[]; more: boolean }>(take, { id });
  if (!locked || !next) return 'over';
  await claimImportBatch(tx, id, next.first_row);
  const { by, change } = locked;
  const content = await nameStoredTags(tx, change);
  const { changed, faults, ...counts } = await changeSome(tx, id, { ...change, content }, { ids: next.ids, by });
  await countImportBatch(tx, id, next.first_row, {
    created: 0,
    updated: changed,
    ...counts,
    faults: JSON.stringify(faults),
  });
  if (next.more) return 'more';
  // Earlier batches may be changed at this moment, and may come back.
  if (next.first_row > 1) {
    await tx.rows(lock, { id });
    if ((await tx.row<{ more: boolean }>(isLeft, { id }))!.more) return 'more';
  }
  await endChange(tx, id);
  return 'ended';
};

/** The counts of a change for its audit line. */
export const countChange = ({ total, changed, unchanged, refused }: ContactChange): Record<string, number> => ({
  total,
  changed,
  unchanged,
  refused,
});

interface Wanted {
  change: ChangeOfContacts;
  /** The contacts in the order of their ids. */
  ids: readonly number[];
  name: string;
  by: number;
}

/** Throws the problem that the change has for any contact: a malformed value, a form or an action that is not in the space. */
export const checkContactChange = async (
  space: Space,
  content: ContactContent,
  actions: Readonly<Record<'addActionIds' | 'removeActionIds', readonly number[]>>,
): Promise<void> => {
  const { addActionIds, removeActionIds } = actions;
  const named = [...addActionIds, ...removeActionIds];
  const known = await readKnownReferences(space, [{ columns: {}, actions: named }]);
  const places = Object.entries(actions).flatMap(([list, ids]) => listReferencesIn(`input.change.${list}`, ids));
  requireKnownReferences('action', places, known.actions);
  const [write] = describeWrites(await nameRemovedTags(space, content), [0]);
  const { planned } = await planContactRecords(space, [write!], matchByPosition([{ id: null }]), {});
  if ('problem' in planned[0]!) throw planned[0].problem;
};

/** A contact that a change would change, and the values that would differ. */
export interface ChangeExample {
  contact_id: number;
  values: { field: string; before: unknown; after: unknown }[];
}

/** The effects that a change would have, told from its first contacts. */
export interface ChangePreview extends Outcome {
  total: number;
  examples: ChangeExample[];
}

/** Every value of a contact by its field. */
const listValues = ({ columns, address, tags, actions, answers }: StoredContact): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(columns).map(([name, value]) => [getFieldName(name), value])),
  ...Object.fromEntries(addressColumnNames.map((name) => [`address.${getFieldName(name)}`, address?.[name] ?? null])),
  tags,
  actionIds: actions,
  answers: answers.map(({ form_id, form_ref_id, data }) => ({ formId: form_id, optionId: form_ref_id, text: data })),
});

const compareStates = (before: StoredContact, after: StoredContact): ChangeExample['values'] => {
  const [one, other] = [listValues(before), listValues(after)];
  return Object.keys(one).flatMap((field) =>
    isDeepStrictEqual(one[field], other[field]) ? [] : [{ field, before: one[field], after: other[field] }],
  );
};

/** Tells what a change would do. It writes nothing; the contacts that it looks at are locked until the transaction ends. */
export const previewContactChange = async (
  tx: Space,
  { content, deletes }: ChangeOfContacts,
  all: readonly number[],
): Promise<ChangePreview> => {
  const ids = all.slice(0, examined);
  const there = new Set((await lockContacts(tx, ids)).keys());
  const writes = describeWrites(await nameRemovedTags(tx, content), [...there]);
  const { planned } = deletes ? { planned: [] } : await planContactRecords(tx, writes, matchByPosition(writes), {});
  const results = planned.map(({ draft, ...result }) => ({ contact_id: draft.id!, draft, ...result }));
  const changing = results.filter((result) => 'unchanged' in result && !result.unchanged);
  const examples = changing
    .slice(0, shown)
    .map(({ contact_id, draft }) => ({ contact_id, values: compareStates(draft.before, draft.after) }));
  const deleted = deletes ? [...there].slice(0, shown).map((contact_id) => ({ contact_id, values: [] })) : examples;
  return { ...sumUp(ids, there, results), total: all.length, examples: deleted };
};

/** Begins a change in a transaction. Few contacts are changed in the same one; more are left to the job. Throws 409 when too many changes are under way. */
export const beginContactChange = async (tx: Space, { change, ids, name, by }: Wanted): Promise<ContactChange> => {
  if (ids.length > atOnce) await tx.rows(lockCount);
  if (ids.length > atOnce && (await tx.row<{ count: number }>(countUnderWay))!.count >= underWay)
    throw new Problem(
      'conflict',
      `${underWay} changes of contacts are under way: wait for the end of one, or cancel one`,
    );
  const { id } = await beginImport(tx, { family: changeFamily, name, by }, false);
  const stored = ids.length > atOnce ? await storeTags(tx, change) : change;
  await tx.rows(begin, { import: id, change: JSON.stringify(stored), total: ids.length });
  for (let before = 0; before < ids.length; before += writtenAtOnce)
    await tx.rows(addBatches, { import: id, before, ids: ids.slice(before, before + writtenAtOnce) });
  if (ids.length === 0) await endChange(tx, id);
  else if (ids.length <= atOnce) await changeNext(tx, id);
  return readContactChange(tx, id);
};

/** Cancels a change, unless it is over: tells whether it was under way. It keeps what is done. */
const cancelRest = async (tx: Space, id: number): Promise<boolean> => {
  await tx.rows(dropFree, { id });
  await tx.rows(lock, { id });
  if ((await readContactChange(tx, id)).finished_at) return false;
  await tx.rows(drop, { id });
  await finishImport(tx, id);
  return true;
};

/** Cancels a change that is under way: what is done stays. Throws 404 when there is none, 409 when it is over. */
export const cancelContactChange = (space: Space, id: number): Promise<ContactChange> =>
  space.transaction(async (tx) => {
    if (!(await cancelRest(tx, id))) throw new Problem('conflict', `The contact change ${id} is over already`);
    return readContactChange(tx, id);
  });

const changesUnderWay = 'select distinct group_id as space, import_id as change from bulk_change_batches';

/** The changes that are under way. */
export const findContactChanges = (database: Database): Promise<{ space: number; change: number }[]> =>
  database.jobPool.run(changesUnderWay, {}, 'bulk.under_way');

/** In milliseconds: how long two batches at once wait for a moment without requests. */
const pause = 100;

/**
 * Goes on with a change until it is done, or `signal` aborts. It is cancelled when whoever began it may not change contacts any more. Each batch is a transaction, so a process that is killed leaves none half
 * done. While `isIdle`, a second batch is changed beside the first one, so that PostgreSQL and this process do not wait for each other.
 */
export const continueContactChange = async (
  space: Space,
  id: number,
  signal: AbortSignal,
  isIdle: () => boolean = () => true,
): Promise<void> => {
  const tell = async (tx: Space, deed: string, userId: number | null): Promise<void> => {
    const counts = countChange(await readContactChange(tx, id));
    await addAuditLines(tx, describeCommand(deed, userId), { type: 'Import', ids: [id], counts });
  };
  const step = async (tx: Space): Promise<boolean> => {
    const { by = null } = (await tx.row<{ by: number | null }>(findAuthor, { id })) ?? {};
    if (!(await isStillPermitted(tx, by, 'contacts.write'))) {
      if (await cancelRest(tx, id)) await tell(tx, 'cancelContactChange', null);
      return false;
    }
    const state = await changeNext(tx, id);
    if (state === 'ended') await tell(tx, operation, by);
    return state === 'more';
  };
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  const changeBatches = async (mayGoOn: () => boolean): Promise<void> => {
    while (!ends.aborted)
      if (!mayGoOn()) await sleep(pause, undefined, { signal: ends }).catch(() => {});
      else if (!(await space.transaction(step, { repeats: true }))) return;
  };
  // Nothing is left to take for the other one when one of them ends, and a failure of one ends both.
  const ended = await Promise.allSettled(
    [() => true, isIdle].map((mayGoOn) => changeBatches(mayGoOn).finally(() => over.abort())),
  );
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
};
