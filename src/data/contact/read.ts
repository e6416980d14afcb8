// Reads contacts: by id, by ids and in pages; and their relations, each for many contacts at once.

import type { Space } from '../../database/space.ts';
import { defineStatement, type Statement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { defineReadByIds } from '../noun/crud.ts';
import type { ActionRow } from './action.ts';
import { type AnswerRow, selectedAnswerColumns } from './answer.ts';
import { type AddressRow, type ContactRow, contactTable } from './columns.ts';
import { buildNotesSql, type NoteRow } from './note.ts';

export interface TagRow {
  id: number;
  contact_id: number;
  name: string;
  color: string | null;
}

/** A link of a contact to an action, with the action. */
interface LinkedActionRow extends ActionRow {
  contact_id: number;
  action_id: number;
}

const columns = Object.keys(contactTable).join(', ');
const living = 'group_id = :group and deleted_at is null';

/** A page of contacts by id: up to `limit` of those between two ids, the first of them or, backwards, the last. */
export interface IdPage {
  after: number;
  before: number | null;
  backwards: boolean;
  limit: number;
}
/**
 * PostgreSQL plans before values are bound, and must know that a page is short (see `planLimits`): before version 18 it would start workers and sort
 * the whole space. A page without an end has no second bound, which the planner would guess to be narrow.
 */
const selectIdPage = (bounds: string): string =>
  `(select * from (select * from contacts where ${living} and ${bounds} limit ${limits.list.page + 1}) found limit :limit)`;
/** The SQL of contacts for each way to read a page. */
export const idPages = {
  after: selectIdPage('id > :after order by id'),
  between: selectIdPage('id > :after and id < :before order by id'),
  backwards: selectIdPage('id > :after and id < :before order by id desc'),
};
export type IdPageName = keyof typeof idPages;

/** The way to read a page, and the values that it binds. */
export const bindIdPage = ({ after, before, backwards, limit }: IdPage) => ({
  name: (backwards ? 'backwards' : before === null ? 'after' : 'between') as IdPageName,
  values: { after, before: before ?? Number.MAX_SAFE_INTEGER, limit },
});
const count = defineStatement('contact.count', `select count(*) as total from contacts where ${living}`);
/** SQL condition that `alias` is the contact with this id; the survivor, when it was merged. */
export const matchContactIdSql = (
  alias: string,
  id = ':id',
): string => `${alias}.group_id = :group and ${alias}.deleted_at is null and ${alias}.id =
  coalesce((select merged_into from contacts where group_id = :group and id = ${id} and deleted_at is not null), ${id})`;

/** SQL of each relation of contacts: `of` is the comparison with their ids. */
export const relations = {
  address: (of: string) => `select * from addresses where group_id = :group and contact_id ${of}`,
  tags: (of: string) => `select ct.contact_id, t.id, t.name, t.color from contact_tags ct
     join tags t on t.group_id = :group and t.id = ct.tag_id
    where ct.group_id = :group and ct.contact_id ${of} order by ct.contact_id, t.id`,
  actions: (
    of: string,
  ) => `select ca.contact_id, ca.action_id, a.id, a.group_id, a.name, a.starts_at, a.created_at, a.updated_at from contact_actions ca
     join actions a on a.group_id = :group and a.id = ca.action_id and a.deleted_at is null
    where ca.group_id = :group and ca.contact_id ${of} order by ca.contact_id, ca.action_id`,
  answers: (of: string) => `select ${selectedAnswerColumns}
     from answers a join forms f on f.group_id = :group and f.id = a.form_id and f.deleted_at is null
    where a.group_id = :group and a.contact_id ${of} order by a.contact_id, a.id`,
  notes: buildNotesSql,
  /** The one that was replaced last first, without the mail that the contact has now. */
  formerMails: (
    of: string,
  ) => `select f.contact_id, f.mail from former_mails f join contacts o on o.group_id = :group and o.id = f.contact_id
    where f.group_id = :group and f.contact_id ${of} and fold_inline(f.mail) <> fold_inline(coalesce(o.mail, ''))
    order by f.contact_id, f.created_at desc, f.mail`,
};

/** A relation of a contact that can be read together with it. */
export type ContactRelation = keyof typeof relations;
interface ContactParts {
  address: AddressRow[];
  tags: TagRow[];
  actions: LinkedActionRow[];
  answers: AnswerRow[];
  notes: NoteRow[];
  formerMails: { contact_id: number; mail: string }[];
}

export type ContactWith = ContactRow & Partial<ContactParts>;

export const createRelationReader = <Name extends ContactRelation>(name: Name) =>
  defineReadByIds<ContactParts[Name][number]>(`contact.${name}`, relations[name]('= any(:ids)'));

const byIdStatements = new Map<string, Statement>();

/** The columns of a contact `c`, and the relations asked for as JSON. */
export const selectContactColumns = (parts: readonly ContactRelation[]): string =>
  [
    columns,
    ...parts.map(
      (part) => `(select coalesce(json_agg(one), '[]') from (${relations[part]('= c.id')}) one) as "${part}"`,
    ),
  ].join(',\n');

/** One contact by id with its relations, in one statement. */
const getByIdStatement = (parts: readonly ContactRelation[]): Statement => {
  const name = ['contact.by_id', ...parts].join('+');
  const known = byIdStatements.get(name);
  if (known) return known;
  const sql = `select ${selectContactColumns(parts)} from contacts c where ${matchContactIdSql('c')}`;
  byIdStatements.set(name, defineStatement(name, sql));
  return byIdStatements.get(name)!;
};

/** SQL of a living contact. */
export const buildContactSql = (id: string): string => `select ${columns} from contacts where ${living} and id = ${id}`;
/** The living contacts among these. */
export const readContactsByIds = defineReadByIds<ContactRow>('contact.by_ids', buildContactSql('any(:ids)'));

/** A contact with these relations; the survivor, when it was merged. */
export const readContact = (
  space: Space,
  id: number,
  parts: readonly ContactRelation[] = [],
): Promise<ContactWith | undefined> => space.row(getByIdStatement(parts), { id });

const survivors = defineStatement(
  'contact.survivors',
  `select c.id, l.id as survivor from contacts c join contacts l on l.group_id = :group and l.id = c.merged_into and l.deleted_at is null
    where c.group_id = :group and c.id = any(:ids)`,
);

/** The living survivors of merged contacts, by the ids of these. */
export const readMergeSurvivors = async (space: Space, ids: readonly number[]): Promise<Map<number, number>> => {
  const rows = ids.length === 0 ? [] : await space.rows<{ id: number; survivor: number }>(survivors, { ids });
  return new Map(rows.map(({ id, survivor }) => [id, survivor]));
};

/** SQL of the contact with an external id: the living one, else the survivor of a merged one that had it. */
export const buildExternalIdSql = (externalId: string): string =>
  `select coalesce((select h.id from contacts h where h.group_id = :group and h.external_id = ${externalId} and h.deleted_at is null),
     (select min(l.id) from contacts h join contacts l on l.group_id = :group and l.id = h.merged_into and l.deleted_at is null
       where h.group_id = :group and h.external_id = ${externalId} and h.merged_into is not null)) as id`;

const idByExternalId = defineStatement('contact.id_by_external_id', buildExternalIdSql(':externalId'));
/** The oldest of several contacts, as an upsert chooses: one that has the mail, else one that had it. */
const idByEmail = defineStatement(
  'contact.id_by_email',
  `select coalesce(
     (select min(contact_id) from contact_search where group_id = :group and mail <> '' and mail = fold_inline(:email)),
     (select min(s.contact_id) from former_mails f join contact_search s on s.group_id = :group and s.contact_id = f.contact_id
       where f.group_id = :group and fold(f.mail) collate "C" = fold(:email))) as id`,
);

/** The id of the contact with this external id; of the survivor, when it was merged. */
export const findContactByExternalId = async (space: Space, externalId: string): Promise<number | null> =>
  (await space.row<{ id: number | null }>(idByExternalId, { externalId }))?.id ?? null;

/** The id of the living contact that has, or had, this email address, compared without case and accents; of several the oldest. */
export const findContactByEmail = async (space: Space, email: string): Promise<number | null> =>
  (await space.row<{ id: number | null }>(idByEmail, { email }))?.id ?? null;

const pageStatements = Object.fromEntries(
  Object.entries(idPages).map(([name, page]) => [
    name,
    defineStatement(`contact.${name}`, `select ${columns} from ${page} c`),
  ]),
) as Record<IdPageName, Statement>;

/** A page of contacts by id, in ascending order. */
export const readContactPage = async (space: Space, page: IdPage): Promise<ContactRow[]> => {
  const { name, values } = bindIdPage(page);
  const rows = await space.rows<ContactRow>(pageStatements[name], values);
  return page.backwards ? rows.reverse() : rows;
};

export const countContacts = async (space: Space): Promise<number> =>
  (await space.row<{ total: number }>(count))!.total;
