// The operators of the search language (spec §4.13): the meaning of each, and the operands that it takes.

interface OperatorRow {
  /** Nothing, one value, a list, `from` and `to`, a span of time, conditions on one record, or a place. */
  takes: 'nothing' | 'value' | 'list' | 'range' | 'period' | 'conditions' | 'place';
  /** The operator of which this one is the negation. The source of an attribute decides what the negation means. */
  negates?: Operator;
  doc: string;
}

export type Operator =
  | 'eql'
  | 'not_eql'
  | 'ext'
  | 'not_ext'
  | 'lte'
  | 'gte'
  | 'range'
  | 'contains'
  | 'not_contains'
  | 'start_with'
  | 'not_start_with'
  | 'eql:strictdata'
  | 'not_eql:strictdata'
  | 'any_of'
  | 'none_of'
  | 'all_of'
  | 'period'
  | 'within'
  | 'any'
  | 'all'
  | 'none'
  | 'inside'
  | 'not_inside';

export const operators: Record<Operator, OperatorRow> = {
  eql: { takes: 'value', doc: 'equals; text without regard to case, accents and surrounding space' },
  not_eql: { takes: 'value', negates: 'eql', doc: 'does not equal' },
  ext: { takes: 'nothing', doc: 'has a value' },
  not_ext: { takes: 'nothing', negates: 'ext', doc: 'has no value' },
  lte: { takes: 'value', doc: 'is at most; a date alone includes its whole day' },
  gte: { takes: 'value', doc: 'is at least' },
  range: { takes: 'range', doc: 'is between `from` and `to`, both included' },
  contains: { takes: 'value', doc: 'contains the text' },
  not_contains: { takes: 'value', negates: 'contains', doc: 'does not contain the text' },
  start_with: { takes: 'value', doc: 'starts with the text' },
  not_start_with: { takes: 'value', negates: 'start_with', doc: 'does not start with the text' },
  'eql:strictdata': { takes: 'value', doc: 'equals to the letter' },
  'not_eql:strictdata': { takes: 'value', negates: 'eql:strictdata', doc: 'does not equal to the letter' },
  any_of: { takes: 'list', doc: 'is one of the list, or has one of it' },
  none_of: { takes: 'list', negates: 'any_of', doc: 'is none of the list, or has none of it' },
  all_of: { takes: 'list', doc: 'has all of the list' },
  period: {
    takes: 'range',
    doc: 'falls in this part of the year: `MM-DD/MM-DD`, both ends included, wrapping over New Year',
  },
  within: {
    takes: 'period',
    doc: 'falls in this span of time, such as `this_year`, `previous_month` or `last_90_days`',
  },
  any: { takes: 'conditions', doc: 'at least one record satisfies the conditions' },
  all: { takes: 'conditions', doc: 'every record satisfies the conditions, also where there is no record' },
  none: { takes: 'conditions', negates: 'any', doc: 'no record satisfies the conditions' },
  inside: { takes: 'place', doc: 'lies there' },
  not_inside: { takes: 'place', negates: 'inside', doc: 'does not lie there, or has no coordinates' },
};

export const isOperatorName = (name: unknown): name is Operator =>
  typeof name === 'string' && Object.hasOwn(operators, name);

/** The operator without its negation, and whether it was negated. */
export const splitNegation = (operator: Operator): [Operator, boolean] => {
  const { negates } = operators[operator];
  return negates ? [negates, true] : [operator, false];
};
