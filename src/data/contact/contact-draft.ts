// Turns a record into changes of its contact: chooses among values that were sent twice, keeps what is new, validates it, and computes the contact's next state.

import type { Space } from '../../database/space.ts';
import { limits } from '../../limits/limits.ts';
import { createTwinFault, type Fault, type Problem } from '../../problem.ts';
import { type Resolved, resolveFormAnswers } from './answer-lookup.ts';
import {
  createRecordProblem,
  findReferenceFaults,
  findValueFaults,
  type References,
  readKnownReferences,
} from './check-references.ts';
import { applyContactChange, findContactChange, joinContactChanges, pickDifferences } from './compare-contacts.ts';
import type { ExternalIds } from './external-id.ts';
import { keepConsent, type Unfollowed } from './keep-consent.ts';
import type { AnswerChange, ContactContent, ContactWrite, TwinValue } from './patch.ts';
import { emptyContact, readStoredContacts, type StoredContact } from './stored-contact.ts';

/** A record whose forms are resolved. */
interface PreparedRecord {
  at: string;
  whole: Resolved;
  twins: (Pick<TwinValue, 'places' | 'values'> & { parts: [Resolved, Resolved] })[];
}

/** A contact while its records are applied in memory: its state before, its state after the last of them, and their changes. */
export interface ContactDraft {
  id: number | null;
  /** The id that it gets when it is created, if it is to be a certain one. */
  newId?: number | undefined;
  before: StoredContact;
  after: StoredContact;
  changes: ContactContent[];
  /** The mails that upserts have replaced. */
  formerMails: string[];
}

export const prepareContactRecords = async (tx: Space, writes: readonly ContactWrite[]): Promise<PreparedRecord[]> => {
  const parts = writes.flatMap((write) => [write, ...(write.twins ?? []).flatMap((twin) => twin.parts)]);
  const resolved = (await resolveFormAnswers(tx, parts)).values();
  const next = (): Resolved => resolved.next().value!;
  return writes.map(({ at, twins = [] }) => ({
    at,
    whole: next(),
    twins: twins.map(({ places, values }) => ({ places, values, parts: [next(), next()] })),
  }));
};

export const listPossibleContents = ({ whole, twins }: PreparedRecord): ContactContent[] => [
  whole.content,
  ...twins.flatMap(({ parts }) => parts.map(({ content }) => content)),
];

const mergeContents = (one: ContactContent, other: ContactContent): ContactContent => ({
  ...one,
  ...other,
  columns: { ...one.columns, ...other.columns },
  ...(one.address && other.address && { address: { ...one.address, ...other.address } }),
  ...(one.answers && other.answers && { answers: [...one.answers, ...other.answers] }),
});

/** Lets answers that are added to checkboxes replace none but those to the same option. */
const addToCheckboxes = (resolved: Resolved, forms: References['forms']): Resolved => {
  const { answers } = resolved.content;
  if (!answers?.some(({ adds }) => adds)) return resolved;
  const isCheckbox = (form: number): boolean => forms.get(form)?.type === 'checkbox';
  const narrowed = answers.map((change): AnswerChange => {
    if (!change.adds || typeof change.replaces === 'string') return change;
    const refs = change.answers.flatMap(({ form_id, form_ref_id }) => (isCheckbox(form_id) ? [form_ref_id] : []));
    return { ...change, replaces: { forms: change.replaces.forms.filter((form) => !isCheckbox(form)), refs } };
  });
  return { ...resolved, content: { ...resolved.content, answers: narrowed } };
};

/** The content of a record, where values were sent under two names: the one that differs from the stored value is meant. */
const chooseContent = (
  record: PreparedRecord,
  stored: StoredContact,
  { forms }: References,
): Resolved & { apart: Fault[] } => {
  const whole = addToCheckboxes(record.whole, forms);
  let { content } = whole;
  const faults = [...whole.faults];
  const apart: Fault[] = [];
  for (const { places, values, parts: both } of record.twins) {
    const parts = [addToCheckboxes(both[0], forms), addToCheckboxes(both[1], forms)] as const;
    const isNew = parts.map(
      (part) => part.faults.length > 0 || findContactChange(part.content, stored, forms) !== undefined,
    );
    const chosen = parts[isNew[0] ? 0 : 1];
    if (isNew[0] && isNew[1]) {
      apart.push(createTwinFault(places, values[0]));
      continue;
    }
    content = mergeContents(content, chosen.content);
    faults.push(...chosen.faults);
  }
  return { content, faults, apart };
};

const { tagsOfContact } = limits.value;

export interface DraftOptions {
  /** Whether the values are those that another server has stored: like values from before, they may break the rules of new ones. */
  keepsOldValues?: boolean | undefined;
  /** Whether opt-outs and later answers on consent win over the record. */
  keepsConsent?: boolean | undefined;
  /** Whether a mail that is replaced is kept as a former one. */
  keepsMails?: boolean | undefined;
}

/** Applies one record to the draft of its contact; or yields why it is refused, and leaves the draft as it is. */
export const addRecordToDraft = (
  record: PreparedRecord,
  draft: ContactDraft,
  known: References,
  externalIds: ExternalIds,
  { keepsOldValues, keepsConsent, keepsMails }: DraftOptions,
): { problem: Problem } | { unchanged: boolean; unfollowed: Unfollowed[] } => {
  const { at } = record;
  const stored = draft.after;
  const { content: sent, faults, apart } = chooseContent(record, stored, known);
  const { content, unfollowed } = keepsConsent
    ? keepConsent(sent, stored, known.forms)
    : { content: sent, unfollowed: [] };
  const change = findContactChange(content, stored, known.forms);
  const values = [...apart, ...(change && !keepsOldValues ? findValueFaults(change, at, { stored, known }) : [])];
  if ((change?.tags?.length ?? 0) > Math.max(tagsOfContact, stored.tags.length))
    values.push({
      location: `${at}.tags`,
      message: `must be at most ${tagsOfContact} tags, with those that are there`,
    });
  const externalId = change?.columns.external_id;
  const references = [...faults, ...findReferenceFaults(content, at, known)];
  const taken = externalIds.findFault(draft, externalId, `${at}.externalId`);
  const problem = createRecordProblem(values, references, taken);
  if (problem) return { problem };
  externalIds.assign(draft, externalId);
  const isBorn = draft.id === null && draft.changes.length === 0;
  if (change || isBorn) draft.changes.push(change ?? { columns: {} });
  const { mail } = stored.columns;
  if (keepsMails && change?.columns.mail !== undefined && mail) draft.formerMails.push(mail as string);
  if (change) draft.after = applyContactChange(stored, change, known.forms);
  return { unchanged: !change && !isBorn, unfollowed };
};

export const readDraftContent = ({ before, after, changes }: ContactDraft): ContactContent =>
  changes.length === 1 ? changes[0]! : joinContactChanges(before, after, changes);

/** The values that the contact does not have, and the answers. Lists may hold what could not be read. */
const pickNewValues = ({ columns, address, answers }: ContactContent, stored: StoredContact): ContactContent => ({
  columns: pickDifferences(columns, stored.columns),
  ...(address && { address: pickDifferences(address, stored.address ?? {}) }),
  ...(answers && { answers }),
});

/**
 * Every id, form and value in these records that is not in the space, and every value that breaks a rule, at its place. `ids` are those of the
 * contacts that the records mean, null for a new one. Nothing is locked or written. The records may have further faults, such as texts that
 * no statement can be sent.
 */
export const findRecordFaults = async (
  space: Space,
  writes: readonly ContactWrite[],
  ids: readonly (number | null)[],
): Promise<Fault[]> => {
  const records = await prepareContactRecords(space, writes);
  const known = await readKnownReferences(space, records.flatMap(listPossibleContents));
  const found = await readStoredContacts(
    space,
    ids.filter((id) => id !== null),
    records.map(({ whole: { content } }) => {
      const { columns, address, answers } = content;
      return { columns, ...(address !== undefined && { address }), ...(answers && { answers }) };
    }),
  );
  return records.flatMap(({ at, whole: { content, faults } }, place) => {
    const stored = found.get(ids[place] ?? -1) ?? emptyContact;
    return [
      ...faults,
      ...findReferenceFaults(content, at, known),
      ...findValueFaults(pickNewValues(content, stored), at, { stored, known }),
    ];
  });
};
