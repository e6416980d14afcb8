// Updates contacts, any number in a few statements; deletes and restores them. Their search rows follow in the same transaction.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { createNotFoundProblem } from '../../problem.ts';
import { buildLockContactsSql, buildMarkContactsSql } from '../noun/lock-contacts.ts';
import type { Precondition } from '../noun/precondition.ts';
import { requireFound } from '../noun/references.ts';
import { type PlacedContent, writeContactChildren } from './child-rows.ts';
import { type AddressColumn, type ContactColumn, contactColumnNames } from './columns.ts';
import { requireFreeExternalId } from './external-id.ts';
import { bindAsPatches, buildPatchesSql, type ContactContent, insertValueSql } from './patch.ts';
import { type ContactRelation, type ContactWith, readContact } from './read.ts';
import { writeContactAnswers } from './write-answers.ts';

/** Null clears a flag to false. */
const buildSetSql = (column: ContactColumn): string =>
  `${column} = case when jsonb_exists(g.named, '${column}') then ${insertValueSql(column)} else c.${column} end`;

const lock = defineStatement('contact.lock', buildLockContactsSql('c.id = any(:ids)', { select: 'c.id, c.version' }));
const update = defineStatement(
  'contact.update',
  `update contacts c set ${contactColumnNames.map(buildSetSql).join(', ')},
          ${buildMarkContactsSql({ version: 'c.version + g.versions', user: 'coalesce(:by, c.user_id)' })}
     from ${buildPatchesSql(contactColumnNames)} where c.group_id = :group and c.id = g.id`,
);
const refresh = defineStatement('contact.refresh', 'select refresh_search(:group, cast(:ids as bigint[]))');
const refreshLinks = defineStatement(
  'contact.refresh_links',
  'select refresh_search_links(:group, cast(:ids as bigint[]))',
);
const refreshEmails = defineStatement(
  'contact.refresh_emails',
  'select refresh_emails(:group, cast(:ids as bigint[]))',
);
const defineMoving = (name: string, set: string, condition: string) =>
  defineStatement(
    name,
    `with moved as (
     update contacts set ${set}, ${buildMarkContactsSql({ user: 'coalesce(:by, user_id)' })}
      where group_id = :group and id = any(:ids) and ${condition} returning id, version - 1 as version),
   listed as (select array_agg(id order by id) as ids, min(version) as version from moved)
   select ids, version, refresh_search(:group, ids), refresh_emails(:group, ids) from listed where ids is not null`,
  );
const remove = defineMoving('contact.delete', 'deleted_at = now()', 'deleted_at is null');
/** A merged contact cannot be restored. Somebody with the same mail or phone may have opted out and been deleted meanwhile. */
const restore = defineMoving(
  'contact.restore',
  `deleted_at = null, black_list = black_list or exists (
     select 1 from opt_outs o where o.group_id = :group and o.digest = any(digest_opt_out(:group, mail, phone, mobile)))`,
  'deleted_at is not null and merged_into is null',
);
/** Columns of a contact, and parts of its address, from which its search row is derived. */
export const searchedColumns: { contacts: readonly ContactColumn[]; addresses: readonly AddressColumn[] } = {
  contacts: [
    'gender',
    'firstname',
    'surname',
    'married_name',
    'birthdate',
    'age_category',
    'mail',
    'phone',
    'mobile',
    'black_list',
    'user_contact_id',
  ],
  addresses: ['city', 'postal_code', 'country'],
};

/** The part of a search row that content changes: none, its tags and actions, or any. */
const findSearchedPart = ({ columns, address, tags, actions, answers }: ContactContent): 'none' | 'links' | 'any' => {
  const isAny =
    answers?.length ||
    address === null ||
    searchedColumns.contacts.some((name) => Object.hasOwn(columns, name)) ||
    searchedColumns.addresses.some((name) => address && Object.hasOwn(address, name));
  return isAny ? 'any' : tags || actions ? 'links' : 'none';
};

/**
 * Updates contacts within a transaction that has locked and validated them. With `movesRecords`, records of others have become theirs, or the other way
 * round, so that their search rows are derived whatever the content.
 */
export const changeContacts = async (
  tx: Space,
  placed: readonly PlacedContent[],
  by: number | null,
  { movesRecords = false }: { movesRecords?: boolean } = {},
): Promise<void> => {
  if (placed.length === 0) return;
  await tx.rows(update, {
    items: bindAsPatches(placed.map(({ id, content: { columns }, versions }) => ({ id, columns, versions }))),
    by,
  });
  await writeContactChildren(tx, placed);
  await writeContactAnswers(tx, placed);
  const listChanged = (part: 'links' | 'any'): number[] =>
    placed.flatMap(({ id, content }) => (part === (movesRecords ? 'any' : findSearchedPart(content)) ? [id] : []));
  const [linked, searched] = [listChanged('links'), listChanged('any')];
  if (linked.length > 0) await tx.rows(refreshLinks, { ids: linked });
  if (searched.length > 0) await refreshSearchRows(tx, searched);
};

export const refreshSearchRows = (tx: Space, ids: readonly number[]): Promise<unknown> => tx.rows(refresh, { ids });
export const refreshContactEmails = (tx: Space, ids: readonly number[]): Promise<unknown> =>
  tx.rows(refreshEmails, { ids });

/** Locks these contacts until the end of the transaction; yields the version of each that exists. */
export const lockContacts = async (tx: Space, ids: readonly number[]): Promise<Map<number, number>> =>
  new Map((await tx.rows<{ id: number; version: number }>(lock, { ids })).map(({ id, version }) => [id, version]));

/** The contact as this transaction leaves it: after the commit it could be deleted at once. */
export const readWrittenContact = async (
  tx: Space,
  id: number,
  parts: readonly ContactRelation[],
): Promise<ContactWith> => (await readContact(tx, id, parts))!;

/** Soft-deletes contacts: searches and lists drop them. Several are locked; `by` null keeps their last editors. Yields those that existed. */
export const deleteContacts = async (space: Space, ids: readonly number[], by: number | null): Promise<number[]> =>
  ids.length === 0 ? [] : ((await space.row<{ ids: number[] }>(remove, { ids, by }))?.ids ?? []);

/** Restores deleted contacts, of which several are locked, with all their records. Yields those that were deleted and not merged. */
export const restoreContacts = async (space: Space, ids: readonly number[], by: number | null): Promise<number[]> =>
  ids.length === 0 ? [] : ((await space.row<{ ids: number[] }>(restore, { ids, by }))?.ids ?? []);

/** Soft-deletes a contact. Throws 404 when it is missing, 412 when it is not as `expected`. */
export const deleteContact = (space: Space, id: number, by: number | null, expected?: Precondition): Promise<number> =>
  space.transaction(async (tx) => {
    const { version } = requireFound('contact', id, await tx.row<{ version: number }>(remove, { ids: [id], by }));
    expected?.check('contact', version);
    return id;
  });

/** Restores a deleted contact. Throws 404 when there is none, or when it was merged, 409 when another one has its external id. */
export const restoreContact = async (space: Space, id: number, by: number): Promise<number> => {
  await requireFreeExternalId(space, id);
  if ((await restoreContacts(space, [id], by)).length === 0) throw createNotFoundProblem('deleted contact', id);
  return id;
};
