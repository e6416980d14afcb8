// Fills the settings of a space: users, tags, actions, forms, prices, statuses and mailings.

import type { Job } from '../build/lanes.ts';
import type { PlannedSpace } from '../build/parameters.ts';
import { words } from '../build/words.ts';

export const sizes = {
  users: 30,
  tags: 50,
  actions: 200,
  forms: 30,
  customForms: 10,
  refs: 6,
  templates: 20,
  campaigns: 300,
};

/** Ids encode their space, so that the search bodies can name them in any space. */
export const ids = {
  user: (space: number | string, n: number | string) => `${space} * 100 + ${n}`,
  tag: (space: number | string, n: number | string) => `${space} * 1000 + ${n}`,
  action: (space: number | string, n: number | string) => `${space} * 1000 + ${n}`,
  form: (space: number | string, n: number | string) => `${space} * 100 + ${n}`,
  ref: (form: number | string, n: number | string) => `(${form}) * 10 + ${n}`,
  campaign: (space: number | string, n: number | string) => `${space} * 1000 + ${n}`,
  /** Prices, statuses: short lists. */
  setting: (space: number | string, n: number | string) => `${space} * 10 + ${n}`,
};

/** `into` is the table with its columns. The expressions may use the space `g` and the number `n` of the row in its list. */
const perSpace = (into: string, count: number, expressions: string): Job => ({
  name: into.split(' ')[0]!,
  sql: `insert into ${into} select ${expressions} from bench.spaces s (g), generate_series(0, ${count - 1}) n`,
});

const kinds = `(array['consent', 'level_of_support', 'presence_status', 'survey', 'tasks'])[1 + n % 5]`;
const placeOfRef = `n % ${sizes.refs}`;
const formOfRef = ids.form('g', `n / ${sizes.refs}`);
const since = `bench.today() - interval '8 years'`;

/** Campaigns of three years, each with a word in its name and another in its subject. */
const campaigns: Job = {
  name: 'campaigns',
  sql: `insert into campaigns
      (group_id, id, template_id, name, subject, sender, goal, is_successful, performance_rating, sent_at, created_at, updated_at)
    select g, ${ids.campaign('g', 'n')}, ${ids.user('g', `n % ${sizes.templates}`)}, 'Campagne ' || a.word, 'Lettre ' || n || ' : ' || b.word,
      'equipe' || n % 4 || '@exemple.org', (array['donation', 'event', 'information'])[1 + n % 3], n % 4 = 0, n * 37 % 101,
      bench.sent(n), bench.sent(n), bench.sent(n)
    from bench.spaces s (g), generate_series(0, ${sizes.campaigns - 1}) n
    join bench.words a on a.k = n * 7 % ${words.length} join bench.words b on b.k = n * 13 % ${words.length}`,
};

export const planSettingsJobs = (spaces: PlannedSpace[]): Job[] => [
  {
    name: 'spaces',
    sql: `insert into spaces (id, name, created_at, updated_at)
      select id, 'Espace ' || id, ${since}, ${since} from unnest($1::bigint[]) id`,
    values: [spaces.map(({ id }) => id)],
  },
  perSpace(
    'users (id, mail, firstname)',
    sizes.users,
    `${ids.user('g', 'n')}, 'user' || ${ids.user('g', 'n')} || '@exemple.org', 'User ' || n`,
  ),
  perSpace(
    'roles (group_id, id, name, type)',
    2,
    `g, ${ids.setting('g', 'n')}, (array['Admin', 'Membre'])[1 + n], (array['superadmin', 'user'])[1 + n]`,
  ),
  perSpace(
    'members (group_id, user_id, role_id)',
    sizes.users,
    `g, ${ids.user('g', 'n')}, ${ids.setting('g', 'least(n, 1)')}`,
  ),
  perSpace(
    'tags (group_id, id, name, color)',
    sizes.tags,
    `g, ${ids.tag('g', 'n')}, 'tag-' || lpad(n::text, 2, '0'), '#336699'`,
  ),
  perSpace(
    'actions (group_id, id, name, starts_at)',
    sizes.actions,
    `g, ${ids.action('g', 'n')}, 'Action ' || n, bench.today() - n * interval '5 days'`,
  ),
  perSpace(
    'forms (group_id, id, kind, label, type)',
    sizes.forms,
    `g, ${ids.form('g', 'n')}, case when n < ${sizes.customForms} then 'custom_fields' else ${kinds} end, 'Question ' || n, 'checkbox'`,
  ),
  perSpace(
    'form_refs (group_id, id, form_id, label, value, position)',
    sizes.forms * sizes.refs,
    `g, ${ids.ref(formOfRef, placeOfRef)}, ${formOfRef}, 'Choix ' || ${placeOfRef}, ${placeOfRef}, ${placeOfRef}`,
  ),
  perSpace('membership_price_groups (group_id, id, name)', 1, `g, ${ids.setting('g', 'n')}, 'Adhésion'`),
  perSpace(
    'membership_prices (group_id, id, membership_price_group_id, name, amount)',
    6,
    `g, ${ids.setting('g', 'n')}, ${ids.setting('g', 0)}, 'Tarif ' || n, 1000 * (1 + n)`,
  ),
  perSpace(
    'donation_prices (group_id, id, name, amount)',
    6,
    `g, ${ids.setting('g', 'n')}, 'Don ' || n, 1000 * (1 + n)`,
  ),
  perSpace('transaction_statuses (group_id, id, name)', 5, `g, ${ids.setting('g', 'n')}, 'Statut ' || n`),
  perSpace('templates (group_id, id, name)', sizes.templates, `g, ${ids.user('g', 'n')}, 'Modèle ' || n`),
  campaigns,
];
