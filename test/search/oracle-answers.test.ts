// The oracle on answers to forms: the rules of §4.13 and of decisions §4, Answers, with ids by hand.
import { describe, expect, it } from 'vitest';
import { type Condition, findMatches } from './oracle.ts';
import { now } from './pools.ts';
import { createSmallPopulation } from './small.ts';

type Given = [form: number, ref: number, data: string | null];

/** Forms 1 survey/text, 2 survey/checkbox, 3 survey/numeric, 4 survey/date, 5 custom_fields/text, 6 survey/text, deleted. */
const world = (...people: Given[][]) =>
  createSmallPopulation({
    contacts: people.map(() => ({})),
    forms: [
      { kind: 'survey', type: 'text' },
      { kind: 'survey', type: 'checkbox' },
      { kind: 'survey', type: 'numeric' },
      { kind: 'survey', type: 'date' },
      { kind: 'custom_fields', type: 'text' },
      { kind: 'survey', type: 'text', deleted_at: now },
    ],
    answers: people
      .flatMap((given, index) => given.map((one) => [index + 1, ...one] as const))
      .map(([contact_id, form_id, form_ref_id, data]) => ({ contact_id, form_id, form_ref_id, data })),
  });

const asker =
  (of: ReturnType<typeof world>) =>
  (ope: string, form_id: number, rest: Partial<Condition> = {}): number[] => {
    const $condition = { attr: 'form', ope, form_id, ...rest };
    return [...findMatches(of, { $all: [{ $all: [{ $condition }] }] })].sort((a, b) => a - b);
  };

describe('answers', () => {
  const ask = asker(
    world(
      [[2, 21, 'Oui']],
      [
        [2, 21, 'oui'],
        [2, 22, 'OUI '],
      ],
      [
        [2, 21, 'oui'],
        [2, 22, 'non'],
      ],
      [[2, 22, null]],
      [],
    ),
  );
  it('are there or not for the form alone, whatever the references', () => {
    expect(ask('ext', 2)).toEqual([1, 2, 3, 4]);
    expect(ask('ext', 2, { form_ref_ids: [99] })).toEqual([1, 2, 3, 4]);
    expect(ask('not_ext', 2, { form_ref_ids: [21] })).toEqual([5]);
  });
  it('equal without a value when every listed reference is present', () => {
    expect(ask('eql', 2, { form_ref_ids: [21] })).toEqual([1, 2, 3]);
    expect(ask('eql', 2, { form_ref_ids: [21, 22] })).toEqual([2, 3]);
    expect(ask('not_eql', 2, { form_ref_ids: [21, 22] })).toEqual([1, 4, 5]);
    expect(ask('eql', 2)).toEqual([1, 2, 3, 4]);
  });
  it('equal with a value when every listed reference has such an answer', () => {
    expect(ask('eql', 2, { form_ref_ids: [21, 22], value: 'oui' })).toEqual([2]);
    expect(ask('eql', 2, { form_ref_ids: [22], value: 'NON' })).toEqual([3]);
    expect(ask('not_eql', 2, { form_ref_ids: [22], value: 'non' })).toEqual([1, 2, 4, 5]);
  });
  it('contain likewise', () => {
    expect(ask('contains', 2, { form_ref_ids: [21, 22], value: 'u' })).toEqual([2]);
    expect(ask('contains', 2, { form_ref_ids: [22], value: 'o' })).toEqual([2, 3]);
    expect(ask('not_contains', 2, { form_ref_ids: [22], value: 'o' })).toEqual([1, 4, 5]);
  });
  it('count whichever they are, without references', () => {
    expect(ask('eql', 2, { value: 'non' })).toEqual([3]);
    expect(ask('contains', 2, { value: 'OU', form_ref_ids: [] })).toEqual([1, 2, 3]);
  });
});

describe('answers in order', () => {
  it('are numbers on numeric forms; what is none does not match', () => {
    const data = ['10', '9', '-3,5', '-3.5', '1e3', 'abc', '', ' 10 ', null];
    const ask = asker(world(...data.map((one): Given[] => [[3, 31, one]])));
    expect(ask('lte', 3, { value: '9.5' })).toEqual([2, 4]);
    expect(ask('gte', 3, { value: '9' })).toEqual([1, 2, 8]);
    expect(ask('range', 3, { from: '-3.5', to: '9' })).toEqual([2, 4]);
    expect(ask('gte', 3, { value: '9', form_ref_ids: [31] })).toEqual([1, 2, 8]);
    expect(ask('gte', 3, { value: '9', form_ref_ids: [32] })).toEqual([]);
    expect(ask('eql', 3, { value: '10' })).toEqual([1, 8]);
  });
  it('are dates on forms of dates; what is none does not match', () => {
    const data = ['2026-01-31', '31/01/2026', '2026-02-30', '2026-01-31T23:59:59Z', '2026-02-01', '', 'now'];
    const ask = asker(world(...data.map((one): Given[] => [[4, 41, one]])));
    expect(ask('lte', 4, { value: '2026-01-31' })).toEqual([1, 4]);
    expect(ask('gte', 4, { value: '2026-01-31T00:00:01Z' })).toEqual([4, 5]);
    expect(ask('range', 4, { from: 'now-1y', to: 'now' })).toEqual([1, 4, 5]);
  });
  it('are folded text elsewhere; what is blank does not match', () => {
    const ask = asker(world([[1, 11, 'Éclair']], [[1, 11, 'foin']], [[1, 11, ' ']], [[1, 11, '10']], [[1, 11, '9']]));
    expect(ask('lte', 1, { value: 'ECLAIR' })).toEqual([1, 4, 5]);
    expect(ask('gte', 1, { value: 'eclaire' })).toEqual([2]);
    expect(ask('range', 1, { from: '1', to: '8' })).toEqual([4]);
  });
});

describe('the form', () => {
  const of = world([[1, 11, 'a']], [[5, 51, 'a']], [[6, 61, 'a']], []);
  const ask = asker(of);
  it('is a custom field for custom_fields, and of any other kind for form', () => {
    expect(ask('ext', 1)).toEqual([1]);
    expect(ask('ext', 5)).toEqual([]);
    expect(ask('not_ext', 5)).toEqual([1, 2, 3, 4]);
    expect(ask('ext', 5, { attr: 'custom_fields' })).toEqual([2]);
    expect(ask('ext', 1, { attr: 'custom_fields' })).toEqual([]);
    expect(ask('not_eql', 5, { attr: 'custom_fields', value: 'A' })).toEqual([1, 3, 4]);
  });
  it('that is deleted or unknown has no answers', () => {
    expect(ask('ext', 6)).toEqual([]);
    expect(ask('not_eql', 6, { value: 'a' })).toEqual([1, 2, 3, 4]);
    expect(ask('not_ext', 999)).toEqual([1, 2, 3, 4]);
  });
});
