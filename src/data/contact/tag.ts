// Tags of a space; adds them to contacts and removes them.

import { lockSpace } from '../../database/lock-on-node.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement, type Values } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { createInvalidProblem, Problem } from '../../problem.ts';
import { listTagNames, renameTags } from '../../search/tag-names.ts';
import { defineList } from '../noun/define-list.ts';
import { commonFields } from '../noun/fields.ts';
import { buildLockContactsSql, bumpVersionsShowing } from '../noun/lock-contacts.ts';
import { listReferencesIn, requireFound, requireKnownReferences } from '../noun/references.ts';
import { createMissingTags, lockTagNames, readTagNames } from './child-rows.ts';
import type { TagRow } from './read.ts';
import { lockContacts } from './write.ts';

type TagOfSpace = Omit<TagRow, 'contact_id'>;

/** The most tags that a contact may have. */
const { tagsOfContact: maxTags } = limits.value;
/** Contacts that are written at once when a tag is deleted. */
const batch = 1000;

const columns = 'id, name, color';
const create = defineStatement(
  'tag.create',
  `insert into tags (group_id, name, color)
   select :group, cast(:name as text), :color
    where not exists (select 1 from tags o where o.group_id = :group and fold(o.name) = fold(cast(:name as text))) returning ${columns}`,
);
/** Other writers of the tag wait; contacts can still be tagged with it. */
const lock = defineStatement(
  'tag.lock',
  `select t.id, t.name, t.color, t.updated_at, (p.name, p.color) is distinct from (t.name, t.color) as changes,
          exists (select 1 from tags o where o.group_id = :group and fold(o.name) = fold(p.name) and p.name <> t.name and o.id <> t.id) as taken
     from tags t cross join lateral jsonb_populate_record(t, cast(:patch as jsonb)) p
    where t.group_id = :group and t.id = :id for no key update of t`,
);
const update = defineStatement(
  'tag.update',
  `update tags t set (name, color, updated_at) = (select p.name, p.color, now() from jsonb_populate_record(t, cast(:patch as jsonb)) p)
    where t.group_id = :group and t.id = :id returning ${columns}, updated_at`,
);
/** Segments with conditions on tags. Writers of segments take the lock of the space before. */
const segmentsOnTags = defineStatement(
  'tag.segments',
  `select id, query from segments where group_id = :group and jsonb_path_exists(query, '$.**.tags') order by id for no key update`,
);
/** The names that mean the tag and no other, and will not once it has its new one. */
const namesOfTag = defineStatement(
  'tag.names',
  `select n.name from unnest(cast(:names as text[])) n (name)
    where fold(n.name) = fold(:before) and fold(:before) <> fold(:name)
      and not exists (select 1 from tags o where o.group_id = :group and o.id <> :id and fold(o.name) = fold(:before))`,
);
const renameInSegment = defineStatement(
  'tag.rename_in_segment',
  `update segments set query = cast(:query as jsonb), version = version + 1, updated_at = now() where group_id = :group and id = :id`,
);
/** Contacts are locked before the tag, as everywhere; deleted contacts lose it too, since they may be restored. */
const removeFromBatch = defineStatement(
  'tag.take_off_some',
  `with locked as (
     ${buildLockContactsSql(
       `c.id in (select ct.contact_id from contact_tags ct where ct.group_id = :group and ct.tag_id = :id order by ct.contact_id limit ${batch})`,
       { includeDeleted: true },
     )}),
   removed as (
     delete from contact_tags ct using locked l
      where ct.group_id = :group and ct.contact_id = l.id and ct.tag_id = :id returning ct.contact_id)
   select (select count(*) from locked) as locked,
          (select count(*) from touch_contacts(:group, array(select contact_id from removed), :userId)) as touched`,
);
const lockForDelete = defineStatement(
  'tag.hold',
  'select id from tags where group_id = :group and id = :id for update',
);
const remove = defineStatement('tag.delete', 'delete from tags where group_id = :group and id = :id returning id');
const addToContacts = defineStatement(
  'tag.put_on',
  `with changed as (
     insert into contact_tags (group_id, contact_id, tag_id)
     select :group, c.id, t.id from unnest(cast(:contactIds as bigint[])) c (id)
       join tags t on t.group_id = :group and t.name = any(:names)
     on conflict do nothing returning contact_id, tag_id),
   tagged as (select contact_id, count(*) as many from changed group by contact_id)
   select array(select contact_id from tagged order by contact_id) as changed,
          array(select g.contact_id from tagged g where g.many + (
            select count(*) from contact_tags o where o.group_id = :group and o.contact_id = g.contact_id
               and not exists (select 1 from changed x where x.contact_id = o.contact_id and x.tag_id = o.tag_id)) > ${maxTags}) as full,
          (select count(*) from touch_contacts(:group, array(select contact_id from tagged), :userId)) as touched`,
);
const removeFromContacts = defineStatement(
  'tag.take_off',
  `with locked as (
     ${buildLockContactsSql('c.id = any(:contactIds)')}),
   removed as (
     delete from contact_tags ct using locked l, tags t
      where ct.group_id = :group and ct.contact_id = l.id and t.group_id = :group and t.id = ct.tag_id and fold(t.name) in (select fold(n) from unnest(cast(:names as text[])) n)
        and (select count(*) from locked) = :many
     returning ct.contact_id)
   select array(select id from locked) as locked, array(select distinct contact_id from removed order by contact_id) as changed,
          (select count(*) from touch_contacts(:group, array(select contact_id from removed), :userId)) as touched`,
);

const nameTaken = (name: unknown): Problem =>
  new Problem('conflict', 'There is a tag of this name', {
    errors: [{ location: 'input.name', message: 'is the name of another tag', value: name }],
  });
/** Creates a tag. Throws 409 when there is one of this name, by the folding of searches. */
export const createTag = (space: Space, tag: { name: string; color: string | null }): Promise<TagOfSpace> =>
  space.transaction(async (tx) => {
    await lockTagNames(tx, [tag.name]);
    const created = await tx.row<TagOfSpace>(create, tag);
    if (!created) throw nameTaken(tag.name);
    return created;
  });

/** Gives a tag its new name in the queries of segments, which else would find nobody. */
const renameInSegments = async (tx: Space, { id, name: before }: TagOfSpace, name: string): Promise<void> => {
  await tx.rows(lockSpace);
  const segments = await tx.rows<{ id: number; query: object }>(segmentsOnTags);
  const named = segments.flatMap(({ query }) => listTagNames(query));
  if (named.length === 0) return;
  const names = new Set(
    (await tx.rows<{ name: string }>(namesOfTag, { id, before, name, names: named })).map((one) => one.name),
  );
  for (const segment of segments) {
    if (!listTagNames(segment.query).some((one) => names.has(one))) continue;
    const query = renameTags(segment.query, (one) => (names.has(one) ? name : one));
    await tx.rows(renameInSegment, { id: segment.id, query: JSON.stringify(query) });
  }
};

/**
 * Updates the given fields of a tag. The contacts that have it show the change, and are marked in the same transaction. Segments that name it follow. Throws 404 when it
 * is missing, 409 when another one has this name.
 */
export const updateTag = (space: Space, id: number, patch: Values): Promise<TagOfSpace & { updated_at: string }> =>
  space.transaction(async (tx) => {
    const values = { id, patch: JSON.stringify(patch) };
    if (typeof patch.name === 'string') await lockTagNames(tx, [patch.name]);
    const found = await tx.row<TagOfSpace & { updated_at: string; changes: boolean; taken: boolean }>(lock, values);
    const { changes, taken, ...tag } = requireFound('tag', id, found);
    if (taken) throw nameTaken(patch.name);
    if (!changes) return tag;
    // Before contacts are locked, as wherever the space is.
    if (typeof patch.name === 'string' && patch.name !== tag.name) await renameInSegments(tx, tag, patch.name);
    await bumpVersionsShowing(tx, 'tag', id);
    return (await tx.row<TagOfSpace & { updated_at: string }>(update, values))!;
  });

/**
 * Deletes a tag and removes it from all contacts in batches, which marks them as changed. Throws 404 when it is missing. Then the tag is
 * locked, so that no more contacts can be tagged, and removed from those that were tagged meanwhile.
 */
export const deleteTag = (space: Space, id: number, userId: number): Promise<number> =>
  space.transaction(async (tx) => {
    const takeOffAll = async (): Promise<void> => {
      while ((await tx.row<{ locked: number }>(removeFromBatch, { id, userId }))!.locked === batch);
    };
    requireFound('tag', id, await tx.row(lock, { id, patch: '{}' }));
    await takeOffAll();
    await tx.rows(lockForDelete, { id });
    await takeOffAll();
    await tx.rows(remove, { id });
    return id;
  });

interface Tagging {
  contactIds: readonly number[];
  tags: readonly string[];
  userId: number;
}

/**
 * Adds tags to contacts, and creates missing ones; yields the contacts that did not have them all. All or nothing: throws 422 for missing
 * contacts, 400 for contacts that would have more than 200 tags.
 */
export const addTagToContacts = (space: Space, { contactIds, tags: sent, userId }: Tagging): Promise<number[]> =>
  space.transaction(async (tx) => {
    const locked = [...(await lockContacts(tx, contactIds)).keys()];
    requireKnownReferences('contact', listReferencesIn('input.contactIds', contactIds), locked);
    const nameOf = await readTagNames(tx, sent);
    const stored = await createMissingTags(
      tx,
      sent.map((name) => ({ name: nameOf(name) })),
    );
    const put = { contactIds: locked, names: sent.map((name) => stored(nameOf(name))), userId };
    const { changed, full } = (await tx.row<{ changed: number[]; full: number[] }>(addToContacts, put))!;
    const tooMany = listReferencesIn('input.contactIds', contactIds).filter(({ id }) => full.includes(id));
    if (tooMany.length > 0)
      throw createInvalidProblem(
        tooMany.map(({ id, location }) => ({ location, message: `would have more than ${maxTags} tags`, value: id })),
      );
    return changed;
  });

/** Removes tags from contacts; yields the contacts that had any of them. Throws 422 for missing contacts. */
export const removeTagFromContacts = async (
  space: Space,
  { contactIds, tags: names, userId }: Tagging,
): Promise<number[]> => {
  const values = { contactIds, names, userId, many: new Set(contactIds).size };
  const { locked, changed } = (await space.row<{ locked: number[]; changed: number[] }>(removeFromContacts, values))!;
  requireKnownReferences('contact', listReferencesIn('input.contactIds', contactIds), locked);
  return changed;
};

export const tagList = defineList<TagOfSpace>()({
  noun: 'tag',
  from: 'tags r',
  scoped: ['r'],
  columns: columns.replaceAll(/\w+/g, 'r.$&'),
  fields: {
    ...commonFields,
    name: { column: 'r.name', type: 'text' },
    color: { column: 'r.color', type: 'code', nullable: true },
  },
  orders: ['id', 'name', 'createdAt', 'updatedAt'],
  isShort: true,
  groups: ['color'],
});
