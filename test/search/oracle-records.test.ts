// The oracle on records: at least one that satisfies the operator, sums and counts, memberships, e-mails, sanctions, with ids by hand.
import { describe, expect, it } from 'vitest';
import { type Condition, findMatches } from './oracle.ts';
import { now } from './pools.ts';
import type { Population } from './rows.ts';
import { createContactsWithRecords } from './small.ts';

const ids = (world: Population, ...conditions: Condition[]): number[] =>
  [...findMatches(world, { $all: [{ $all: conditions.map(($condition) => ({ $condition })) }] })].sort((a, b) => a - b);
const ask = (world: Population, attr: string, ope: string, value?: unknown, to?: unknown): number[] =>
  ids(world, { attr, ope, ...(to !== undefined ? { from: value, to } : value !== undefined && { value }) });

describe('a record', () => {
  const world = createContactsWithRecords('transactions', [
    [{ code_campaign: 'Noël', status_id: 1 }],
    [{ code_campaign: 'NOEL' }, { code_campaign: 'été_1', status_id: 2 }],
    [{ code_campaign: null }, { code_campaign: ' ' }],
    [],
    [{ code_campaign: 'noel', deleted_at: now }],
  ]);
  it('must be there of which the operator holds, and differing wants a value', () => {
    expect(ask(world, 'transactions.code_campaign', 'eql', 'noel')).toEqual([1, 2]);
    expect(ask(world, 'transactions.code_campaign', 'not_eql', 'noel')).toEqual([2]);
    expect(ask(world, 'transactions.code_campaign', 'not_contains', 'oe')).toEqual([2]);
    expect(ask(world, 'transactions.code_campaign', 'not_start_with', 'ete')).toEqual([1, 2]);
    expect(ask(world, 'transactions.code_campaign', 'contains', '_')).toEqual([2]);
    expect(ask(world, 'transactions.code_campaign', 'ext')).toEqual([1, 2]);
    expect(ask(world, 'transactions.code_campaign', 'not_ext')).toEqual([3]);
    expect(ask(world, 'transactions.status_id', 'not_eql', 1)).toEqual([2]);
  });
  it('need not be the same for two conditions', () => {
    const code = (ope: string, value: string): Condition => ({ attr: 'transactions.code_campaign', ope, value });
    expect(ids(world, code('eql', 'noel'), code('start_with', 'ete'))).toEqual([2]);
  });
  it('has a day and an instant', () => {
    const dated = createContactsWithRecords('transactions', [
      [{ date: '2024-02-29T23:59:59.999999Z' }],
      [{ date: '2024-03-01T00:00:00Z' }],
      [],
    ]);
    expect(ask(dated, 'transactions.date', 'eql', '2024-02-29')).toEqual([1]);
    expect(ask(dated, 'transactions.date', 'not_eql', '2024-02-29')).toEqual([2]);
    expect(ask(dated, 'transactions.date', 'gte', '2024-02-29T23:59:59.999999Z')).toEqual([1, 2]);
    expect(ask(dated, 'transactions.date', 'range', '2024-02-01', '2024-02-29')).toEqual([1]);
  });
});

describe('amounts', () => {
  const world = createContactsWithRecords('transactions', [
    [{ amount: 9990 }],
    [{ amount: 5000 }, { amount: -5000 }],
    [],
    [{ amount: 10000 }, { amount: 1, deleted_at: now }],
    [{ amount: -1 }],
  ]);
  it('are decimal euros', () => {
    expect(ask(world, 'transactions.amount', 'eql', '99.90')).toEqual([1]);
    expect(ask(world, 'transactions.amount', 'eql', '99.9')).toEqual([1]);
    expect(ask(world, 'transactions.amount', 'gte', '50')).toEqual([1, 2, 4]);
    expect(ask(world, 'transactions.amount', 'lte', '-0.01')).toEqual([2, 5]);
    expect(ask(world, 'transactions.amount', 'not_eql', '50')).toEqual([1, 2, 4, 5]);
    expect(ask(world, 'transactions.amount', 'range', '-0.01', '99.90')).toEqual([1, 2, 5]);
    expect(() => ask(world, 'transactions.amount', 'eql', '1.005')).toThrow();
    expect(() => ask(world, 'transactions.amount', 'eql', 100)).toThrow();
  });
  it('sum to 0 and count 0 over no records', () => {
    expect(ask(world, 'transactions.sum_amount', 'lte', '0')).toEqual([2, 3, 5]);
    expect(ask(world, 'transactions.sum_amount', 'eql', '0')).toEqual([2, 3]);
    expect(ask(world, 'transactions.sum_amount', 'not_eql', '0.00')).toEqual([1, 4, 5]);
    expect(ask(world, 'transactions.sum_amount', 'eql', '100')).toEqual([4]);
    expect(ask(world, 'transactions.count_amount', 'eql', '0')).toEqual([3]);
    expect(ask(world, 'transactions.count_amount', 'range', '1', '1')).toEqual([1, 4, 5]);
    expect(ask(world, 'donations.count_amount', 'lte', '0')).toEqual([1, 2, 3, 4, 5]);
  });
  it('keep their cents where a float would not', () => {
    const huge = createContactsWithRecords('donations', [
      [{ amount: 9007199254740991 }, { amount: 2 }],
      [{ amount: 9007199254740991 }],
    ]);
    expect(ask(huge, 'donations.sum_amount', 'eql', '90071992547409.93')).toEqual([1]);
    expect(ask(huge, 'donations.amount', 'eql', '90071992547409.91')).toEqual([1, 2]);
  });
});

describe('memberships', () => {
  const world = createContactsWithRecords('memberships', [
    [{ start_date: '2025-12-31', end_date: '2026-01-01' }],
    [{ start_date: '2026-12-31', end_date: null }],
    [
      { start_date: '2025-01-01', end_date: '2025-12-31' },
      { start_date: '2025-06-01', end_date: '2027-05-31' },
    ],
    [],
  ]);
  it('are active in a year on at least one day of it', () => {
    expect(ask(world, 'memberships.period', 'eql', '2026')).toEqual([1, 2, 3]);
    expect(ask(world, 'memberships.period', 'eql', '2025')).toEqual([1, 3]);
    expect(ask(world, 'memberships.period', 'eql', '2030')).toEqual([2]);
    expect(ask(world, 'memberships.period', 'not_eql', '2026')).toEqual([3]);
    expect(ask(world, 'memberships.period', 'lte', '2025')).toEqual([1, 3]);
    expect(ask(world, 'memberships.period', 'gte', '2027')).toEqual([2, 3]);
    expect(ask(world, 'memberships.period', 'range', '2027', '2029')).toEqual([2, 3]);
    expect(ask(world, 'memberships.period', 'range', '2027', '2026')).toEqual([]);
  });
  it('are multiple in a year when two or more are active in it', () => {
    expect(ask(world, 'memberships.multiple_in_period', 'eql', '2025')).toEqual([3]);
    expect(ask(world, 'memberships.multiple_in_period', 'eql', '2026')).toEqual([]);
  });
  it('that are open-ended have no end date to compare', () => {
    expect(ask(world, 'memberships.end_date', 'not_eql', '2026-01-01')).toEqual([3]);
    expect(ask(world, 'memberships.end_date', 'gte', '2026-01-01')).toEqual([1, 3]);
    expect(ask(world, 'memberships.end_date', 'lte', 'now')).toEqual([1, 3]);
  });
});

describe('e-mails', () => {
  const world = createContactsWithRecords(
    'emails',
    [
      [{ campaign_id: 1, clicked_urls: ['https://a.org', 'https://b.org'], opened_at: now, type: 'test' }],
      [{ campaign_id: 2, clicked_urls: [] }],
      [],
      [
        { campaign_id: 3, type: '' },
        { type: 'Test', user_id: 4 },
      ],
      [{ opened_at: now, deleted_at: now }],
    ],
    {
      templates: [{ name: 'Sobre' }, { name: 'Élégant', deleted_at: now }],
      campaigns: [
        { template_id: 1, name: 'Noël', subject: 'Vœux', is_successful: true, performance_rating: 50 },
        { template_id: 2, name: '50%', sender: 'a@b.fr', is_successful: false, goal: 'don' },
        { template_id: 1, name: 'Noël', subject: 'x', deleted_at: now, performance_rating: 100 },
      ],
    },
  );
  it('match neither ext nor not_ext where there are none', () => {
    expect(ask(world, 'emails.opened_at', 'ext')).toEqual([1]);
    expect(ask(world, 'emails.opened_at', 'not_ext')).toEqual([2, 4]);
    expect(ask(world, 'emails.created_at', 'ext')).toEqual([1, 2, 4]);
    expect(ask(world, 'emails.created_at', 'not_ext')).toEqual([]);
    expect(ask(world, 'emails.type', 'eql', 'TEST')).toEqual([1, 4]);
    expect(ask(world, 'emails.type', 'not_eql', 'other')).toEqual([1, 4]);
    expect(ask(world, 'emails.user_id', 'eql', '4')).toEqual([4]);
  });
  it('have what their campaign and its template have, unless these are deleted', () => {
    expect(ask(world, 'emails.campaign_name', 'start_with', 'noel')).toEqual([1]);
    expect(ask(world, 'emails.subject', 'contains', 'oeu')).toEqual([1]);
    expect(ask(world, 'emails.subject', 'not_ext')).toEqual([2, 4]);
    expect(ask(world, 'emails.template_name', 'ext')).toEqual([1]);
    expect(ask(world, 'emails.template_id', 'ext')).toEqual([1, 2]);
    expect(ask(world, 'emails.campaign_id', 'eql', 3)).toEqual([4]);
    expect(ask(world, 'emails.campaign_is_successful', 'not_eql', true)).toEqual([2]);
    expect(ask(world, 'emails.campaign_performance_rating', 'gte', 50)).toEqual([1]);
    expect(ask(world, 'emails.campaign_goal', 'not_eql', 'x')).toEqual([2]);
  });
  it('are asked for any of the addresses clicked, and in the negative for none of them', () => {
    expect(ask(world, 'emails.clicked_urls', 'eql', 'HTTPS://A.org')).toEqual([1]);
    expect(ask(world, 'emails.clicked_urls', 'contains', 'b.o')).toEqual([1]);
    expect(ask(world, 'emails.clicked_urls', 'not_eql', 'https://a.org')).toEqual([]);
    expect(ask(world, 'emails.clicked_urls', 'not_eql', 'https://c.org')).toEqual([1]);
    expect(ask(world, 'emails.clicked_urls', 'ext')).toEqual([1]);
    expect(ask(world, 'emails.clicked_urls', 'not_ext')).toEqual([2, 4]);
  });
});

describe('sanctions', () => {
  const before = '2026-11-21T12:34:56.789011Z';
  const after = '2026-11-21T12:34:56.789013Z';
  const world = createContactsWithRecords('sanctions', [
    [{ start_date: before, end_date: after, status: 'Blâme' }],
    [{ start_date: null, end_date: null }],
    [{ start_date: null, end_date: now }],
    [{ start_date: null, end_date: before }],
    [{ start_date: after, end_date: null }],
    [{ start_date: now, end_date: null, status: 'exclusion' }],
    [],
  ]);
  it('are ongoing once started and not ended, ended once the end is past', () => {
    expect(ask(world, 'sanctions.validity', 'eql', 'ongoing')).toEqual([1, 2, 3, 6]);
    expect(ask(world, 'sanctions.validity', 'eql', 'ended')).toEqual([4]);
  });
  it('without an end match not_ext, which those without a sanction do not', () => {
    expect(ask(world, 'sanctions.end_date', 'not_ext')).toEqual([2, 5, 6]);
    expect(ask(world, 'sanctions.end_date', 'ext')).toEqual([1, 3, 4]);
    expect(ask(world, 'sanctions.end_date', 'not_eql', now)).toEqual([1, 4]);
    expect(ask(world, 'sanctions.status', 'not_eql', 'blame')).toEqual([6]);
    expect(ask(world, 'sanctions.status', 'not_contains', 'sion')).toEqual([1]);
  });
});
