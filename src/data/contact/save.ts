// Saves records of contacts, one or thousands: compares each with the stored contact, validates it, and writes the differences.

import type { Space } from '../../database/space.ts';
import { Pace } from '../../limits/pace.ts';
import { createNotFoundProblem, type Problem } from '../../problem.ts';
import type { Precondition } from '../noun/precondition.ts';
import { readKnownReferences } from './check-references.ts';
import { adoptTagNames, createMissingTags } from './child-rows.ts';
import { noteConsentSources } from './consent.ts';
import {
  addRecordToDraft,
  type ContactDraft,
  type DraftOptions,
  listPossibleContents,
  prepareContactRecords,
  readDraftContent,
} from './contact-draft.ts';
import { readExternalIds } from './external-id.ts';
import { keepFormerMails } from './former-mail.ts';
import { insertContacts } from './insert.ts';
import type { Unfollowed } from './keep-consent.ts';
import { addContactNotes } from './note.ts';
import type { ContactContent, ContactWrite } from './patch.ts';
import { emptyContact, readStoredContacts } from './stored-contact.ts';
import { changeContacts, lockContacts } from './write.ts';

/** The contact that a record means; it is created when it has no id. */
export interface MatchedContact {
  readonly id: number | null;
  /** The id that it gets when it is created: one that is free in the space. Without it the database assigns one. */
  readonly newId?: number | undefined;
  /** A contact of the same name that another mail keeps apart from one that is created. */
  readonly namesake?: MatchedContact | undefined;
}

/** Tells which contact each record of a batch means, while the records are saved in order. */
export interface Matcher {
  /** The existing contacts that the records may mean, as far as they can be foreseen. They are locked. */
  readonly ids: readonly number[];
  /** The contact that the record means: always the same object for the same contact. */
  find(place: number): MatchedContact;
  /** Called when a record is saved. */
  accept(place: number, meant: MatchedContact): void;
  /** Called when a contact that was found has been deleted. */
  forget(id: number): void;
}

/** Each record means a different contact. */
export const matchByPosition = (meant: readonly MatchedContact[]): Matcher => ({
  ids: meant.flatMap(({ id }) => id ?? []),
  find: (place) => meant[place]!,
  accept: () => {},
  forget: () => {},
});

export interface SavedRecord {
  id: number;
  outcome: 'created' | 'updated';
  /** Whether the record changed nothing. */
  unchanged: boolean;
  /** Its values that are not followed. */
  unfollowed: readonly Unfollowed[];
  /** Another contact of the same name, of which a new one may be a duplicate. */
  namesake?: number | undefined;
}

/** The result of one record of a batch, or why it was refused. */
export type SaveResult = SavedRecord | { problem: Problem };

/** Records the changes of a batch, so that they can be undone. */
export interface ImportTrace {
  created(tx: Space, ids: readonly number[]): Promise<unknown>;
  /** Called before contacts change, while they are locked. */
  changing(tx: Space, ids: readonly number[]): Promise<unknown>;
}

/** Writes the drafts, each contact once; yields the ids of created contacts. With a trace, all records of a contact count as one version. */
const writeDrafts = async (
  tx: Space,
  drafts: readonly ContactDraft[],
  by: number | null,
  trace: ImportTrace | undefined,
): Promise<Map<ContactDraft, number>> => {
  // Every record creates the tags that it names, even if a later one replaces them.
  const named = drafts.flatMap(({ changes }) => (changes.length > 1 ? changes.flatMap(({ tags = [] }) => tags) : []));
  if (named.length > 0) await createMissingTags(tx, named);
  const describe = (draft: ContactDraft) => ({
    content: readDraftContent(draft),
    versions: trace ? 1 : draft.changes.length,
  });
  const changing = drafts.flatMap((draft) => (draft.id === null ? [] : [{ id: draft.id, ...describe(draft) }]));
  const creating = drafts.filter(({ id }) => id === null);
  if (changing.length > 0)
    await trace?.changing(
      tx,
      changing.map(({ id }) => id),
    );
  await changeContacts(tx, changing, by);
  const created = await insertContacts(
    tx,
    creating.map((draft) => ({ ...describe(draft), newId: draft.newId })),
    by,
  );
  if (created.length > 0) await trace?.created(tx, created);
  const ids = new Map(creating.map((draft, index) => [draft, created[index]!]));
  const written = drafts.map((draft) => ({ ...draft, id: draft.id ?? ids.get(draft)! }));
  await keepFormerMails(
    tx,
    written.flatMap(({ id, formerMails }) => formerMails.map((mail) => ({ id, mail }))),
  );
  const notes = written.flatMap(({ id, changes }) =>
    changes.flatMap((change) => (change.notes ?? []).map((note) => ({ ...note, contactId: id }))),
  );
  await addContactNotes(tx, notes, by);
  return ids;
};

/** The drafts of contacts, and how the draft of the contact that a record means is found. */
const openDrafts = async (tx: Space, matcher: Matcher, contents: readonly ContactContent[]) => {
  const stored = await readStoredContacts(tx, matcher.ids, contents);
  const drafts = new Map<MatchedContact, ContactDraft>();
  /** Locks the contact, and tells whether it exists. */
  const lock = async (id: number): Promise<boolean> => {
    const living = await lockContacts(tx, [id]);
    if (!living.has(id)) matcher.forget(id);
    for (const [one, state] of await readStoredContacts(tx, [...living.keys()], contents)) stored.set(one, state);
    return living.has(id);
  };
  const find = async (place: number): Promise<{ meant: MatchedContact; draft: ContactDraft }> => {
    for (;;) {
      const meant = matcher.find(place);
      const known = drafts.get(meant);
      if (known) return { meant, draft: known };
      // The matcher may have assumed that a record which was refused changes which contact this one means.
      if (meant.id !== null && !stored.has(meant.id) && !(await lock(meant.id))) continue;
      const before = meant.id === null ? emptyContact : stored.get(meant.id)!;
      const draft = { id: meant.id, newId: meant.newId, before, after: before, changes: [], formerMails: [] };
      drafts.set(meant, draft);
      return { meant, draft };
    }
  };
  return { drafts, find };
};

/** A record that is compared with its contact: what it changes, or why it is refused. */
type PlannedRecord = { meant: MatchedContact; draft: ContactDraft } & ReturnType<typeof addRecordToDraft>;

/** Compares records with the stored contacts, in order, as if each were written before the next is read. It writes nothing. */
export const planContactRecords = async (
  tx: Space,
  writes: readonly ContactWrite[],
  matcher: Matcher,
  options: DraftOptions,
): Promise<{ planned: PlannedRecord[]; drafts: ReadonlyMap<MatchedContact, ContactDraft> }> => {
  const records = await prepareContactRecords(tx, writes);
  const contents = records.flatMap(listPossibleContents);
  await adoptTagNames(tx, contents);
  const known = await readKnownReferences(tx, contents, { holds: true });
  const { drafts, find } = await openDrafts(tx, matcher, contents);
  const externalIds = await readExternalIds(tx, contents);
  const pace = new Pace();
  const planned: PlannedRecord[] = [];
  for (const [place, record] of records.entries()) {
    const { meant, draft } = await find(place);
    const result = addRecordToDraft(record, draft, known, externalIds, options);
    if (!('problem' in result)) matcher.accept(place, meant);
    planned.push({ ...result, meant, draft });
    await pace.breathe();
  }
  return { planned, drafts };
};

/** Saves records within a transaction; a fault of one does not keep others from being saved. Records without changes write nothing. */
export const saveContactRecords = async (
  tx: Space,
  writes: readonly ContactWrite[],
  matcher: Matcher,
  { by, trace, ...options }: DraftOptions & { by: number | null; trace?: ImportTrace | undefined },
): Promise<SaveResult[]> => {
  const { planned, drafts } = await planContactRecords(tx, writes, matcher, options);
  const changed = [...drafts.values()].filter(({ changes }) => changes.length > 0);
  const created = await writeDrafts(tx, changed, by, trace);
  const answered = new Set<ContactDraft>();
  const findNamesake = ({ namesake }: MatchedContact): number | undefined =>
    namesake && (namesake.id ?? created.get(drafts.get(namesake)!));
  const results = planned.map((result): SaveResult => {
    if ('problem' in result) return { problem: result.problem };
    const { meant, draft, unchanged, unfollowed } = result;
    const isFirst = draft.id === null && !answered.has(draft);
    answered.add(draft);
    return {
      id: draft.id ?? created.get(draft)!,
      outcome: isFirst ? 'created' : 'updated',
      unchanged,
      unfollowed,
      ...(isFirst && { namesake: findNamesake(meant) }),
    };
  });
  const sources = results.flatMap((result, place): [number, string][] => {
    const source = writes[place]!.consentSource;
    return source && 'id' in result ? [[result.id, source]] : [];
  });
  await noteConsentSources(tx, new Map(sources));
  return results;
};

/** Creates a contact for each record within a transaction, even if one like it exists. */
export const createContacts = (
  tx: Space,
  writes: readonly ContactWrite[],
  options: { by: number | null; trace?: ImportTrace },
): Promise<SaveResult[]> => saveContactRecords(tx, writes, matchByPosition(writes.map(() => ({ id: null }))), options);

/** Saves one record, or throws its problem. */
const saveRecord = async (tx: Space, write: ContactWrite, id: number | null, by: number): Promise<SavedRecord> => {
  const [result] = await saveContactRecords(tx, [write], matchByPosition([{ id }]), { by });
  if ('problem' in result!) throw result.problem;
  return result!;
};

/** Creates a contact. Throws 400 for malformed values, 422 for ids that are not in the space, 409 for an external id that is taken. */
export const createContact = (space: Space, write: ContactWrite, by: number): Promise<SavedRecord> =>
  space.transaction((tx) => saveRecord(tx, write, null, by));

/** Updates the given fields of a contact, as `createContact` does. Throws 404 when it is missing, 412 when it is not as `expected`. */
export const updateContact = (
  space: Space,
  id: number,
  write: ContactWrite,
  { by, expected }: { by: number; expected: Precondition | undefined },
): Promise<SavedRecord> =>
  space.transaction(async (tx) => {
    const version = (await lockContacts(tx, [id])).get(id);
    if (version === undefined) throw createNotFoundProblem('contact', id);
    expected?.check('contact', version);
    return saveRecord(tx, write, id, by);
  });
