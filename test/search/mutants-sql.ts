// The mutants of the SQL functions that derive search rows.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of sources, where the braces belong to templates.
import { defineMutants, type Mutant } from './mutant.ts';

const { raw } = String;

const folding = defineMutants('migrations/0001_schema_text.sql', [
  'accents count',
  `unaccent('unaccent'::regdictionary, $1)`,
  '$1',
  /name (eql|start_with)/,
]);

const derived = defineMutants(
  'migrations/functions.sql',
  ['a plus is nothing', `case when ltrim($1) like '+%' then '+' else '' end || `, '', /phone|mobile/],
  [
    'the least for the greatest',
    'max(t.amount)::bigint as most\n       from transactions',
    'min(t.amount)::bigint as most\n       from transactions',
    /transactions.amount/,
  ],
  ['deleted donations are summed', ' and d.deleted_at is null) gift', ') gift', /donations.*_amount/],
  [
    'deleted contacts are found',
    'where c.group_id = space and c.id = any(contacts) and c.deleted_at is null;\nend $$',
    'where c.group_id = space and c.id = any(contacts);\nend $$',
  ],
  [
    'no day of birth is an early one',
    `coalesce(c.birthdate, 'infinity')`,
    `coalesce(c.birthdate, '-infinity')`,
    /birthdate/,
  ],
  [
    'deleted e-mails were opened',
    'r.contact_id = any(contacts) and r.deleted_at is null\n     and exists',
    'r.contact_id = any(contacts)\n     and exists',
    /emails.*_at/,
  ],
  [
    'the first for the latest',
    `coalesce(max(opened_at), '-infinity')`,
    `coalesce(min(opened_at), '-infinity')`,
    /emails.opened_at gte/,
  ],
  ['a minus is no number', raw`'^\s*-?\d{1,100}`, raw`'^\s*\d{1,100}`, /(custom_fields|form) (lte|gte|range)/],
);

export const mutantsOfSql: Mutant[] = [...folding, ...derived];
