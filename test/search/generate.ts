// A deterministic generator of searches: valid bodies that exercise a cell alone and among others, and bodies that must be refused.
import { allCells, type Cell, forbiddenCells, forbiddenOfOpened } from './cells.ts';
import { drawDate, drawDateRange, drawOperand, drawRange, drawText } from './generate-values.ts';
import type { AdvancedSearch, Condition, Group, Query } from './oracle.ts';
import { getKind, recordField } from './oracle-attributes.ts';
import * as pools from './pools.ts';
import { type FormPlan, forms, getAnswerPool, listRefs } from './population-answers.ts';
import { type Chance, createChance, seedOf } from './random.ts';

export const sorts = [
  ...(['surname', 'firstname', 'birthdate', 'gender', 'lastchange', 'mail', 'married_name', 'city'] as const),
];

/** Mostly a form of the attribute's own kinds. If the type does not matter, now and then one of another kind, a deleted one or an unknown one. */
const formFor = (draw: Chance, { attr, ope }: Cell): FormPlan => {
  const own = (form: FormPlan) => (form.kind === 'custom_fields') === (attr === 'custom_fields');
  const typed = ['lte', 'gte', 'range'].includes(ope);
  if (typed || draw.odds(0.84)) return draw.pick(forms.filter((form) => own(form) && !form.deleted));
  if (draw.odds(0.5)) return draw.pick(forms.filter((form) => own(form) && form.deleted));
  return draw.odds(0.8) ? draw.pick(forms.filter((form) => !own(form))) : { ...forms[2]!, id: 999 };
};

const answerOperand = (draw: Chance, cell: Cell): object => {
  const form = formFor(draw, cell);
  const refs = [...listRefs(form), ...(draw.odds(0.04) ? listRefs(draw.pick(forms)) : [])];
  const count = draw.pick([0, 0, 1, 1, 1, 2]);
  const asked = {
    form_id: form.id,
    ...((count > 0 || draw.odds(0.3)) && { form_ref_ids: draw.some(refs, count) }),
  };
  const { ope } = cell;
  if (ope.endsWith('ext')) return asked;
  if (/eql|contains/.test(ope)) {
    if (ope.endsWith('eql') && draw.odds(0.35)) return asked;
    const pool = getAnswerPool(form.type).filter((data) => data.trim() !== '');
    return { ...asked, value: drawText(draw, pool, ope) };
  }
  const attr = `${form.type} answer`;
  if (form.type === 'date')
    return { ...asked, ...(ope === 'range' ? drawDateRange(draw, attr) : { value: drawDate(draw, attr) }) };
  const numeric = form.type === 'numeric';
  const make = () =>
    numeric ? draw.pick(['9', '10', '-3.5', '0', '9.99', '100', '-10.5', '10.0', '7']) : draw.pick(pools.words);
  return { ...asked, ...(ope === 'range' ? drawRange(draw, make, numeric ? Number : String) : { value: make() }) };
};

/** Conditions that one record must satisfy together; none now and then. */
const drawTogether = (draw: Chance, attr: string): object => {
  const family = attr.split('.')[0]!;
  const cells = allCells.filter((cell) => recordField(cell.attr)?.family === family && getKind(cell.attr) !== 'twice');
  const conditions = Array.from({ length: draw.pick([0, 1, 1, 2, 2, 3]) }, () => drawCondition(draw, draw.pick(cells)));
  return conditions.length > 0 ? groupOf(draw, conditions) : {};
};

const drawAsked = (draw: Chance, cell: Cell): object => {
  const { attr, ope } = cell;
  const kind = getKind(attr);
  if (kind === 'answer') return answerOperand(draw, cell);
  if (kind === 'record') return drawTogether(draw, attr);
  if (kind === 'count') return { ...drawOperand(draw, attr, ope), ...(draw.odds(0.5) && drawTogether(draw, attr)) };
  if (kind !== 'consent') return drawOperand(draw, attr, ope);
  const form = draw.pick(draw.odds(0.7) ? forms.filter((one) => one.kind === 'consent') : forms);
  const asked = {
    form_id: form.id,
    ...(draw.odds(0.6) && { form_ref_ids: draw.some(listRefs(form), draw.pick([1, 1, 2])) }),
  };
  if (ope.endsWith('ext')) return asked;
  if (ope === 'within') return { ...asked, value: draw.pick(pools.periods) };
  return { ...asked, ...(ope === 'range' ? drawDateRange(draw, attr) : { value: drawDate(draw, attr) }) };
};

export const drawCondition = (draw: Chance, cell: Cell): Condition => ({
  attr: cell.attr,
  ope: cell.ope,
  ...drawAsked(draw, cell),
});

const all = (draw: Chance): '$all' | '$at_least_one' => (draw.odds(0.5) ? '$all' : '$at_least_one');

const groupOf = (draw: Chance, conditions: Condition[]): Group =>
  ({ [all(draw)]: conditions.map(($condition) => ({ $condition })) }) as Group;

const queryOf = (draw: Chance, groups: Group[]): Query => ({ [all(draw)]: groups }) as Query;

const nested = (draw: Chance, cell: Cell): Query => {
  const others = (count: number) => Array.from({ length: count }, () => drawCondition(draw, draw.pick(allCells)));
  const own = draw.shuffle([drawCondition(draw, cell), ...others(draw.pick([0, 1, 1, 2]))]);
  const groups = Array.from({ length: draw.pick([0, 1, 1, 2]) }, () => groupOf(draw, others(1 + draw.whole(3))));
  return queryOf(draw, draw.shuffle([groupOf(draw, own), ...groups]));
};

const frame = (draw: Chance): AdvancedSearch => ({
  per_page: draw.pick([1, 2, 7, 25, 100, 299, 300, 1000, 1000, 1000, 1 + draw.whole(1000)]),
  ...(draw.odds(0.35) && { page: draw.pick([0, 0, 1, 1, 2, 3, 40, 1_000_000]) }),
  ...(draw.odds(0.75) && { sort_attr: draw.pick(sorts) }),
  ...(draw.odds(0.7) && { sort_asc: draw.odds(0.5) }),
});

/** Groups of up to nine conditions on one table, whose rows are read once for all of them, alone and within other groups. */
export const generateSiblingSearches = (seed: number, count: number): AdvancedSearch[] => {
  const tables = [
    /^(address\.(?!city|postalcode)|birthc|nationality)/,
    /^transactions\./,
    /^memberships\./,
    /^emails\./,
    /^sanctions\./,
    /^(donations|emails|memberships)(\.|$)/,
    /^(notes|interactions)(\.|$)/,
    /^(opted_out_at|consented_at)$/,
  ];
  return Array.from({ length: count }, (_, index) => {
    const draw = createChance(seedOf(`siblings ${index}`, seed));
    const cells = allCells.filter(({ attr }) => tables[draw.odds(0.5) ? 0 : index % tables.length]!.test(attr));
    const conditions = (most: number) =>
      Array.from({ length: 1 + draw.whole(most) }, () => drawCondition(draw, draw.pick(cells)));
    const groups = draw.odds(0.5)
      ? [groupOf(draw, conditions(9))]
      : Array.from({ length: 2 + draw.whole(6) }, () => groupOf(draw, conditions(draw.pick([1, 1, 3]))));
    return { ...frame(draw), query: queryOf(draw, groups) };
  });
};

/** The same bodies for the same arguments; one in three asks the cell alone. */
export const generateSearches = (cell: Cell, count: number, seed: number): AdvancedSearch[] =>
  Array.from({ length: count }, (_, index) => {
    const draw = createChance(seedOf(`${cell.attr} ${cell.ope} ${index}`, seed));
    const query = index % 3 === 0 ? queryOf(draw, [groupOf(draw, [drawCondition(draw, cell)])]) : nested(draw, cell);
    return { ...frame(draw), query };
  });

/** Every order there is over everybody, in pages; and the widest query there may be. */
export const generatePlainSearches = (seed: number): AdvancedSearch[] => {
  const draw = createChance(seedOf('plain', seed));
  // Those that hold further conditions would make it too wide.
  const cells = allCells.filter(({ attr }) => !['record', 'count'].includes(getKind(attr)));
  const wide = Array.from({ length: 100 }, () => ({ $condition: drawCondition(draw, draw.pick(cells)) }));
  const pages = [undefined, ...sorts].flatMap((sort_attr) =>
    [undefined, true, false].flatMap((sort_asc) =>
      [undefined, { $all: [] }].flatMap((query) =>
        [0, 1, 2, 3].map((page) => ({
          per_page: draw.pick([97, 100, 150]),
          page,
          ...(sort_attr && { sort_attr }),
          ...(sort_asc !== undefined && { sort_asc }),
          ...(query && { query }),
        })),
      ),
    ),
  );
  return [
    ...pages,
    { per_page: 1000, query: { $all: [{ $at_least_one: wide }] } },
    { per_page: 1000, query: { $at_least_one: wide.map((one) => ({ $all: [one] })) } },
  ];
};

/** An operand that only the cell itself can be at fault for. */
const plainOperand = (attr: string, ope: string): object => {
  const value = {
    text: 'a',
    texts: 'a',
    phone: '06',
    money: '1',
    count: '1',
    decimal: '1.5',
    whole: 1,
    wholes: 1,
    flag: true,
    years: '2026',
    moment: '2026-01-31',
    day: '2026-01-31',
    twice: '2026',
    validity: 'ongoing',
    answer: '1',
    consent: '2026-01-31',
    record: undefined,
    circle: { km: 1, postal_code: '75001' },
    area: {
      polygon: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    },
  }[getKind(attr)];
  const forms: Record<string, number> = { form: 6, custom_fields: 3, consented_at: 7 };
  const form = attr in forms ? { form_id: forms[attr] } : {};
  if (ope.endsWith('ext')) return form;
  if (ope === 'range') return { ...form, from: value, to: value };
  if (ope === 'period') return { ...form, value: '01-01/12-31' };
  if (ope === 'within') return { ...form, value: 'this_year' };
  return { ...form, value: /_of$/.test(ope) ? [value] : value };
};

const refused = (cells: Cell[]): AdvancedSearch[] =>
  cells.map(({ attr, ope }) => ({
    per_page: 10,
    query: { $all: [{ $all: [{ $condition: { attr, ope, ...plainOperand(attr, ope) } }] }] },
  }));

/** The contract's forbidden cells but for those that decisions §4 opens: each must be a 400 that names attribute and operator. */
export const generateForbidden = (): AdvancedSearch[] => refused(forbiddenCells);
/** The like for the attributes that only decisions §4 knows. */
export const generateForbiddenBeyond = (): AdvancedSearch[] => refused(forbiddenOfOpened);
