// Fills tags, actions, answers to forms, notes, interactions and sanctions.
import { chooseByChance, drawBelow, drawOneOf, drawZipf } from '../build/draw.ts';
import type { Job } from '../build/lanes.ts';
import { words } from '../build/words.ts';
import type { Stretch } from './people.ts';
import { ids, sizes } from './settings.ts';

const people = ({ from, to }: Stretch): string => `bench.people where id between ${from} and ${to}`;

/** Up to `draws` links of a contact to different ids of a list. */
const links =
  (table: string, column: string, id: string, draws: number, share: number) =>
  (stretch: Stretch, seed: number): Job => ({
    name: table,
    seed,
    sql: `insert into ${table} (group_id, contact_id, ${column})
    select distinct space, contact, ${id}
    from (select space, id as contact, generate_series(1, ${draws}) as nth from ${people(stretch)}) x
    where random() < ${share} order by contact`,
  });

export const contactTags = links('contact_tags', 'tag_id', ids.tag('space', drawZipf(sizes.tags)), 6, 0.42);
export const contactActions = links(
  'contact_actions',
  'action_id',
  ids.action('space', drawZipf(sizes.actions)),
  3,
  0.27,
);

/** Answers with numbers to the first two reference values of a form, with words to the others. */
export const fillAnswers = (stretch: Stretch, seed: number): Job => ({
  name: 'answers',
  seed,
  sql: `insert into answers (group_id, id, contact_id, form_id, form_ref_id, data, date, created_at, updated_at)
    select space, contact * 8 + nth, contact, form, ${ids.ref('form', 'ref')}, case when ref < 2 then ${drawBelow(1000)}::text else word end, at, at, at
    from (
      select space, contact, nth, ${ids.form('space', drawZipf(sizes.forms))} as form, ${drawBelow(sizes.refs)} as ref, ${drawZipf(words.length)} as pick,
        bench.today() - random() * interval '1000 days' as at
      from (select space, id as contact, generate_series(1, ${drawBelow(6)}) as nth from ${people(stretch)} offset 0) p offset 0
    ) x
    join bench.words w on w.k = pick`,
});

const at = (days: number): string => `bench.today() - random() * interval '${days} days'`;

export const fillNotes = (stretch: Stretch, seed: number): Job => ({
  name: 'notes',
  seed,
  sql: `insert into notes (group_id, id, contact_id, user_id, content, pinned, created_at, updated_at)
    select space, id, id, ${ids.user('space', 'id % 30')}, repeat('Rencontre au marché, à rappeler. ', 1 + ${drawZipf(12)}), random() < 0.1, at, at
    from (select space, id, ${at(2000)} as at from ${people(stretch)} and random() < 0.3 offset 0) x`,
});

export const fillInteractions = (stretch: Stretch, seed: number): Job => ({
  name: 'interactions',
  seed,
  sql: `insert into interactions (group_id, id, contact_id, user_id, type, sub_type, title, comments, created_at, updated_at)
    select space, contact * 2 + nth, contact, ${ids.user('space', 'contact % 30')}, ${drawOneOf('call', 'visit', 'event')}, 'out', 'Prise de contact',
      ${chooseByChance(0.6, `repeat('Échange sur les priorités du quartier. ', 1 + ${drawZipf(6)})`)}, at, at
    from (
      select space, contact, nth, ${at(2000)} as at
      from (select space, id as contact, generate_series(0, 1) as nth from ${people(stretch)} offset 0) p where random() < 0.25 offset 0
    ) x`,
});

export const fillSanctions = (stretch: Stretch, seed: number): Job => ({
  name: 'sanctions',
  seed,
  sql: `insert into sanctions (group_id, id, contact_id, status, start_date, end_date, created_at, updated_at)
    select space, id, id, ${drawOneOf('warning', 'suspension', 'exclusion')}, at, ${chooseByChance(0.7, `at + random() * interval '900 days'`)}, at, at
    from (select space, id, ${at(1800)} as at from ${people(stretch)} and random() < 0.02 offset 0) x`,
});
