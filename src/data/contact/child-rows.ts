// Writes the child rows of contacts: address, tags, actions. Each statement serves any number of contacts.

import type { Space } from '../../database/space.ts';
import { defineStatement, oneRowOfSpace } from '../../database/statement.ts';
import { trimLine } from '../../search/trim-line.ts';
import { type AddressColumn, addressColumnNames } from './columns.ts';
import { bindAsPatches, buildPatchesSql, type ContactContent, type TagContent } from './patch.ts';

/** Content of a contact whose id is known. */
export interface PlacedContent {
  id: number;
  content: ContactContent;
  /** The increment of its version; 1 when left out. */
  versions?: number;
}

const columns = addressColumnNames.join(', ');
const excludedColumns = addressColumnNames.map((column) => `excluded.${column}`).join(', ');
const mergeColumnSql = (column: AddressColumn): string =>
  `case when jsonb_exists(g.named, '${column}') then g.${column} else a.${column} end`;

/** Named parts change, the others stay. The contact's own write has locked it, so no other transaction changes the address meanwhile. */
const writeAddresses = defineStatement(
  'contact.write_addresses',
  `insert into addresses (group_id, contact_id, ${columns}, updated_at)
   select :group, g.id, ${addressColumnNames.map(mergeColumnSql).join(', ')}, now()
     from ${buildPatchesSql(addressColumnNames)}
     left join addresses a on a.group_id = :group and a.contact_id = g.id
   on conflict (group_id, contact_id) do update set (${columns}, updated_at) = row(${excludedColumns}, excluded.updated_at)
    where row(${addressColumnNames.map((column) => `addresses.${column}`).join(', ')}) is distinct from row(${excludedColumns})`,
);
const clearAddresses = defineStatement(
  'contact.clear_addresses',
  'delete from addresses where group_id = :group and contact_id = any(:ids)',
);
/** The tag that a name means: that of the very name, else the oldest that is the same under the folding of searches. */
const findTagSql = (name: string): string =>
  `(select o.name from tags o where o.group_id = :group and fold(o.name) = fold(${name}) order by o.name <> ${name}, o.id limit 1)`;
const nameTags = defineStatement(
  'tag.name',
  `select n.name, ${findTagSql('n.name')} as known, first_value(n.name) over (partition by fold(n.name) order by n.nth) as first
     from unnest(cast(:names as text[])) with ordinality n (name, nth) order by n.nth`,
);
/** Names that are one under the folding share a lock, so that two transactions cannot both create their tag. */
const lockNames = defineStatement(
  'tag.lock_names',
  `select pg_advisory_xact_lock(hashint8(:group), key) from (
     select distinct (hashtext('tag ' || fold(name)) & 1023) + 3072 as key from unnest(cast(:names as text[])) name order by key) ordered cross join ${oneRowOfSpace}`,
);
const holdTagsSql = `select t.name from tags t where t.group_id = :group and t.name = any(cast(:names as text[])) order by t.id for key share`;
/**
 * The first of equal names counts. A statement of its own: the next one then also sees tags that other transactions have created meanwhile. It locks those that
 * are there, so that the next one finds them. Yields the names of the tags that are there now. A name is
 * missing if its tag was renamed or deleted while the statement waited, or if another tag has another spelling of it.
 */
const ensureTags = defineStatement(
  'contact.ensure_tags',
  `with added as (
     insert into tags (group_id, name, color)
     select distinct on (g.name) :group, g.name, g.color from rows from (jsonb_to_recordset(cast(:tags as jsonb)) as (name text, color text)) with ordinality g (name, color, nth)
       left join (${holdTagsSql}) t on t.name = g.name
       left join tags o on o.group_id = :group and fold(o.name) = fold(g.name)
      where t.name is null and o.id is null
      order by g.name, g.nth on conflict (group_id, name) do nothing returning name)
   select h.name from (${holdTagsSql}) h union all select a.name from added a`,
);
const writeTags = defineStatement(
  'contact.write_tags',
  `with given as (
     select distinct g.id, t.id as tag_id from jsonb_to_recordset(cast(:items as jsonb)) g (id bigint, names jsonb)
       cross join lateral jsonb_array_elements_text(g.names) name
       join tags t on t.group_id = :group and t.name = name.value),
   removed as (
     delete from contact_tags c where c.group_id = :group and c.contact_id = any(:ids)
        and not exists (select 1 from given g where g.id = c.contact_id and g.tag_id = c.tag_id))
   insert into contact_tags (group_id, contact_id, tag_id) select :group, id, tag_id from given on conflict do nothing`,
);
/** Links to deleted actions stay: they are not shown, so no client can have meant to remove them. */
const linkActions = defineStatement(
  'contact.write_actions',
  `with given as (
     select distinct g.id, cast(action.value as bigint) as action_id from jsonb_to_recordset(cast(:items as jsonb)) g (id bigint, actions jsonb)
       cross join lateral jsonb_array_elements_text(g.actions) action),
   removed as (
     delete from contact_actions c using actions a
      where c.group_id = :group and c.contact_id = any(:ids) and a.group_id = :group and a.id = c.action_id and a.deleted_at is null
        and not exists (select 1 from given g where g.id = c.contact_id and g.action_id = c.action_id))
   insert into contact_actions (group_id, contact_id, action_id) select :group, id, action_id from given on conflict do nothing`,
);

/** Until the transaction ends, no other one creates tags of these names. */
export const lockTagNames = (tx: Space, names: readonly string[]): Promise<unknown> => tx.rows(lockNames, { names });

/** The stored name of each tag, by the name that was sent. Names of no tag are locked: their tags may be created, under the first of their spellings. */
export const readTagNames = async (tx: Space, sent: readonly string[]): Promise<(name: string) => string> => {
  const names = [...new Set(sent.map(trimLine))];
  const read = () => tx.rows<{ name: string; known: string | null; first: string }>(nameTags, { names });
  let rows = names.length > 0 ? await read() : [];
  const missing = rows.filter(({ known }) => known === null).map(({ name }) => name);
  if (missing.length > 0) {
    await lockTagNames(tx, missing);
    rows = await read();
  }
  const known = new Map(rows.map(({ name, known, first }) => [name, known ?? first]));
  return (name) => known.get(trimLine(name))!;
};

/** Gives the tags of these contents the names that they are stored by. */
export const adoptTagNames = async (tx: Space, contents: readonly ContactContent[]): Promise<void> => {
  const tags = contents.flatMap(({ tags = [], addedTags = [] }) => [...tags, ...addedTags]);
  const nameOf = await readTagNames(
    tx,
    tags.map(({ name }) => name),
  );
  const adopt = (some: readonly TagContent[]): TagContent[] => some.map((tag) => ({ ...tag, name: nameOf(tag.name) }));
  for (const content of contents) {
    if (content.tags) content.tags = adopt(content.tags);
    if (content.addedTags) content.addedTags = adopt(content.addedTags);
  }
};

/**
 * Creates the tags that are missing, and keeps all of them as they are until the transaction ends. The names are those that `readTagNames` has found. A tag that was
 * deleted since, or has another name, is created anew. A tag with another spelling of the name takes its place. Yields the stored name of each.
 */
export const createMissingTags = async (tx: Space, tags: readonly TagContent[]): Promise<(name: string) => string> => {
  let spelled: readonly TagContent[] = tags;
  for (;;) {
    const names = [...new Set(spelled.map(({ name }) => name))];
    const rows = await tx.rows<{ name: string }>(ensureTags, { tags: JSON.stringify(spelled), names });
    const there = new Set(rows.map(({ name }) => name));
    const missing = names.filter((name) => !there.has(name));
    if (missing.length === 0) break;
    await lockTagNames(tx, missing);
    const nameOf = await readTagNames(tx, missing);
    spelled = spelled.map((tag) => (there.has(tag.name) ? tag : { ...tag, name: nameOf(tag.name) }));
  }
  const stored = new Map(tags.map(({ name }, place) => [name, spelled[place]!.name]));
  return (name) => stored.get(name)!;
};

const idsOf = (some: readonly PlacedContent[]): number[] => some.map(({ id }) => id);
const itemsOf = (some: readonly PlacedContent[], of: (content: ContactContent) => object): string =>
  JSON.stringify(some.map(({ id, content }) => ({ id, ...of(content) })));

/** Writes the child rows that these contents name. The same transaction has locked the contacts. */
export const writeContactChildren = async (tx: Space, placed: readonly PlacedContent[]): Promise<void> => {
  const [cleared, moved] = [
    placed.filter(({ content }) => content.address === null),
    placed.filter(({ content }) => content.address && Object.keys(content.address).length > 0),
  ];
  if (cleared.length > 0) await tx.rows(clearAddresses, { ids: idsOf(cleared) });
  if (moved.length > 0)
    await tx.rows(writeAddresses, {
      items: bindAsPatches(moved.map(({ id, content }) => ({ id, columns: content.address! }))),
    });
  const tagged = placed.filter(({ content }) => content.tags);
  if (tagged.length > 0) {
    const tags = tagged.flatMap(({ content }) => content.tags!);
    const nameOf = tags.length > 0 ? await createMissingTags(tx, tags) : String;
    const names = itemsOf(tagged, ({ tags }) => ({ names: tags!.map(({ name }) => nameOf(name)) }));
    await tx.rows(writeTags, { items: names, ids: idsOf(tagged) });
  }
  await writeContactActions(tx, placed);
};

export const writeContactActions = async (tx: Space, placed: readonly PlacedContent[]): Promise<void> => {
  const acting = placed.filter(({ content }) => content.actions);
  if (acting.length === 0) return;
  await tx.rows(linkActions, { items: itemsOf(acting, ({ actions }) => ({ actions })), ids: idsOf(acting) });
};
