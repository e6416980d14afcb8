// Tells which contacts a change would leave as they are. Whoever writes many of them again and again spares these the writing.
import { addressColumnNames, arraysOf, type ContactContent, contactColumnNames, inArrays } from './contact-content.ts';
import type { Placed } from './contact-parts.ts';
import { type Space, statement } from './space.ts';

const columns = [...contactColumnNames, ...addressColumnNames];
const alike = (alias: string, names: readonly string[]): string =>
  names.map((name) => `(g.${name} is null or g.${name} = ${alias}.${name})`).join(' and ');
/** A value that is not given says nothing. */
const same = statement(
  'contact.same',
  `select g.id from unnest(cast(:ids as bigint[]), cast(:tags as jsonb[]), ${arraysOf(columns)}) g (id, tags, ${columns.join(', ')})
     join contacts c on c.group_id = :group and c.id = g.id
     left join addresses a on a.group_id = :group and a.contact_id = g.id
    where ${alike('c', contactColumnNames)} and ${alike('a', addressColumnNames)}
      and (g.tags is null or g.tags = (select coalesce(jsonb_agg(t.name order by t.name collate "C"), '[]')
             from contact_tags ct join tags t on t.group_id = :group and t.id = ct.tag_id where ct.group_id = :group and ct.contact_id = g.id))`,
);

/** What clears, and what is said of actions and forms, is taken for a change. */
const mayBeSame = ({ columns, address, clearsAddress, actions, answers }: ContactContent): boolean =>
  address !== null &&
  !clearsAddress &&
  ![...Object.values(columns), ...Object.values(address ?? {})].includes(null) &&
  (actions ?? answers) === undefined;

/** The contacts that have all of this already. They are locked by the same transaction. */
export const unchanged = async (tx: Space, placed: readonly Placed[]): Promise<Set<number>> => {
  const some = placed.filter(({ content }) => mayBeSame(content));
  if (some.length === 0) return new Set();
  const rows = some.map(({ content }) => ({ ...content.columns, ...content.address }));
  const tags = some.map(({ content }) => content.tags && JSON.stringify(namesOf(content.tags)));
  const found = await tx.rows<{ id: number }>(same, {
    ids: some.map(({ id }) => id),
    tags,
    ...inArrays(columns, rows),
  });
  return new Set(found.map(({ id }) => id));
};

const namesOf = (tags: readonly { name: string }[]): string[] => [...new Set(tags.map(({ name }) => name))].sort();
