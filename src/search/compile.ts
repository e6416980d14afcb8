// From a checked search to SQL over the search row `s`. Texts are constants of this folder; every value of a client is bound.
import type { Attribute, Family, Kind } from './attribute.ts';
import { attributeOf } from './attributes.ts';
import type { Condition, Group } from './check.ts';
import { type Operator, operators } from './operators.ts';
import type { Operand } from './values.ts';

/** SQL with the values it binds by name, beside `:group`. */
export interface Where {
  sql: string;
  values: Record<string, unknown>;
}

type Bind = (value: unknown) => string;

/** What a positive operator asks of an expression that holds a value of the kind. */
type Test = (x: string, operator: Operator, operand: Operand, bind: Bind) => string;

const highest = String.fromCodePoint(0x10ffff);
/** A pattern of LIKE in which the bound text stands for itself. */
const within = (text: string): string =>
  `'%' || replace(replace(replace(${text}, '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%'`;

/** Text that is folded on both sides by `fold`, a function of SQL. The expression is of collation "C". */
const folded =
  (fold: string): Test =>
  (x, operator, { values }, bind) => {
    const value = `${fold}(${bind(values[0])})`;
    switch (operator) {
      case 'eql':
        return `${x} = ${value}`;
      case 'any_of':
        return `${x} in (${values.map((one) => `${fold}(${bind(one)})`).join(', ')})`;
      case 'start_with':
        return `(${x} >= ${value} and ${x} < ${value} || ${bind(highest)})`;
      case 'contains':
        return `${x} like ${within(value)}`;
      default:
        throw new Error(`text has no ${operator}`);
    }
  };

/** Numbers and moments: one value, or bounds that are closed at both ends. */
const ordered =
  (type: string): Test =>
  (x, operator, { values, from, to }, bind) => {
    const cast = (value: unknown): string => `cast(${bind(value)} as ${type})`;
    if (operator === 'any_of') return `${x} in (${values.map(cast).join(', ')})`;
    if (values.length > 0) return `${x} = ${cast(values[0])}`;
    const parts = [
      ...(from === undefined ? [] : [`${x} >= ${cast(from)}`]),
      ...(to === undefined ? [] : [`${x} <= ${cast(to)}`]),
    ];
    return parts.length > 1 ? `(${parts.join(' and ')})` : parts[0]!;
  };

const tests: Record<Kind, Test> = {
  text: folded('fold'),
  phone: folded('dialled'),
  instant: ordered('timestamptz'),
  day: (x, operator, operand, bind) => {
    if (operator !== 'period') return ordered('date')(x, operator, operand, bind);
    const [from, to] = [bind(operand.from), bind(operand.to)];
    const day = `to_char(${x}, 'MM-DD')`;
    return `(${day} >= ${from} ${(operand.from as string) <= (operand.to as string) ? 'and' : 'or'} ${day} <= ${to})`;
  },
  cents: ordered('bigint'),
  whole: ordered('bigint'),
  id: ordered('bigint'),
  flag: ordered('boolean'),
  gender: ordered('"char"'),
  ageCategory: ordered('smallint'),
  // A membership `r` is active in every year from its first day to its last.
  year: (r, _operator, { values, from, to }, bind) => {
    const [first, last] = [values[0] ?? from, values[0] ?? to];
    // A membership of many years would be found between two years in the wrong order.
    if (first !== undefined && last !== undefined && first > last) return 'false';
    const parts = [
      ...(last === undefined ? [] : [`${r}.start_date <= make_date(cast(${bind(last)} as integer), 12, 31)`]),
      ...(first === undefined
        ? []
        : [`coalesce(${r}.end_date, 'infinity') >= make_date(cast(${bind(first)} as integer), 1, 1)`]),
    ];
    return `(${parts.join(' and ')})`;
  },
  validity: (r, _operator, { values }, bind) =>
    values[0] === 'ended'
      ? `${r}.end_date < cast(${bind(nowMark)} as timestamptz)`
      : `(coalesce(${r}.start_date <= cast(${bind(nowMark)} as timestamptz), true) and coalesce(${r}.end_date >= cast(${bind(nowMark)} as timestamptz), true))`,
  answer: () => {
    throw new Error('answers are compiled by their form');
  },
};

/** Stands for the instant of the request until values are bound. */
const nowMark = Symbol('now');

const families: Record<Family, string> = {
  transactions: 'transactions r',
  donations: 'donations r',
  memberships: 'memberships r',
  sanctions: 'sanctions r',
  emails: `emails r
    left join campaigns k on k.group_id = r.group_id and k.id = r.campaign_id and k.deleted_at is null
    left join templates t on t.group_id = r.group_id and t.id = k.template_id and t.deleted_at is null`,
};

/** The operator without its negation, and whether it was negated. */
const positive = (operator: Operator): [Operator, boolean] => {
  const { negates } = operators[operator];
  return negates ? [negates, true] : [operator, false];
};

/** What belongs to the contact itself is negated as a whole: a contact without the value matches. */
const complement = (sql: string, negated: boolean): string => (negated ? `not (${sql})` : sql);

const onRow = ({ kind, source }: Attribute, operator: Operator, operand: Operand, bind: Bind): string => {
  if (source.of !== 'row') throw new Error('not on the search row');
  const [asked, negated] = positive(operator);
  const x = `s.${source.column}`;
  if (asked === 'ext') {
    const sql = source.filled
      ? `(s.filled & ${source.filled}) <> 0`
      : source.empty
        ? `${x} <> ${source.empty}`
        : 'true';
    return complement(sql, negated);
  }
  if (asked === 'eql:strictdata') {
    const raw = `(s.mail = fold(${bind(operand.values[0])}) and exists (select from contacts c where c.group_id = :group and c.id = s.contact_id and c.mail = ${bind(operand.values[0])}))`;
    return complement(raw, negated);
  }
  const test = tests[kind](x, asked, operand, bind);
  // A day that is not known is stored as the last of all.
  return complement(kind === 'day' ? `(${test} and ${x} < 'infinity')` : test, negated);
};

const columnOf = (kind: Kind, x: string): string => (kind === 'text' ? `fold(${x}) collate "C"` : x);

const onTable = (
  table: 'contact' | 'address',
  { kind, source }: Attribute,
  operator: Operator,
  operand: Operand,
  bind: Bind,
): string => {
  const [asked, negated] = positive(operator);
  const column = (source as { column: string }).column;
  const [from, id] = table === 'contact' ? ['contacts c', 'c.id'] : ['addresses c', 'c.contact_id'];
  const x = columnOf(kind, `c.${column}`);
  const test =
    asked === 'ext' ? (kind === 'text' ? `${x} <> ''` : `${x} is not null`) : tests[kind](x, asked, operand, bind);
  return complement(`s.contact_id in (select ${id} from ${from} where c.group_id = :group and ${test})`, negated);
};

const onTags = (operator: Operator, { values }: Operand, bind: Bind): string => {
  const [asked, negated] = positive(operator);
  const ids = (names: unknown[]): string =>
    `array(select id from tags where group_id = :group and fold(name) in (${names.map((name) => `fold(${bind(name)})`).join(', ')}))`;
  if (asked === 'ext') return complement('s.tag_bits <> 0', negated);
  // Two tags may fold to one name, so that each name asks for any of its tags.
  if (asked === 'all_of') return `(${values.map((name) => `s.tag_ids && ${ids([name])}`).join(' and ')})`;
  return complement(`s.tag_ids && ${ids(values)}`, negated);
};

/** On records an operator asks for at least one record of which it holds; negated, for one whose value is set and differs. */
const onRecords = (
  family: Family,
  column: string,
  kind: Kind,
  operator: Operator,
  operand: Operand,
  bind: Bind,
): string => {
  const [asked, negated] = positive(operator);
  const several = column === 'r.clicked_urls';
  const x = columnOf(kind, several ? 'u.url' : column);
  const filled = several
    ? 'cardinality(r.clicked_urls) > 0'
    : kind === 'text'
      ? `${x} <> ''`
      : kind === 'year' || kind === 'validity'
        ? 'true'
        : `${x} is not null`;
  const test = (): string => {
    const sql = tests[kind](x, asked, operand, bind);
    return several ? `exists (select from unnest(r.clicked_urls) u (url) where ${sql})` : sql;
  };
  const holds =
    asked === 'ext'
      ? negated
        ? `coalesce(${filled}, false) = false`
        : filled
      : negated
        ? `${filled} and not (${test()})`
        : test();
  return `s.contact_id in (select r.contact_id from ${families[family]} where r.group_id = :group and r.deleted_at is null and ${holds})`;
};

const onSeveral = (family: Family, kind: Kind, operand: Operand, bind: Bind): string =>
  `s.contact_id in (select r.contact_id from ${families[family]} where r.group_id = :group and r.deleted_at is null and ${tests[kind]('r', 'eql', operand, bind)}
    group by r.contact_id having count(*) > 1)`;

const onAnswers = (custom: boolean, { operator, operand, formId, formRefIds = [] }: Condition, bind: Bind): string => {
  const [asked, negated] = positive(operator);
  const kind = custom ? `f.kind = 'custom_fields'` : `f.kind <> 'custom_fields'`;
  const found = (test: string): string => `s.contact_id in (select r.contact_id from answers r
    join forms f on f.group_id = r.group_id and f.id = r.form_id and f.deleted_at is null and ${kind}
    where r.group_id = :group and r.form_id = ${bind(formId)}${test && ` and ${test}`})`;
  if (asked === 'ext') return complement(found(''), negated);
  const test = operand.given ? answerTest(asked, operand, bind) : '';
  const each = formRefIds.map((ref) => found([`r.form_ref_id = ${bind(ref)}`, ...(test ? [test] : [])].join(' and ')));
  return complement(each.length > 0 ? `(${each.join(' and ')})` : found(test), negated);
};

/** Compares by the form's type: an answer, or a value, that cannot be read as a number or a date does not match. */
const answerTest = (operator: Operator, operand: Operand, bind: Bind): string => {
  const data = columnOf('text', 'r.data');
  if (operator === 'eql' || operator === 'contains') return tests.text(data, operator, operand, bind);
  const { from, to, span = {} } = operand;
  const bounds = (x: string, lower: unknown, upper: unknown, wrap: (value: string) => string): string =>
    [
      ...(from === undefined ? [] : [`${x} >= ${wrap(bind(lower ?? null))}`]),
      ...(to === undefined ? [] : [`${x} <= ${wrap(bind(upper ?? null))}`]),
    ].join(' and ');
  return `case f.type
      when 'numeric' then ${bounds('readable_number(r.data)', from, to, (value) => `readable_number(${value})`)}
      when 'date' then ${bounds('readable_instant(r.data)', span.from, span.to, (value) => `cast(${value} as timestamptz)`)}
      else ${data} <> '' and ${bounds(data, from, to, (value) => `fold(${value})`)} end`;
};

const compileCondition = (condition: Condition, bind: Bind): string => {
  const attribute = attributeOf(condition.attribute);
  const { operator, operand } = condition;
  const { source, kind } = attribute;
  switch (source.of) {
    case 'row':
      return onRow(attribute, operator, operand, bind);
    case 'contact':
    case 'address':
      return onTable(source.of, attribute, operator, operand, bind);
    case 'tags':
      return onTags(operator, operand, bind);
    case 'actions':
      return complement(`s.action_ids @> array[cast(${bind(operand.values[0])} as bigint)]`, operator === 'not_eql');
    case 'record':
      return onRecords(source.family, source.column, kind, operator, operand, bind);
    case 'several':
      return onSeveral(source.family, kind, operand, bind);
    case 'answers':
      return onAnswers(source.custom, condition, bind);
  }
};

const isGroup = (part: Group | Condition): part is Group => 'parts' in part;

/** The condition of a WHERE clause over the search row `s`. `now` is the one instant of the request. */
export const compile = (query: Group, now: string): Where => {
  const values: Record<string, unknown> = {};
  const bind: Bind = (value) => {
    const name = `v${Object.keys(values).length}`;
    values[name] = value === nowMark ? now : value;
    return `:${name}`;
  };
  const compileGroup = ({ every, parts }: Group): string => {
    if (parts.length === 0) return every ? 'true' : 'false';
    return `(${parts.map((part) => (isGroup(part) ? compileGroup(part) : compileCondition(part, bind))).join(every ? '\n and ' : '\n or ')})`;
  };
  return { sql: compileGroup(query), values };
};
