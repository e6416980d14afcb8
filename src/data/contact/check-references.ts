// Validates records of contacts: ids that are not in the space, answers that no form takes, malformed values.

import { buildLockOnNodeSql } from '../../database/lock-on-node.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { createInvalidProblem, type Fault, Problem } from '../../problem.ts';
import { findAnswerFault, findBadValues } from './check-values.ts';
import { getFieldName } from './columns.ts';
import type { AnswerChange, AnswerContent, ContactContent } from './patch.ts';
import type { StoredContact } from './stored-contact.ts';

/** A form that answers name, with its reference values. */
interface CheckedForm {
  type: string;
  kind: string;
  refs: ReadonlySet<number>;
}

/** The records that contents refer to and that exist in the space. */
export interface References {
  forms: ReadonlyMap<number, CheckedForm>;
  actions: ReadonlySet<number>;
  users: ReadonlySet<number>;
}

const formsOf = defineStatement(
  'answer.forms',
  `select f.id, f.type, f.kind, array(select r.id from form_refs r where r.group_id = :group and r.form_id = f.id) as refs
     from forms f where f.group_id = :group and f.id = any(:ids) and f.deleted_at is null`,
);
const actionsOf = defineStatement(
  'contact.known_actions',
  'select id from actions where group_id = :group and id = any(:ids) and deleted_at is null',
);
/** A contact can only be linked to a user who is a member of the space. */
const membersSql = `select m.user_id as id from members m join users u on u.id = m.user_id and u.deleted_at is null
    where m.group_id = :group and m.user_id = any(:ids)`;
const membersOf = defineStatement('contact.known_users', membersSql);
/** They stay members until the transaction ends: whoever leaves waits for it, and is unlinked then. */
const holdMembers = defineStatement(
  'contact.hold_users',
  buildLockOnNodeSql(`${membersSql} order by m.user_id for key share of m`),
);

const listUsers = (contents: readonly ContactContent[]): number[] => [
  ...new Set(
    contents.flatMap(({ columns }) => (columns.user_contact_id == null ? [] : [columns.user_contact_id as number])),
  ),
];

/** Contents that were stored before, without links to users who have left the space since. */
export const dropLinksToFormerMembers = async <Content extends ContactContent>(
  tx: Space,
  contents: readonly Content[],
): Promise<Content[]> => {
  const ids = listUsers(contents);
  if (ids.length === 0) return [...contents];
  const members = new Set((await tx.rows<{ id: number }>(holdMembers, { ids })).map(({ id }) => id));
  return contents.map((content) => {
    const user = content.columns.user_contact_id as number | null | undefined;
    if (user == null || members.has(user)) return content;
    return { ...content, columns: { ...content.columns, user_contact_id: null } };
  });
};

/** Reads the records that these contents refer to: one statement for each kind that is named. With `holds`, members stay so until the transaction ends. */
export const readKnownReferences = async (
  space: Space,
  contents: readonly ContactContent[],
  { holds = false } = {},
): Promise<References> => {
  const read = async <Row extends { id: number }>(
    how: typeof formsOf,
    idsIn: (content: ContactContent) => number[],
  ): Promise<Row[]> => {
    const ids = [...new Set(contents.flatMap(idsIn))];
    return ids.length > 0 ? space.rows<Row>(how, { ids }) : [];
  };
  const forms = await read<Omit<CheckedForm, 'refs'> & { id: number; refs: number[] }>(formsOf, ({ answers = [] }) =>
    answers.flatMap((change) => change.answers.map(({ form_id }) => form_id)),
  );
  const actions = await read(actionsOf, ({ actions = [], addedActions = [] }) => [...actions, ...addedActions]);
  const users = await read(holds ? holdMembers : membersOf, ({ columns }) => listUsers([{ columns }]));
  return {
    forms: new Map(forms.map((form) => [form.id, { ...form, refs: new Set(form.refs) }])),
    actions: new Set(actions.map(({ id }) => id)),
    users: new Set(users.map(({ id }) => id)),
  };
};

/** Types of forms that take one answer per contact. */
const single = ['radio', 'select'];

/** The fault of a second answer to a form of this type. */
export const sayAnsweredTwice = (type: string): string =>
  `is answered twice, but a form of type ${type} keeps one answer`;
const isAnsweredTwice = ({ message }: Fault): boolean =>
  single.some((type) => message.endsWith(sayAnsweredTwice(type)));

const faultAt = (
  { form_id, form_ref_id }: AnswerContent,
  form: CheckedForm | undefined,
  replaces: AnswerChange['replaces'],
  again: boolean,
): Fault | undefined => {
  if (!form) return { location: 'formId', message: 'is not a form of the space', value: form_id };
  if (typeof replaces === 'string' && (form.kind === 'custom_fields') !== (replaces === 'custom_fields'))
    return {
      location: 'formId',
      message: `is a form of kind ${form.kind}, whose answers belong to another list`,
      value: form_id,
    };
  if (!form.refs.has(form_ref_id))
    return { location: 'optionId', message: 'is not a reference value of the form', value: form_ref_id };
  if (single.includes(form.type) && again)
    return { location: 'formId', message: sayAnsweredTwice(form.type), value: form_id };
  return undefined;
};

const answerFaults = ({ answers: changes = [] }: ContactContent, forms: References['forms']): Fault[] =>
  changes.flatMap(({ replaces, answers, places = [] }) => {
    const seen = new Set<number>();
    return answers.flatMap((answer, index): Fault[] => {
      const fault = faultAt(answer, forms.get(answer.form_id), replaces, seen.has(answer.form_id));
      seen.add(answer.form_id);
      return fault ? [{ ...fault, location: `${places[index]}.${fault.location}` }] : [];
    });
  });

/** The faults of references to records that are not in the space. */
export const findReferenceFaults = (content: ContactContent, at: string, known: References): Fault[] => {
  const { user_contact_id: user } = content.columns;
  const actions = content.actions ?? content.addedActions ?? [];
  return [
    ...(user != null && !known.users.has(user as number)
      ? [{ location: `${at}.accountId`, message: 'is not a member of the space', value: user }]
      : []),
    ...actions.flatMap((id, index) =>
      // An id that could not be read is undefined, and reported already.
      id === undefined || known.actions.has(id)
        ? []
        : [{ location: `${at}.actionIds[${index}]`, message: 'is not an action of the space', value: id }],
    ),
    ...answerFaults(content, known.forms),
  ];
};

/** The faults of free input that does not fit the type of its form. An answer that is stored already may be sent back. */
const badAnswers = (changes: readonly AnswerChange[], stored: StoredContact, { forms }: References): Fault[] =>
  changes.flatMap(({ answers, places = [], text = 'text' }) =>
    answers.flatMap(({ form_id, form_ref_id, data }, index): Fault[] => {
      const message = findAnswerFault(forms.get(form_id)?.type ?? '', data);
      const isStored = stored.answers.some((one) => one.form_ref_id === form_ref_id && one.data === data);
      return message && !isStored ? [{ location: `${places[index]}.${text}`, message, value: data }] : [];
    }),
  );

/** The faults of values that a change gives to a contact. Values that it already has are accepted. */
export const findValueFaults = (
  change: ContactContent,
  at: string,
  { stored, known }: { stored: StoredContact; known: References },
): Fault[] => [
  ...findBadValues(change).map(({ path, message, value }) => ({
    location: `${at}.${path.map(getFieldName).join('.')}`,
    message,
    value,
  })),
  ...badAnswers(change.answers ?? [], stored, known),
];

/**
 * The refusal of one record, with all its faults: 400 for malformed values, else 422 for references that are not in the space, else 409 for an
 * external id that is taken; undefined without a fault.
 */
export const createRecordProblem = (
  values: readonly Fault[],
  references: readonly Fault[],
  taken: Fault | undefined,
): Problem | undefined => {
  const errors = [...values, ...references, ...(taken ? [taken] : [])];
  if (values.length > 0) return createInvalidProblem(errors);
  if (references.length > 0) {
    const [answers, missing] = [references.some(isAnsweredTwice), !references.every(isAnsweredTwice)];
    const what = [
      ...(missing ? ['refers to ids that are not in the space'] : []),
      ...(answers ? ['has two answers to a form that keeps one'] : []),
    ];
    return new Problem('unprocessable', `The record ${what.join(', and ')}, listed in errors`, { errors });
  }
  return taken && new Problem('conflict', 'Another contact has this external id', { errors });
};
