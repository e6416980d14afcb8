// Converts inputs of contacts to content that is written, for create, update and upsert (spec §4.14; decisions on it).
import type { SentTwice } from '../../src/context.ts';
import { addressColumnsByField, contactColumnsByField } from '../../src/data/contact/columns.ts';
import type {
  AnswerChange,
  AnswerContent,
  ContactContent,
  ContactWrite,
  FormAnswer,
  NoteContent,
  RecordPart,
  TwinValue,
  UpsertWrite,
} from '../../src/data/contact/patch.ts';
import { type Blank, isBlankText, replaceBlanks } from '../../src/input/blank.ts';
import { type AnswerInput, type ContactFields, type List, lists, type UpsertFields } from './contact-input.ts';

/** The values of those named columns that an input has. */
const pickColumns = (
  input: object,
  columnsByField: ReadonlyMap<string, string>,
): Record<string, string | number | boolean | null> => {
  const columns: Record<string, never> = {};
  for (const [field, value] of Object.entries(input)) {
    const column = columnsByField.get(field);
    if (value !== undefined && column !== undefined) columns[column] = value as never;
  }
  return columns;
};

const answerColumnsByField = new Map([
  ['text', 'data'],
  ['answeredAt', 'date'],
  ['surveyId', 'survey_id'],
]);

/** Fields left out of an answer stay, where the answer exists already. An unreadable answer belongs to no form. */
const answerOf = (answer: typeof AnswerInput.$inferInput, blank: Blank): AnswerContent => {
  const { formId, optionId, ...said } = answer ?? {};
  return {
    form_id: formId,
    form_ref_id: optionId,
    ...pickColumns(replaceBlanks(said, blank), answerColumnsByField),
  };
};

const notesOf = (notes: ContactFields['notes']): NoteContent[] =>
  (notes ?? []).flatMap((note) => {
    const { content, pinned } = note ?? {};
    return content == null || isBlankText(content) ? [] : [{ content, pinned: pinned ?? false }];
  });

/** The content that create, update and upsert have in common. */
const readCommonContent = (input: Pick<ContactFields, 'address' | 'notes'>, blank: Blank): ContactContent => {
  const { address, notes } = input;
  return {
    columns: pickColumns(replaceBlanks(input, blank), contactColumnsByField),
    ...(address !== undefined && {
      address: address && pickColumns(replaceBlanks(address, blank), addressColumnsByField),
    }),
    ...(notes && { notes: notesOf(notes) }),
  };
};

/** The content of an input, or as much of it as could be read. Lists replace the present ones. */
const readContactPart = (input: ContactFields, at: string): RecordPart => {
  const { tags, actionIds, answers, customFields } = input;
  const replaced = (replaces: 'answers' | 'custom_fields', list: 'answers' | 'customFields'): AnswerChange[] => {
    const given = input[list];
    if (given === undefined) return [];
    const all = (given ?? []).map((answer) => answerOf(answer, 'null'));
    return [{ replaces, answers: all, places: all.map((_, index) => `${at}.${list}[${index}]`) }];
  };
  const changes = [...replaced('answers', 'answers'), ...replaced('custom_fields', 'customFields')];
  return {
    content: {
      ...readCommonContent(input, 'null'),
      ...(tags !== undefined && { tags: tags ?? [] }),
      ...(actionIds !== undefined && { actions: actionIds ?? [] }),
      ...((answers !== undefined || customFields !== undefined) && { answers: changes }),
    },
    formAnswers: [],
  };
};

/** The content of an upsert. Lists are added to the present ones, and only the named forms change. */
const readUpsertPart = (input: UpsertFields, at: string): RecordPart => {
  const { tags, actionIds } = input;
  const formAnswers: FormAnswer[] = [];
  const [read, places]: [AnswerContent[], string[]] = [[], []];
  const readAt = (answer: typeof AnswerInput.$inferInput, place: string): void => {
    read.push(answerOf(answer, 'absent'));
    places.push(place);
  };
  for (const [index, answer] of (input.answers ?? []).entries()) readAt(answer, `${at}.answers[${index}]`);
  for (const [list, [kind]] of Object.entries(lists) as [List, (typeof lists)[List]][]) {
    for (const [index, answer] of (input[list] ?? []).entries()) {
      const { id = null, label = null, value, formId, optionId, ...said } = answer ?? {};
      const place = `${at}.${list}[${index}]`;
      if (formId != null && optionId != null) readAt({ ...said, formId, optionId }, place);
      else if (value !== undefined && !isBlankText(value) && (id !== null || label !== null))
        formAnswers.push({ kind, id, label, value, date: said.answeredAt, at: place });
    }
  }
  const forms = [...new Set(read.map(({ form_id }) => form_id))];
  const changes: AnswerChange[] = [
    ...(input.answers === null ? [{ replaces: 'answers' as const, answers: [] }] : []),
    ...(read.length > 0 ? [{ replaces: { forms, refs: [] }, adds: true, answers: read, places }] : []),
  ];
  return {
    content: {
      ...readCommonContent(input, 'absent'),
      ...(tags && { addedTags: tags.filter((tag) => !isBlankText(tag?.name)) }),
      ...(tags === null && { tags: [] }),
      ...(actionIds && { addedActions: actionIds }),
      ...(actionIds === null && { actions: [] }),
      ...(changes.length > 0 && { answers: changes }),
    },
    formAnswers,
  };
};

type PlainValues = Record<string, unknown>;

/** An input that has only the value at this path. */
const inputWith = ([field, ...below]: readonly string[], value: unknown): PlainValues => ({
  [field!]: below.length > 0 ? inputWith(below, value) : value,
});

const inputWithout = (input: PlainValues, [field, ...below]: readonly string[]): PlainValues => {
  const { [field!]: value, ...rest } = input;
  return below.length > 0 ? { ...rest, [field!]: inputWithout(value as PlainValues, below) } : rest;
};

/** The content of an input without the values that were sent twice, and these beside it. */
const separateTwins = <Input extends object>(
  input: Input,
  twice: readonly SentTwice[],
  read: (input: Input) => RecordPart,
): RecordPart & { twins?: TwinValue[] } => {
  if (twice.length === 0) return read(input);
  const once = twice.reduce((rest, { path }) => inputWithout(rest, path), input as PlainValues) as Input;
  const twins = twice.map(({ path, places, values, read: both }): TwinValue => {
    const [one, other] = both.map((value) => read(inputWith(path, value) as Input));
    return { places, values, parts: [one!, other!] };
  });
  return { ...read(once), twins };
};

export const convertToContactWrite = (
  input: ContactFields,
  at = 'input',
  twice: readonly SentTwice[] = [],
): ContactWrite => ({
  ...separateTwins(input, twice, (one) => readContactPart(one, at)),
  consentSource: input.consentSource,
  at,
});

export const convertToUpsertWrite = (
  input: UpsertFields,
  at = 'input',
  twice: readonly SentTwice[] = [],
): UpsertWrite => ({
  ...separateTwins(input, twice, (one) => readUpsertPart(one, at)),
  consentSource: isBlankText(input.consentSource) ? null : input.consentSource,
  id: input.id ?? null,
  at,
});
