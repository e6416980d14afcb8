// Reads stored contacts in the form in which they are written, so that records can be compared with them.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { addressColumnNames, contactColumnNames, contactFlags } from './columns.ts';
import type { AddressParts, AnswerContent, ColumnValue, ContactContent } from './patch.ts';

/** An answer to a living form, and whether the form is a custom field. One on consent that has no date has its words and when it was written. */
export type StoredAnswer = Required<AnswerContent> & {
  custom: boolean;
  said?: string | null;
  written_at?: string | null;
};

/** The state of a contact. Parts that no record names are not read, and are as in a new contact. */
export interface StoredContact {
  columns: Record<string, ColumnValue>;
  address: AddressParts | null;
  tags: string[];
  actions: number[];
  answers: StoredAnswer[];
  /** Contents of its notes, among those that records bring. */
  notes: string[];
}

export const emptyContact: StoredContact = {
  columns: Object.fromEntries(contactColumnNames.map((name) => [name, contactFlags.includes(name) ? false : null])),
  address: null,
  tags: [],
  actions: [],
  answers: [],
  notes: [],
};

const list = (wanted: string, sql: string): string =>
  `case when cast(:${wanted} as boolean) then (${sql}) end, '[]'::jsonb`;
const stored = defineStatement(
  'contact.stored',
  `select c.id, case when cast(:fields as boolean) then to_jsonb(c) end as columns,
     case when cast(:fields as boolean) then (select to_jsonb(a) from addresses a where a.group_id = :group and a.contact_id = c.id) end as address,
     coalesce(tagged.names, '[]') as tags,
     coalesce(${list(
       'actions',
       `select jsonb_agg(x.id order by x.id) from contact_actions ca join actions x on x.group_id = :group and x.id = ca.action_id and x.deleted_at is null
         where ca.group_id = :group and ca.contact_id = c.id`,
     )}) as actions,
     coalesce(${list(
       'answers',
       `select jsonb_agg(jsonb_build_object('form_id', r.form_id, 'form_ref_id', r.form_ref_id, 'custom', f.kind = 'custom_fields', 'data', r.data,
                 'date', to_char(r.date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'survey_id', r.survey_id)
                 || case when f.kind = 'consent' and r.date is null then jsonb_build_object('written_at', r.updated_at, 'said', coalesce(nullif(r.data, ''),
                      (select coalesce(nullif(o.value, ''), o.label) from form_refs o where o.group_id = :group and o.id = r.form_ref_id))) else '{}' end order by r.id)
          from answers r join forms f on f.group_id = :group and f.id = r.form_id and f.deleted_at is null
         where r.group_id = :group and r.contact_id = c.id`,
     )}) as answers,
     coalesce((select jsonb_agg(n.content) from notes n
         where n.group_id = :group and n.contact_id = c.id and n.deleted_at is null and n.content = any(cast(:notes as text[]))), '[]') as notes
   from contacts c
   left join (
     select ct.contact_id, jsonb_agg(t.name order by t.id) as names from contact_tags ct join tags t on t.group_id = :group and t.id = ct.tag_id
      where cast(:tags as boolean) and ct.group_id = :group and ct.contact_id = any(:ids) group by ct.contact_id) tagged on tagged.contact_id = c.id
   where c.group_id = :group and c.id = any(:ids)`,
);

const pick = (row: Record<string, ColumnValue>, names: readonly string[]): Record<string, ColumnValue> =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null]));

/** Which lists of a contact these contents name. */
export const findNamedLists = (
  contents: readonly ContactContent[],
): Record<'tags' | 'actions' | 'answers', boolean> => ({
  tags: contents.some(({ tags, addedTags, removedTags }) => tags ?? addedTags ?? removedTags),
  actions: contents.some(({ actions, addedActions, removedActions }) => actions ?? addedActions ?? removedActions),
  answers: contents.some(({ answers }) => answers),
});

/** These contacts by id, with what the contents name; without any, their columns and addresses. The same transaction has locked them. */
export const readStoredContacts = async (
  tx: Space,
  ids: readonly number[],
  contents: readonly ContactContent[],
): Promise<Map<number, StoredContact>> => {
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<StoredContact & { id: number }>(stored, {
    ids,
    fields:
      contents.length === 0 ||
      contents.some(({ columns, address }) => address !== undefined || Object.keys(columns).length > 0),
    ...findNamedLists(contents),
    notes: contents.flatMap(({ notes = [] }) => notes.map(({ content }) => content)),
  });
  return new Map(
    rows.map(({ id, columns, address, ...lists }) => [
      id,
      {
        ...lists,
        columns: columns ? pick(columns, contactColumnNames) : emptyContact.columns,
        address: address && pick(address as Record<string, ColumnValue>, addressColumnNames),
      },
    ]),
  );
};
