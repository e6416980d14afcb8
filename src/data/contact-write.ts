// Creates, changes, deletes and restores contacts, any number in a few statements; their search rows follow in the same transaction.
import { changedMeanwhile, notFound, Problem } from '../problem.ts';
import { answerProblems, writeAnswers } from './answer-write.ts';
import { type ContactWith, contact, type Part } from './contact.ts';
import {
  type ContactColumn,
  type ContactWrite,
  contactColumnNames,
  given,
  inPatches,
  patchesOf,
} from './contact-content.ts';
import { insertContacts } from './contact-new.ts';
import { actionProblems, type Placed, writeParts } from './contact-parts.ts';
import { type Space, statement } from './space.ts';

/** A flag that is cleared is false. */
const changed = (column: ContactColumn): string =>
  `${column} = case when jsonb_exists(g.named, '${column}') then ${given(column)} else c.${column} end`;

/** Locks in the order of ids, as every writer of several contacts does; yields who is there, and in which version. */
const lock = statement(
  'contact.lock',
  `select id, version from contacts where group_id = :group and id = any(:ids) and deleted_at is null order by id for no key update`,
);
const update = statement(
  'contact.update',
  `update contacts c set ${contactColumnNames.map(changed).join(', ')},
          user_id = coalesce(:by, c.user_id), lastchange = now(), updated_at = now(), version = c.version + 1
     from ${patchesOf(contactColumnNames)} where c.group_id = :group and c.id = g.id`,
);
const refresh = statement('contact.refresh', 'select refresh_search(:group, cast(:ids as bigint[]))');
const refreshEmails = statement('contact.refresh_emails', 'select refresh_emails(:group, cast(:ids as bigint[]))');
const remove = statement(
  'contact.delete',
  `with gone as (
     update contacts set deleted_at = now(), updated_at = now(), lastchange = now(), version = version + 1, user_id = :by
      where group_id = :group and id = :id and deleted_at is null returning id)
   select id, refresh_search(:group, array[id]), refresh_emails(:group, array[id]) from gone`,
);
/** One that was merged into another is not there to be restored. */
const restore = statement(
  'contact.restore',
  `with back as (
     update contacts set deleted_at = null, updated_at = now(), lastchange = now(), version = version + 1, user_id = :by
      where group_id = :group and id = :id and deleted_at is not null and merged_into is null returning id)
   select id, refresh_search(:group, array[id]), refresh_emails(:group, array[id]) from back`,
);
/** A user that a contact is said to be must be a member of the space. */
const strangers = statement(
  'contact.strangers',
  `select id from unnest(cast(:users as bigint[])) id
    where not exists (select from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = :group and m.user_id = id.id)`,
);

const userProblems = async (tx: Space, writes: readonly ContactWrite[]): Promise<(Problem | undefined)[]> => {
  const users = [...new Set(writes.flatMap(({ content }) => (content.columns.user_contact_id as number) ?? []))];
  if (users.length === 0) return [];
  const unknown = new Set<unknown>((await tx.rows<{ id: number }>(strangers, { users })).map(({ id }) => id));
  return writes.map(({ at, content }) => {
    const value = content.columns.user_contact_id;
    if (!unknown.has(value)) return undefined;
    return new Problem('unprocessable', 'A contact is said to be a user who is not a member of the space', {
      errors: [{ location: `${at}.userContactId`, message: 'is not a member of the space', value }],
    });
  });
};

/** For each of the writes the 422 with the ids in it that are not in the space. */
export const referenceProblems = async (
  tx: Space,
  writes: readonly ContactWrite[],
): Promise<(Problem | undefined)[]> => {
  const problems = [await userProblems(tx, writes), await actionProblems(tx, writes), await answerProblems(tx, writes)];
  return writes.map((_, index) => problems.map((some) => some[index]).find((problem) => problem));
};

/** Throws 422 with every id in these contents that is not in the space. */
export const checkReferences = async (tx: Space, writes: readonly ContactWrite[]): Promise<void> => {
  const [problem, ...more] = (await referenceProblems(tx, writes)).flatMap((one) => one ?? []);
  if (!problem) return;
  if (more.length === 0) throw problem;
  throw new Problem('unprocessable', problem.message, {
    errors: [problem, ...more].flatMap(({ errors }) => errors ?? []),
  });
};

/** Changes contacts within a transaction, each locked already. References are checked already. */
export const changeContacts = async (tx: Space, placed: readonly Placed[], by: number | null): Promise<void> => {
  if (placed.length === 0) return;
  await tx.rows(update, { items: inPatches(placed.map(({ id, content: { columns } }) => ({ id, columns }))), by });
  await writeParts(tx, placed);
  await writeAnswers(tx, placed);
  await refreshContacts(
    tx,
    placed.map(({ id }) => id),
  );
};

export const refreshContacts = (tx: Space, ids: readonly number[]): Promise<unknown> => tx.rows(refresh, { ids });
export const refreshContactEmails = (tx: Space, ids: readonly number[]): Promise<unknown> =>
  tx.rows(refreshEmails, { ids });

/** Locks these contacts until the end of the transaction: the version of each that is there. */
export const lockContacts = async (tx: Space, ids: readonly number[]): Promise<Map<number, number>> =>
  new Map((await tx.rows<{ id: number; version: number }>(lock, { ids })).map(({ id, version }) => [id, version]));

/** Who writes, and which parts of the contact the answer is to show. */
interface Writing {
  by: number;
  parts: readonly Part[];
}

/** The contact as this transaction leaves it: afterwards it could be gone already. */
export const readBack = async (tx: Space, id: number, parts: readonly Part[]): Promise<ContactWith> =>
  (await contact(tx, id, parts))!;

/** Creates a contact. Throws 422 for ids of others, 409 for an external id that is taken. */
export const createContact = (space: Space, write: ContactWrite, { by, parts }: Writing): Promise<ContactWith> =>
  space.transaction(async (tx) => {
    await checkReferences(tx, [write]);
    const [id] = await insertContacts(tx, [write], by);
    return readBack(tx, id!, parts);
  });

/** Changes what is named of a contact. Throws 404 when it is missing, 412 when it is not of the version that was expected. */
export const updateContact = (
  space: Space,
  id: number,
  write: ContactWrite,
  { by, parts, expectedVersion }: Writing & { expectedVersion?: number | null | undefined },
): Promise<ContactWith> =>
  space.transaction(async (tx) => {
    const version = (await lockContacts(tx, [id])).get(id);
    if (version === undefined) throw notFound('contact', id);
    if (typeof expectedVersion === 'number' && version !== expectedVersion) throw changedMeanwhile('contact', version);
    await checkReferences(tx, [write]);
    await changeContacts(tx, [{ ...write, id }], by);
    return readBack(tx, id, parts);
  });

/** Soft-deletes a contact, with which it leaves searches and lists. Throws 404 when it is missing. */
export const deleteContact = async (space: Space, id: number, by: number): Promise<number> => {
  if (!(await space.row(remove, { id, by }))) throw notFound('contact', id);
  return id;
};

/** Brings a deleted contact back, with all that was on it. Throws 404 when there is none, or when it was merged. */
export const restoreContact = (space: Space, id: number, { by, parts }: Writing): Promise<ContactWith> =>
  space.transaction(async (tx) => {
    if (!(await tx.row(restore, { id, by }))) throw notFound('deleted contact', id);
    return readBack(tx, id, parts);
  });
