// Reads a contact as the contract's search shows it, as the content that it is to have here.
import { convertToContactWrite } from '../../schema/contact/contact-content.ts';
import { schema } from '../../schema/index.ts';
import { addressColumnNames, contactColumnNames } from '../data/contact/columns.ts';
import type { ContactContent } from '../data/contact/patch.ts';
import type { MovedInteraction, MovedNote } from '../data/move/contact-records.ts';
import type { MovedContact } from '../data/move/contacts.ts';
import { read } from '../input/legacy-input.ts';
import { createCacheKey } from '../limits/cache-key.ts';
import type { Fault } from '../problem.ts';
import { getItems, isSourceRecord, readFlag, readId, readInstant, readProse, readText } from './read-value.ts';
import type { SourceRecord } from './source.ts';

/** The ids here of what contacts of the source refer to. A record that is gone has none. */
export interface Translation {
  forms: ReadonlyMap<number, number>;
  /** By the id of the form here and the id of the option in the source. */
  options: ReadonlyMap<string, number>;
  actions: ReadonlyMap<number, number>;
  users: ReadonlyMap<number, number>;
}

/** A contact with what was left out of it, or why it cannot be read. */
type ReadContact = { contact: MovedContact; leftOut: Fault[] } | { faults: Fault[] };

/** Columns that only servers with the extras of the contract show: these servers always show black_list. */
const extraColumns: readonly string[] = ['external_id', 'nationality', 'phone_invalid', 'mobile_invalid', 'black_list'];

/** All columns, so that a value which the source no longer has is cleared. */
const clearMissing = (content: ContactContent, hasExtras: boolean, record: SourceRecord): ContactContent => {
  // The search shape does not show whose account a contact is.
  const cleared = contactColumnNames.filter(
    (column) => column !== 'user_contact_id' && (hasExtras || !extraColumns.includes(column)),
  );
  const parts = addressColumnNames.filter((column) => hasExtras || column !== 'county');
  const toNulls = (columns: readonly string[]) => Object.fromEntries(columns.map((column) => [column, null]));
  return {
    ...content,
    columns: { ...toNulls(cleared), ...content.columns },
    address: isSourceRecord(record.address) ? { ...toNulls(parts), ...content.address } : null,
  };
};

const readTag = (tag: unknown): unknown => (isSourceRecord(tag) ? { name: tag.name, color: tag.color } : tag);

/** Answers with the ids that their forms have here. Those to a form or an option that the source no longer lists are left out. */
const readAnswers = (list: string, value: unknown, { forms, options }: Translation, leftOut: Fault[]): SourceRecord[] =>
  getItems(value).flatMap((answer, index) => {
    const [form, option] = [readId(answer.form_id), readId(answer.form_ref_id)];
    const formId = form === undefined ? undefined : forms.get(form);
    const optionId =
      formId === undefined || option === undefined ? undefined : options.get(createCacheKey(formId, option));
    if (formId === undefined || optionId === undefined) {
      const [name, said] = formId === undefined ? ['form_id', answer.form_id] : ['form_ref_id', answer.form_ref_id];
      leftOut.push({
        location: `${list}[${index}].${name}`,
        message: 'is not in the lists of forms of the source: the answer is left out',
        value: said,
      });
      return [];
    }
    const { data, date, survey_id } = answer;
    return [{ form_id: formId, form_ref_id: optionId, data, date, survey_id }];
  });

const authorOf = ({ user_id }: SourceRecord, { users }: Translation): number | null =>
  users.get(readId(user_id) ?? -1) ?? null;

const readNotes = (value: unknown, translation: Translation, leftOut: Fault[]): MovedNote[] =>
  getItems(value).flatMap((note, index) => {
    const [sourceId, content] = [readId(note.id), readProse(note.data ?? note.content)];
    if (sourceId === undefined || content === undefined) {
      leftOut.push({ location: `notes[${index}]`, message: 'has no readable id or text: the note is left out' });
      return [];
    }
    return [
      {
        sourceId,
        content,
        pinned: readFlag(note.pinned),
        user_id: authorOf(note, translation),
        created_at: readInstant(note.created_at),
        updated_at: readInstant(note.updated_at, note.created_at),
      },
    ];
  });

const readInteractions = (value: unknown, translation: Translation, leftOut: Fault[]): MovedInteraction[] =>
  getItems(value).flatMap((one, index) => {
    const [sourceId, type] = [readId(one.id), readText(one.type)];
    if (sourceId === undefined || type === undefined) {
      leftOut.push({
        location: `interactions[${index}]`,
        message: 'has no readable id or type: the interaction is left out',
      });
      return [];
    }
    const files = getItems(one.files).flatMap((file, place) => {
      const [name, url] = [readText(file.name), readProse(file.url)];
      if (name === undefined || url === undefined) {
        leftOut.push({
          location: `interactions[${index}].files[${place}]`,
          message: 'has no readable name or url: the file is left out',
        });
        return [];
      }
      const { mime, folder, subject, created } = file;
      return [
        {
          name,
          url,
          mime: readText(mime) ?? null,
          folder: readText(folder) ?? null,
          subject: readText(subject) ?? null,
          created_at: readInstant(created),
        },
      ];
    });
    return [
      {
        sourceId,
        type,
        sub_type: readText(one.sub_type) ?? null,
        title: readText(one.title) ?? null,
        comments: readProse(one.comments) ?? null,
        only_super_admin: readFlag(one.only_super_admin),
        files,
        user_id: authorOf(one, translation),
        created_at: readInstant(one.created_at),
        updated_at: readInstant(one.updated_at, one.created_at),
      },
    ];
  });

/** Ids that records of the batch repeat are written once. */
const omitRepeated = <Item extends { sourceId: number }>(items: readonly Item[]): Item[] => [
  ...new Map(items.map((item) => [item.sourceId, item])).values(),
];

/** A contact has one pinned note: of several the newest, which readers of the source see first. */
const pinOne = (notes: MovedNote[]): MovedNote[] => {
  const isNewer = (one: MovedNote, other: MovedNote): boolean => {
    const [first, second] = [one, other].map(({ created_at }) => created_at ?? '9999');
    return first === second ? one.sourceId > other.sourceId : first! > second!;
  };
  const pinned = notes
    .filter((note) => note.pinned)
    .reduce<MovedNote | undefined>(
      (found, note) => (found === undefined || isNewer(note, found) ? note : found),
      undefined,
    );
  return notes.map((note) => ({ ...note, pinned: note === pinned }));
};

const argument = schema.getMutationType()!.getFields().createContact!.args[0]!;

/** The ids of the actions that a contact is linked to. */
export const readActionIds = ({ actions_ids, action_ids }: SourceRecord): number[] => {
  const list = actions_ids ?? action_ids;
  return Array.isArray(list) ? list.flatMap((id) => readId(id) ?? []) : [];
};

/** Fields that are not content of a contact, or are read in another way than a request. */
const readApart = new Set([
  'id',
  'group_id',
  'user_contact_id',
  'notes',
  'interactions',
  'formdatas',
  'customfields',
  'custom_fields',
  'actions_ids',
  'action_ids',
  'CreatedAt',
  'UpdatedAt',
  'created_at',
  'updated_at',
  'lastchange',
  'tags',
]);

/** Reads one contact. A value that breaks a rule of contacts is a fault; what refers to something that is gone is left out. */
export const readContact = (record: SourceRecord, translation: Translation): ReadContact => {
  const sourceId = readId(record.id);
  if (sourceId === undefined)
    return { faults: [{ location: 'id', message: 'must be a whole number below 2^53', value: record.id }] };
  const leftOut: Fault[] = [];
  const fields = Object.fromEntries(Object.entries(record).filter(([name]) => !readApart.has(name)));
  const { age_category, customfields, custom_fields } = record;
  const value = {
    ...fields,
    ...(age_category != null && { age_category: readId(age_category) ?? age_category }),
    tags: Array.isArray(record.tags) ? record.tags.map(readTag) : [],
    actions_ids: readActionIds(record).flatMap((action) => translation.actions.get(action) ?? []),
    formdatas: readAnswers('formdatas', record.formdatas, translation, leftOut),
    custom_fields: readAnswers('custom_fields', customfields ?? custom_fields, translation, leftOut),
  };
  const faults: Fault[] = [];
  const input = read({ argument, location: '', value }, faults, { parsed: true });
  if (faults.length > 0)
    return { faults: faults.map((fault) => ({ ...fault, location: fault.location.replace(/^\./, '') })) };
  const { content, ...write } = convertToContactWrite(input as never, '');
  const contact: MovedContact = {
    sourceId,
    write: { ...write, content: clearMissing(content, 'black_list' in record, record), id: null },
    times: {
      created_at: readInstant(record.CreatedAt, record.created_at),
      updated_at: readInstant(record.UpdatedAt, record.updated_at),
      lastchange: readInstant(record.lastchange),
    },
    // A server leaves them out when there are none. A folder without notes has them undefined.
    ...(!('notes' in record && record.notes === undefined) && {
      notes: pinOne(omitRepeated(readNotes(record.notes, translation, leftOut))),
    }),
    ...(Array.isArray(record.interactions) && {
      interactions: omitRepeated(readInteractions(record.interactions, translation, leftOut)),
    }),
  };
  return { contact, leftOut };
};
