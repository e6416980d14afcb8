// The mutants of the SQL functions that derive search rows.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of sources, where the braces belong to templates.
import { defineMutants, type Mutant } from './mutant.ts';

const folding = defineMutants(
  'migrations/0028_folding.sql',
  ['accents count', `lower(unaccent('unaccent'::regdictionary, $1))`, 'lower($1)', /name (eql|start_with)/],
  ['letters in two parts are others', 'normalize($1, NFD)', '$1', /eql|start_with|contains/],
  ['a final sigma is another letter', `, 'ς', 'σ')`, `, 'ς', 'ς')`, /eql|start_with/],
);

const derived = defineMutants(
  'migrations/functions.sql',
  [
    'a plus is nothing',
    `return '+' || case when digits like '00_%' then substr(digits, 3) else digits end;`,
    'return digits;',
    /phone|mobile/,
  ],
  ['two zeros are no plus', `digits not like '00_%' and (strpos`, '(strpos', /phone|mobile/],
  ['the 0 after a calling code counts', `if strpos(number, '(0)') > 0 then`, 'if false then', /phone|mobile/],
  [
    'no contact has a country',
    `coalesce(nullif(a.country, ''), home)) else '{"",""}' end as mobile`,
    `home) else '{"",""}' end as mobile`,
    /mobile/,
  ],
  [
    'the least for the greatest',
    'coalesce(max(t.amount) filter',
    'coalesce(min(t.amount) filter',
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
    'r.contact_id = any(contacts) and r.deleted_at is null\n         and exists',
    'r.contact_id = any(contacts)\n         and exists',
    /emails.*_at/,
  ],
  [
    'the first for the latest',
    `coalesce(max(opened_at), '-infinity') as opened_max,\n             coalesce(max(clicked_at), '-infinity') as clicked_max,\n             count(`,
    `coalesce(min(opened_at), '-infinity') as opened_max,\n             coalesce(max(clicked_at), '-infinity') as clicked_max,\n             count(`,
    /emails.opened_at gte/,
  ],
);

const answers = defineMutants('migrations/0043_search_statistics.sql', [
  'a minus is no number',
  '(-?[0-9]+',
  '([0-9]+',
  /(custom_fields|form) (lte|gte|range)/,
]);

export const mutantsOfSql: Mutant[] = [...folding, ...derived, ...answers];
