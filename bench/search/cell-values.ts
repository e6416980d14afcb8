// Chooses the values of the sweep from the data: of nobody, of few, of a tenth and of most contacts; with the number of contacts by hand.
import type { Client } from 'pg';
import type { Attribute } from '../../src/search/attribute.ts';
import { type AttributeName, getAttribute } from '../../src/search/attributes.ts';
import { type Operator, operators, splitNegation } from '../../src/search/operators.ts';
import type { Condition } from './body.ts';

/** How many contacts are wanted to have a value, of all. */
const shares = { nobody: 0, few: 0.0005, tenth: 0.1, most: 0.9 } as const;
export type Share = keyof typeof shares | 'any';

type Operand = Pick<Condition, 'value' | 'from' | 'to' | 'form_id' | 'form_ref_ids'>;
export interface Choice {
  share: Share;
  operand: Operand;
  /** The number of contacts, counted in the tables of the records, where the question is a plain one. */
  byHand?: number;
}

/** What the values of an attribute are, in SQL: rows of `contact_id` and `x`; and what conditions name beside them. */
interface Rows {
  sql: string;
  beside?: Pick<Operand, 'form_id' | 'form_ref_ids'>;
  /** Whether counting these rows is the same question. */
  isPlain: boolean;
}

type Kind = Attribute['kind'];

const ordered: readonly Kind[] = ['instant', 'day', 'cents', 'whole', 'decimal'];

/** A value as conditions write it. Instants are cut to the second. */
const writeSql = (kind: Kind, x: string): string => {
  if (kind === 'instant') return `to_char(${x} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
  return kind === 'cents' ? `to_char(${x} / 100.0, 'FM999999999990.00')` : `cast(${x} as text)`;
};

const living = 'join contact_search s on s.group_id = $1 and s.contact_id =';
const recordsOf = (family: string, x: string, joins = ''): string =>
  `select r.contact_id, ${x} as x from ${family} r ${living} r.contact_id ${joins} where r.group_id = $1 and r.deleted_at is null`;

const readRows = async (client: Client, space: number, name: AttributeName): Promise<Rows | undefined> => {
  const { kind, source } = getAttribute(name);
  const text = (x: string): string => (kind === 'text' ? `fold(${x})` : x);
  switch (source.of) {
    case 'row': {
      const empty = source.empty ? ` and ${source.column} <> ${source.empty}` : '';
      const table = source.in ? 'contact_changes' : 'contact_search';
      const sql = `select contact_id, ${source.column} as x from ${table} where group_id = $1${empty}`;
      return { sql, isPlain: kind !== 'phone' && !source.former };
    }
    case 'contact':
      return {
        sql: `select r.id as contact_id, ${text(`r.${source.column}`)} as x from contacts r ${living} r.id where r.group_id = $1`,
        isPlain: true,
      };
    case 'address':
      return {
        sql: `select r.contact_id, ${text(`r.${source.column}`)} as x from addresses r ${living} r.contact_id where r.group_id = $1`,
        isPlain: true,
      };
    case 'record': {
      if (kind === 'year' || kind === 'validity') return undefined;
      if (source.column === 'r.clicked_urls')
        return { sql: recordsOf('emails', 'fold(u)', 'cross join lateral unnest(r.clicked_urls) u'), isPlain: true };
      const payment = source.column.startsWith('p.')
        ? 'join transactions p on p.group_id = $1 and p.id = r.transaction_id and p.deleted_at is null'
        : '';
      const rest =
        (kind === 'cents' ? ` and r.currency = 'EUR'` : '') +
        (source.family === 'interactions' ? ' and not r.only_super_admin' : '');
      return { sql: recordsOf(source.family, text(source.column), payment) + rest, isPlain: true };
    }
    case 'event':
      return { sql: recordsOf('emails', source.column), isPlain: true };
    case 'campaign': {
      const joins =
        'join campaigns k on k.group_id = $1 and k.id = r.campaign_id and k.deleted_at is null left join templates t on t.group_id = $1 and t.id = k.template_id and t.deleted_at is null';
      const column = source.column.replace('c.id', 'k.id');
      return { sql: recordsOf('emails', text(column), joins), isPlain: true };
    }
    case 'count':
      return {
        sql: `select s.contact_id, coalesce(n, 0) as x from contact_search s left join (
          select contact_id, count(*) as n from ${source.family} r where group_id = $1 and deleted_at is null
             ${source.family === 'interactions' ? 'and not only_super_admin' : ''} group by 1) r on r.contact_id = s.contact_id where s.group_id = $1`,
        isPlain: true,
      };
    case 'tags':
    case 'actionNames': {
      const noun = source.of === 'tags' ? 'tag' : 'action';
      const alive = noun === 'action' ? ' and n.deleted_at is null' : '';
      const sql = `select r.contact_id, fold(n.name) as x from contact_${noun}s r ${living} r.contact_id join ${noun}s n on n.group_id = $1 and n.id = r.${noun}_id${alive} where r.group_id = $1`;
      return { sql, isPlain: true };
    }
    case 'actions':
      return {
        sql: `select r.contact_id, r.action_id as x from contact_actions r ${living} r.contact_id join actions n on n.group_id = $1 and n.id = r.action_id and n.deleted_at is null where r.group_id = $1`,
        isPlain: true,
      };
    case 'answers': {
      const { rows } = await client.query(
        `select a.form_id, a.form_ref_id from answers a join forms f on f.group_id = $1 and f.id = a.form_id and f.deleted_at is null
          where a.group_id = $1 and f.kind ${source.custom ? '=' : '<>'} 'custom_fields' group by 1, 2 order by count(*) desc, 1, 2 limit 1`,
        [space],
      );
      if (!rows[0]) return undefined;
      const { form_id: form, form_ref_id: ref } = rows[0];
      return {
        sql: `select contact_id, folded as x from answers where group_id = $1 and form_id = ${form} and form_ref_id = ${ref}`,
        beside: { form_id: Number(form), form_ref_ids: [Number(ref)] },
        isPlain: false,
      };
    }
    case 'consents':
    case 'optOut': {
      const sql = `select contact_id, created_at as x from consent_changes where group_id = $1`;
      if (source.of === 'optOut') return { sql, isPlain: false };
      const { rows } = await client.query(
        `select id from forms where group_id = $1 and kind = 'consent' and deleted_at is null order by id limit 1`,
        [space],
      );
      return rows[0] && { sql, beside: { form_id: Number(rows[0].id) }, isPlain: false };
    }
    default:
      return undefined;
  }
};

/** What nobody has. */
const absent: Partial<Record<Kind, string>> = {
  text: 'qxzjk',
  phone: '0999999',
  answer: 'qxzjk',
  whole: '987654',
  id: '9007199254740000',
};

interface Counted {
  x: string;
  n: number;
}

/** The values whose numbers of contacts are nearest to those wanted. */
const pickByNumber = (counted: readonly Counted[], contacts: number): { share: Share; x: string }[] => {
  const picked: { share: Share; x: string }[] = [];
  for (const share of ['few', 'tenth', 'most'] as const) {
    const distance = ({ n }: Counted): number => Math.abs(Math.log(n / (shares[share] * contacts)));
    const [nearest] = counted.toSorted((a, b) => distance(a) - distance(b) || (a.x < b.x ? -1 : 1));
    if (nearest && !picked.some(({ x }) => x === nearest.x)) picked.push({ share, x: nearest.x });
  }
  return picked;
};

/** The number of contacts for each value, of the most frequent and of the others some; or for each beginning of a value. */
const countValues = async (
  client: Client,
  space: number,
  { sql, kind, beginnings }: { sql: string; kind: Kind; beginnings: boolean },
): Promise<Counted[]> => {
  const x = beginnings ? `left(cast(x as text), l)` : writeSql(kind, 'x');
  const lengths = beginnings ? 'cross join generate_series(1, 6) l' : '';
  const filled = beginnings ? `length(cast(x as text)) >= l` : `x is not null and cast(x as text) <> ''`;
  const { rows } = await client.query(
    `with counted as materialized (select ${x} as x, count(distinct contact_id)::int as n from (${sql}) r ${lengths} where ${filled} group by 1)
     select x, n from ((select * from counted order by n desc, x limit 500) union (select * from counted order by n, x limit 20)
       union (select * from counted where n between 100 and 2000 order by n, x limit 500)) c`,
    [space],
  );
  // A text ends with no space, and a phone begins with a digit.
  return rows.filter((one: Counted) => one.x.trim() === one.x && one.x !== '+');
};

const quantiles = [0.0005, 0.1, 0.45, 0.55, 0.9, 0.9995];

const readQuantiles = async (client: Client, space: number, sql: string, kind: Kind): Promise<string[]> => {
  const { rows } = await client.query(
    `select ${quantiles.map((_, place) => `${writeSql(kind, `q[${place + 1}]`)} as q${place}`).join(', ')}
       from (select percentile_disc(array[${quantiles}]) within group (order by x) as q from (${sql}) r
         where x is not null${kind === 'day' ? ` and x < 'infinity'` : ''}) r`,
    [space],
  );
  return quantiles.map((_, place) => rows[0][`q${place}`]).filter((one) => one !== null);
};

const beyond = (kind: Kind): [string, string] => {
  if (kind === 'instant' || kind === 'day') return ['1850-01-01', '2199-01-01'];
  return kind === 'decimal' ? ['-89.5', '179'] : ['0', '987654'];
};

const chooseBounds = (operator: Operator, [few, tenth, low, high, most, top]: string[], kind: Kind) => {
  const [before, after] = beyond(kind);
  if (operator === 'range')
    return {
      nobody: { from: after, to: after },
      few: { from: top!, to: top! },
      tenth: { from: low!, to: high! },
      most: { from: few!, to: top! },
    };
  return operator === 'lte'
    ? { nobody: { value: before }, few: { value: few! }, tenth: { value: tenth! }, most: { value: most! } }
    : { nobody: { value: after }, few: { value: top! }, tenth: { value: most! }, most: { value: tenth! } };
};

const spans: Record<string, readonly string[]> = {
  within: ['last_1_days', 'last_30_days', 'this_year', 'last_3650_days'],
  period: ['02-29/02-29', '05-01/05-02', '05-01/06-06', '01-02/11-30'],
};
const years = (): string[] => [1950, -6, -2, 0].map((one) => String(one > 0 ? one : new Date().getFullYear() + one));

const label = (operands: readonly Operand[]): Choice[] =>
  operands.map((operand, place) => ({ share: (Object.keys(shares) as Share[])[place]!, operand }));

const choosePlaces = async (client: Client, space: number, kind: Kind): Promise<Choice[]> => {
  const { rows } = await client.query(
    `select percentile_disc(0.5) within group (order by latitude) as latitude, percentile_disc(0.5) within group (order by longitude) as longitude from addresses where group_id = $1`,
    [space],
  );
  const { latitude, longitude } = rows[0];
  if (kind === 'circle')
    return label([0.001, 10, 200, 2000].map((km) => ({ value: { km, point: { latitude, longitude } } })));
  const square = (half: number): Operand => {
    const corners = [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
      [-1, -1],
    ];
    return { value: { polygon: [corners.map(([x, y]) => [longitude + x! * half, latitude + y! * half])] } };
  };
  return label([0.00001, 0.1, 2, 20].map(square));
};

/** The same question in the tables of the records: whether a contact has a value that the operator asks for. */
const testByHand = (operator: Operator, { value, from, to }: Operand, kind: Kind): string | undefined => {
  const type = {
    instant: 'timestamptz',
    day: 'date',
    decimal: 'float8',
    whole: 'numeric',
    id: 'numeric',
    flag: 'boolean',
  }[kind as string];
  const cast = (one: unknown): string => {
    const quoted = `'${String(one).replaceAll("'", "''")}'`;
    if (kind === 'cents') return `cast(${quoted} as numeric) * 100`;
    return type ? `cast(${quoted} as ${type})` : quoted;
  };
  switch (operator) {
    case 'eql':
      return kind === 'instant' || kind === 'day' ? undefined : `x = ${cast(value)}`;
    case 'start_with':
      return kind === 'text' ? `starts_with(x, ${cast(value)})` : undefined;
    case 'lte':
      return kind === 'day' ? `x <= ${cast(value)} and x < 'infinity'` : `x <= ${cast(value)}`;
    case 'gte':
      return kind === 'day' ? `x >= ${cast(value)} and x < 'infinity'` : `x >= ${cast(value)}`;
    case 'range':
      return `x between ${cast(from)} and ${cast(to)}`;
    default:
      return undefined;
  }
};

/** Asks once for all values of an attribute. */
const countByHand = async (
  client: Client,
  space: number,
  sql: string,
  asked: readonly { choice: Choice; test: string }[],
): Promise<void> => {
  if (asked.length === 0) return;
  const { rows } = await client.query(
    `select ${asked.map((_, place) => `count(*) filter (where b${place})::int as n${place}`).join(', ')}
       from (select contact_id, ${asked.map(({ test }, place) => `bool_or(${test}) as b${place}`).join(', ')} from (${sql}) r group by contact_id) r`,
    [space],
  );
  for (const [place, { choice }] of asked.entries()) choice.byHand = rows[0][`n${place}`];
};

export type Choices = Map<Operator, Choice[]>;

/** The values for each operator of an attribute. Empty where the data has nothing to ask for. */
export const chooseValues = async (
  client: Client,
  space: number,
  contacts: number,
  name: AttributeName,
): Promise<Choices> => {
  const { kind, source, operators: allowed } = getAttribute(name);
  const chosen: Choices = new Map();
  if (source.of === 'place') {
    const places = await choosePlaces(client, space, kind);
    return new Map(allowed.map((operator) => [operator, places]));
  }
  if (allowed.every((operator) => operators[operator].takes === 'nothing'))
    return new Map(allowed.map((operator) => [operator, [{ share: 'any', operand: {} }]]));
  const found = await readRows(client, space, name);
  if (!found && kind !== 'year' && kind !== 'validity') return chosen;
  const { sql = '', beside = {}, isPlain = false } = found ?? {};
  const isOrdered = ordered.includes(kind);
  const counted = sql ? await countValues(client, space, { sql, kind, beginnings: false }) : [];
  const frequent = pickByNumber(counted, contacts);
  const isText = kind === 'text' || kind === 'phone' || kind === 'answer';
  const starting =
    isText && allowed.some((one) => /start_with|contains/.test(one))
      ? pickByNumber(await countValues(client, space, { sql, kind, beginnings: true }), contacts)
      : [];
  const bounds =
    isOrdered || kind === 'answer' ? await readQuantiles(client, space, sql, isOrdered ? kind : 'text') : [];
  const asked: { choice: Choice; test: string }[] = [];
  for (const operator of allowed) {
    const { takes } = operators[operator];
    const [positive] = splitNegation(operator);
    const list = ((): Choice[] => {
      if (takes === 'nothing') return [{ share: 'any', operand: {} }];
      if (spans[operator]) return label(spans[operator].map((value) => ({ value })));
      if (kind === 'validity') return label([{ value: 'ended' }, { value: 'ongoing' }]);
      if (kind === 'year')
        return label(years().map((value) => (takes === 'range' ? { from: value, to: value } : { value })));
      if (['lte', 'gte', 'range'].includes(operator))
        return bounds.length < quantiles.length
          ? []
          : label(Object.values(chooseBounds(operator, bounds, kind === 'answer' ? 'whole' : kind)));
      const values = positive === 'start_with' || positive === 'contains' ? starting : frequent;
      const nobody =
        kind === 'flag' ? [] : [{ share: 'nobody' as const, x: absent[kind] ?? (isOrdered ? beyond(kind)[1] : '') }];
      const usable = [...nobody, ...values].filter(({ x }) => x !== '');
      return usable.map(({ share, x }) => {
        const value = kind === 'flag' ? x === 'true' : x;
        return { share, operand: { value: takes === 'list' ? [value as string, absent[kind] ?? value] : value } };
      });
    })();
    for (const choice of list) {
      const test = isPlain ? testByHand(operator, choice.operand, kind) : undefined;
      if (test) asked.push({ choice, test });
      Object.assign(choice.operand, beside);
    }
    chosen.set(operator, list);
  }
  await countByHand(client, space, sql, asked);
  return chosen;
};
