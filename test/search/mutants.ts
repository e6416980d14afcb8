// Mutants: small faults that are put into the compiler of searches on purpose. The comparison with the oracle must notice each.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of sources, where the braces belong to templates.

import { defineMutants, type Mutant } from './mutant.ts';
import { mutantsOfSql } from './mutants-sql.ts';

const { raw } = String;

const text = defineMutants(
  'src/search/predicates.ts',
  ['% is not escaped', raw`, '%', '\\%')`, raw`, '%', '%')`, /contains/],
  ['_ is not escaped', raw`, '_', '\\_')`, raw`, '_', '_')`, /contains/],
  [
    'start_with is contains',
    'return beginsWith(x, text, binder);',
    'return `${x} like ${buildContainsPattern(text)}`;',
    /start_with/,
  ],
  [
    'a number without a plus is whole',
    'return `${national} = any(',
    'return `${x} = any(',
    /(phone|mobile) (not_)?eql/,
  ],
  [
    'a number begins at home alone',
    "(${beginsWith(national, digits, binder)} or ${beginsWith(x, `'+' || ${digits}`, binder)})",
    '(${beginsWith(national, digits, binder)})',
    /(phone|mobile) (not_)?start_with/,
  ],
  [
    'what begins with a trunk is part of no number',
    'const parts = [contains(written), beginsWith(national, written, binder), ',
    'const parts = [contains(written), ',
    /mobile contains/,
  ],
  [
    'what an index of trigrams begins with it contains',
    "`${escapeWildcards(text)} || '%'`)}`;",
    "`'%' || ${escapeWildcards(text)} || '%'`)}`;",
    /interactions.(title|comments) start_with/,
  ],
  ['the greatest itself is beyond', '`${x} <= ${cast(to)}`', '`${x} < ${cast(to)}`', /lte|range/],
  ['the least itself is beyond', '`${x} >= ${cast(from)}`', '`${x} > ${cast(from)}`', /gte|range/],
  [
    'years in the wrong order find',
    `if (first !== undefined && last !== undefined && first > last) return 'false';`,
    '',
    /memberships.period range/,
  ],
  [
    'a membership without an end is over',
    `coalesce(\${r}.end_date, 'infinity')`,
    '${r}.end_date',
    /memberships.period/,
  ],
  ['what is to start goes on', 'coalesce(${r}.start_date <= ${instant}, true) and ', '', /validity/],
  ['a part of the year does not wrap', `? 'and' : 'or'`, `? 'and' : 'and'`, /period/],
);

const own = defineMutants(
  'src/search/contact-conditions.ts',
  ['a wrong part is ruled out', `negated ? '=' : '>'`, `negated ? '>' : '='`, /^(surname|mail|firstname) (not_)?ext$/],
  ['all_of is any_of', `hasAny([name])).join(' and ')`, `hasAny([name])).join(' or ')`, /all_of/],
  [
    'no day of birth is a late one',
    "kind === 'day' ? `(${predicate} and ${x} < 'infinity')` : predicate",
    'predicate',
    /birthdate (gte|period)/,
  ],
  ['to the letter is folded', 'c.mail = ${text}', 'fold(c.mail) = fold(${text})', /strictdata/],
  ['a deleted action has a name', "noun === 'action' ?", "noun === 'tag' && false ?", /actions.name/],
  ['a deleted action is one', 'as bigint) and deleted_at is null', 'as bigint)', /action_ids/],
  [
    'tags of other spaces',
    'from ${noun}s where group_id = :group',
    'from ${noun}s where cast(:group as bigint) > 0',
    /tags/,
  ],
  ['a negation is none', '(negated ? `not (${sql})` : sql)', 'sql', /not_/],
  ['an address of any contact', "scope: 'c.group_id = :group'", "scope: 'c.group_id >= :group'", /address/],
);

const records = defineMutants(
  'src/search/record-conditions.ts',
  [
    'who has other e-mails as well is dropped',
    'r.mailings = e.mailings',
    'r.mailings <= e.mailings',
    /emails\.(subject|campaign_\w+) not_/,
  ],
  ['e-mails of no campaign are of others', 'e.mailings > 0 and ', '', /emails\.(subject|campaign_\w+) not_/],
  ['none of them is any of them', `negated: operator !== 'any'`, `negated: operator === 'all'`, / none$/],
  ['a value that is missing satisfies', '? negateTest(test) : test', '? `not ${test}` : test', / all$/],
  ['together is apart', `every ? ' and ' : ' or '`, `every ? ' or ' : ' and '`, / (any|all|none)$/],
  [
    'all are counted',
    '`${buildRecordsFrom(family, test)} where ${selectSearched(family)} and ${test}`',
    '`${buildRecordsFrom(family, test)} where ${selectSearched(family)}`',
    /count_amount/,
  ],
  ['hidden interactions are found', ' and not r.only_super_admin', '', /^interactions/],
  ['a deleted payment pays', ' and p.deleted_at is null', '', /donations.payment_method_kind/],
  ['the payment of another space', 'p.group_id = :group and ', '', /donations.payment_method_kind/],
  ['records of other spaces', 'r.group_id = :group and r.deleted_at', 'r.deleted_at', /transactions/],
  ['deleted records', `:group and r.deleted_at is null';`, `:group';`, /memberships/],
  [
    'a record without a value differs',
    'return negated ? `${isSet} and not (${predicate})` : predicate;',
    'return negated ? `not coalesce(${predicate}, false)` : predicate;',
    /transactions.* not_eql/,
  ],
  [
    'a negation is the complement',
    'if (!extremes || operand.currency) return { rows: testRecords(family, test, binder) };',
    'if (!extremes && splitNegation(operator)[1]) return { rows: { ...testRecords(family, buildRecordPredicate(kind, column, splitNegation(operator)[0], operand, binder), binder), negated: true } }; if (!extremes || operand.currency) return { rows: testRecords(family, test, binder) };',
    /donations.* not_eql/,
  ],
  [
    'the least is at least',
    '`(${some}${most} >= ${cast(from)})`',
    '`(${some}${least} >= ${cast(from)})`',
    /amount gte/,
  ],
  ['both ends differ', '<> ${cast(from)} or ${most}', '<> ${cast(from)} and ${most}', /amount not_eql/],
  ['nothing lies between the ends', '${most} <= ${high} or ${between}', '${most} <= ${high}', /s.amount (eql|range)/],
  ['no record is one of 0', "? '' : `${count} > 0 and `", "? '' : ''", /s.amount (gte|lte)/],
  [
    'none was opened, for one was not',
    '`(e.without_value & ${bit}) <> 0`',
    '`(e.with_value & ${bit}) = 0`',
    /emails.*_at not_ext/,
  ],
  [
    'the latest is the earliest',
    '{ gte: latest, lte: earliest }',
    '{ gte: earliest, lte: latest }',
    /emails\.(created|delivered)_at (gte|lte)/,
  ],
  [
    'an e-mail to come hides the others',
    '(${latest} <= ${to} or ${between})',
    '${latest} <= ${to}',
    /emails\.(created|delivered|opened|clicked)_at (range|within)/,
  ],
  ['the only one differs', ' and ${list} <> array[${one}])', ')', /emails\.(type|user_id) not_eql/],
  [
    'none lacks what one has',
    `if (operator === 'not_ext') return lacks;`,
    "if (operator === 'not_ext') return `not (${has})`;",
    /emails\.(type|user_id|clicked_urls) not_ext/,
  ],
  [
    'who has no e-mails has some',
    "negateSql(compare('c.emails'), !negated)",
    "negateSql(compare('c.emails'), negated)",
    /emails.count_amount/,
  ],
  [
    'a link is a part of another',
    "asked === 'contains' ? '%'",
    "asked !== 'start_with' ? '%'",
    /clicked_urls (not_)?eql/,
  ],
  [
    'another link differs, too',
    "${negated ? 'not like' : 'like'}",
    'like',
    /clicked_urls not_(eql|contains|start_with)/,
  ],
  ['a deleted campaign speaks', 'k.id = c.id and k.deleted_at is null', 'k.id = c.id', /emails.(campaign|sender)/],
  ['twice is three times', 'having count(*) > 1', 'having count(*) > 2', /multiple/],
);

const answers = defineMutants(
  'src/search/answer-conditions.ts',
  ['a form of either kind', ` and kind \${custom ? '=' : '<>'} 'custom_fields'`, '', /custom_fields|form/],
  ['a deleted form', 'id = ${form} and deleted_at is null', 'id = ${form}', /custom_fields|form/],
  [
    'the first reference says so',
    'places = (refs.length > 0 ? refs :',
    'places = (refs.length > 0 ? refs.slice(0, 1) :',
    /custom_fields|form/,
  ],
  ['one reference is there', 's.form_ref_ids @> ${known}', 's.form_ref_ids && ${known}', /custom_fields|form/],
  ['numbers are texts', `"= 'numeric'"`, `"= 'other'"`, /(custom_fields|form) (lte|gte|range)/],
  ['a blank comes first', `r.folded <> '' and `, '', /(custom_fields|form) lte/],
  [
    'a long value is cut',
    'length(fold(${text})) < ${foldedLength}',
    'true',
    /(custom_fields|form) (eql|lte|gte|range)/,
  ],
);

const consents = defineMutants(
  'src/search/record-conditions.ts',
  ['an opt-out that was lifted counts', '(s.black_list and ', '(true and ', /opted_out_at/],
  [
    'a later time does not matter',
    "and ${compare('l.created_at >', to)}",
    'and false',
    /(opted_out|consented)_at (lte|range)/,
  ],
  [
    'a change that was taken back counts',
    ' and ${alias}.before is distinct from ${alias}.after',
    '',
    /(opted_out|consented)_at/,
  ],
  ['any answer counts', ' and a.form_ref_id = ${alias}.option_id', '', /consented_at/],
  ['options do not matter', "option === undefined ? '' :", "option === undefined || option > 0 ? '' :", /consented_at/],
);

const values = [
  ...defineMutants(
    'src/search/operand.ts',
    ['the end of a unit is in it', 'defer(to, -1n)', 'defer(to, 0n)', /within/],
    [
      'the last days begin a day before',
      "of === 'past' ? wholeDay : 0n",
      "of === 'past' ? 0n : 0n",
      /(birthdate|_date) within/,
    ],
    ['the next days end a day after', '? -wholeDay : 0n', '? 0n : 0n', /(birthdate|_date) within/],
    ['a range ends as its last day begins', 'to: ends(to).to,', 'to: ends(to).from,', /range/],
    ['a day is over as it begins', `values: [], to, ...(kind`, `values: [], to: from, ...(kind`, /lte/],
    ['ten cents are one', `part.padEnd(decimals, '0')`, '(part || 0)', /amount/],
    ['a text with commas is one', `given.split(',').map((item) => item.trim())`, '[given]', /_of/],
  ),
  ...defineMutants(
    'src/search/datetime.ts',
    ['a quarter is a month', 'month - (month % 3) + 1', 'month + 1', /within/],
    ['this is the one before', 'at(turns[turn]! + 1)', 'at(turns[turn]!)', /within/],
    [
      'months have 31 days',
      'Math.min(instant.getUTCDate(), lastDay(year, month))',
      'instant.getUTCDate()',
      /_at (lte|gte)/,
    ],
    ['a relative date is not rounded down', 'floor ? floorTo(value, floor) : value', 'value', /_at (lte|gte)/],
    ['weeks begin on Sunday', '(at.getUTCDay() + 6) % 7', 'at.getUTCDay()', /_at (lte|gte)/],
  ),
  ...defineMutants('src/search/attribute.ts', [
    'the sum for the greatest',
    'most: `s.${family}_max`',
    'most: `s.${family}_sum`',
    /s.amount/,
  ]),
  ...defineMutants(
    'src/search/attributes.ts',
    [
      'the start for the end',
      `dates, 'last day of a membership'`,
      `dates, 'last day of a membership', 'r.start_date'`,
      /memberships/,
    ],
    ['another bit', `'family name', { filled: 128 }`, `'family name', { filled: 64 }`, /surname/],
  ),
];

const whole = [
  ...defineMutants(
    'src/search/compile.ts',
    ['any for all', raw`every ? '\n and ' : '\n or '`, raw`every ? '\n or ' : '\n or '`],
    ['who has no e-mails fails nothing', "this.#purpose === 'fail' || this.#negates", 'this.#negates', /emails.*ext/],
    [
      'who has no e-mails is not counted',
      'this.#requiresEmails ||= isRequired',
      'this.#requiresEmails = true',
      /emails.*ext/,
    ],
    [
      'one campaign in common makes needless',
      '[...inner].every(',
      '[...inner].some(',
      /emails\.(campaign_|template_|subject)/,
    ],
    [
      'the wider of two choices is needless',
      'every ? [getSet(one), getSet(other)] : [getSet(other), getSet(one)]',
      '[getSet(one), getSet(other)]',
      /emails\.(campaign_|template_|subject)/,
    ],
    [
      'a choice narrows the walk',
      "always && !negated && (every !== (this.#purpose === 'fail') || parts.length === 1)",
      'always',
      /^(surname|firstname|mail) eql$/,
    ],
  ),
  ...defineMutants(
    'src/search/sort.ts',
    [
      'contacts without a gender come first',
      '[...parts.slice(0, -1).reverse(), parts.at(-1)!]',
      '[...parts].reverse()',
    ],
    [
      'ties are by id descending',
      '? `${by.column} ${direction.key}, ${byId}`',
      '? `${by.column} ${direction.key}, s.contact_id desc`',
    ],
    ['a part after the first is dropped', 'if (part < first ||', 'if ((after && part !== first) ||'],
    ['contacts with the same key are dropped', '= ${value} and ${byId}`', '= ${value} and false`'],
    ['contacts with the same key are dropped, ascending', '(${value}, :${side}Id)', '(${value}, 9007199254740991)'],
    [
      'descending is ascending after a key',
      '`${by.column} ${key} ${value}`',
      "`${by.column} ${key === '<' ? '>' : '<'} ${value}`",
    ],
  ),
  ...defineMutants(
    'src/search/page-plan.ts',
    [
      'the last contact comes again',
      'const byId = `contact_id ${operatorOf(directions.id)} :${side}Id`',
      'const byId = `contact_id ${operatorOf(directions.id)}= :${side}Id`',
    ],
    ['a page that is read from the end is in reverse', 'order by place desc`', 'order by place`'],
    [
      'a page that is read from the end has contacts of the page before',
      'limit (select least(cast(:limit as bigint), ${rest}) from matching)',
      'limit :limit',
    ],
    ['contacts that fail are not passed', "'s.contact_id not in (select contact_id from found)'", "'true'"],
    ['contacts that match are not found', "'(s.contact_id in (select contact_id from found)) is true'", "'true'"],
    ['all contacts count', "'select count(*) as total from found'", 'subtractSql("found")'],
    ['contacts that fail count as matches', '(select count(*) from ${failing} failing)', '0'],
  ),
  ...defineMutants(
    'src/data/search/traversal.ts',
    ['a page ends before its last contact', 'found.at(-1) ??', 'found.at(-2) ??'],
    [
      'a page begins one too late',
      'offset: computePageOffset(page, limit)',
      'offset: computePageOffset(page, limit) + 1',
    ],
  ),
];

const tables = defineMutants(
  'src/search/from-clause.ts',
  ['who has no e-mails is not found', '` left join ${joinOnContact(', '` join ${joinOnContact(', /emails.* not_/],
  [
    'a row of e-mails is all that is read',
    "if (!needsRow && !needsChanges && emails === 'required')",
    "if (!needsRow && !needsChanges && emails !== 'none')",
    /emails.*_at (ext|not_ext)/,
  ],
);

const places = [
  ...defineMutants(
    'src/search/places.ts',
    ['a circle around a pole has some longitudes', 'if (south <= -90 || north >= 90)', 'if (south < -91)', /near/],
    [
      'bands end too early',
      'Math.floor(north * bandsPerDegree) - first + 1',
      'Math.floor(north * bandsPerDegree) - first',
      /near|within/,
    ],
    ['meridians are parallel', '+ cos(radians(${latitude})) * cos(radians(${table}.latitude)) *', '+', /near/],
  ),
  ...defineMutants(
    'src/search/place-conditions.ts',
    ['a hole is none', '`not ${hole}`', "'true'", /within/],
    ['nobody is near a centre that is missing, nor far', "negateSql('false', negated)", "'false'", /near not_inside/],
  ),
];

export const mutants: Mutant[] = [
  ...places,
  ...text,
  ...own,
  ...records,
  ...answers,
  ...consents,
  ...values,
  ...whole,
  ...tables,
  ...mutantsOfSql,
];
