// Conditions that one record satisfies together: nested in any way they find what the oracle finds, by every strategy; what is wrong in them is named at its place.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countFoundContacts, findContacts } from '../../src/data/search/find.ts';
import { createSearchPlan } from '../../src/data/search/search-plan.ts';
import type { Database } from '../../src/database/database.ts';
import { parseContactQuery } from '../../src/search/parse-contact-query.ts';
import { parseTree } from '../../src/search/parse-tree.ts';
import { chooseCount } from '../harness/sizes.ts';
import { byId, createSearchDatabase, sortIds, strategies } from './asking.ts';
import { allCells } from './cells.ts';
import { resolveContactQuery, translateCondition } from './contact-query.ts';
import { drawCondition } from './generate.ts';
import { getKind, recordField } from './oracle-attributes.ts';
import { compileRecordTest } from './oracle-conditions.ts';
import { parseMicros } from './oracle-dates.ts';
import { type Fields, getView, type Person } from './oracle-view.ts';
import { generatePopulation, now } from './population.ts';
import { type Chance, createChance, seedOf } from './random.ts';

// biome-ignore lint/suspicious/noExplicitAny: queries of any shape
type Json = any;

const seed = Number(process.env.SEARCH_SEED ?? 1);
const people = generatePopulation(seed);
const families = ['transactions', 'donations', 'memberships', 'emails', 'sanctions', 'notes', 'interactions'];

interface Drawn {
  query: Json;
  holds: (fields: Fields) => boolean;
}

const every =
  (parts: Drawn[]): Drawn['holds'] =>
  (fields) =>
    parts.every(({ holds }) => holds(fields));
const some =
  (parts: Drawn[]): Drawn['holds'] =>
  (fields) =>
    parts.some(({ holds }) => holds(fields));

/** What one record must satisfy, and whether one does. */
const drawRecord = (draw: Chance, family: string, depth: number): Drawn => {
  const cells = allCells.filter(({ attr }) => recordField(attr)?.family === family && getKind(attr) !== 'twice');
  const parts = Array.from({ length: draw.pick([0, 1, 1, 2]) }, (): Drawn => {
    const condition = drawCondition(draw, draw.pick(cells));
    const query = translateCondition(condition)[family];
    return { query, holds: compileRecordTest(condition, parseMicros(now)) };
  });
  const named = new Map(parts.map((part) => [Object.keys(part.query)[0], part]));
  const joins = depth === 0 ? [] : draw.some(['and', 'or', 'not'], draw.pick([0, 1, 1, 2]));
  const nested = joins.map((join): Drawn => {
    const inner = Array.from({ length: join === 'not' ? 1 : draw.whole(3) }, () => drawRecord(draw, family, depth - 1));
    if (join !== 'not')
      return { query: { [join]: inner.map(({ query }) => query) }, holds: (join === 'and' ? every : some)(inner) };
    return { query: { not: inner[0]!.query }, holds: (fields) => !inner[0]!.holds(fields) };
  });
  const all = [...named.values(), ...nested];
  return { query: Object.assign({}, ...all.map(({ query }) => query)), holds: every(all) };
};

const drawTogether = (draw: Chance, depth: number): { query: Json; due: (person: Person) => boolean } => {
  const family = draw.pick(families);
  const { query, holds } = drawRecord(draw, family, depth);
  const records = ({ records: all }: Person): Fields[] => all[family]!;
  const count = (person: Person): number => records(person).filter(holds).length;
  const [from, to] = [draw.whole(3), draw.whole(4)];
  return draw.pick([
    { query: { [family]: { any: query } }, due: (person: Person) => records(person).some(holds) },
    { query: { [family]: { all: query } }, due: (person: Person) => records(person).every(holds) },
    { query: { [family]: { none: query } }, due: (person: Person) => !records(person).some(holds) },
    { query: { [family]: { count: { of: query, equals: from } } }, due: (person: Person) => count(person) === from },
    { query: { [family]: { count: { of: query, notEquals: to } } }, due: (person: Person) => count(person) !== to },
    { query: { [family]: { count: { of: query, gte: from } } }, due: (person: Person) => count(person) >= from },
    { query: { [family]: { count: { lte: to, of: query } } }, due: (person: Person) => count(person) <= to },
    {
      query: { [family]: { count: { of: query, between: { from, to } } } },
      due: (person: Person) => from <= count(person) && count(person) <= to,
    },
  ]);
};

describe('conditions that one record satisfies together', () => {
  let database: Database;
  beforeAll(async () => {
    database = await createSearchDatabase(people);
  });
  afterAll(() => database.close());

  it.each([1, 2, 3])('nested %i deep find what the oracle finds, and as many as they count', async (depth) => {
    const chances = createChance(seedOf(`together ${depth}`, seed));
    const view = getView(people, 1);
    let between = 0;
    for (let round = 0; round < chooseCount(60, 200, 1500); round++) {
      const parts = Array.from({ length: chances.pick([1, 1, 2, 6]) }, () => drawTogether(chances, depth));
      const negated = chances.odds(0.3);
      const joined = chances.odds(0.5);
      const join = joined ? { and: parts.map(({ query }) => query) } : { or: parts.map(({ query }) => query) };
      const query = negated ? { not: join } : join;
      const isDue = (person: Person): boolean =>
        (joined ? parts.every(({ due }) => due(person)) : parts.some(({ due }) => due(person))) !== negated;
      const due = sortIds(view.people.filter(isDue).map(({ id }) => id));
      const plan = createSearchPlan(resolveContactQuery(query), now);
      const strategy = [...strategies, undefined][round % (strategies.length + 1)];
      const search = { plan, order: byId, words: `${depth} ${round}` };
      const options = { start: { after: null }, limit: 1000, ...(strategy && { strategy }) };
      const found = (await findContacts(database.space(1), search, options)).map(({ id }) => id);
      expect({ query, strategy, found }).toEqual({ query, strategy, found: due });
      for (const side of ['matching', 'failing'] as const)
        expect({ query, side, total: await countFoundContacts(database.space(1), search, side) }).toEqual({
          query,
          side,
          total: due.length,
        });
      if (due.length > 0 && due.length < view.people.length) between++;
    }
    expect(between).toBeGreaterThan(20);
  }, 240_000);
});

describe('faults in the graph', () => {
  const ofDonation =
    'is no attribute of one record: there are createdAt, updatedAt, transactionDate, amount, donationPriceId, paymentMethodKind';
  it.each<[query: Json, place: string, message: string]>([
    [{ donations: { any: null } }, 'donations.any', 'must be an object'],
    [{ donations: { any: { amount: null } } }, 'donations.any.amount', 'must not be null: leave it out'],
    [{ donations: { any: { or: null } } }, 'donations.any.or', 'must not be null: leave it out'],
    [{ donations: { any: { or: [null] } } }, 'donations.any.or[0]', 'must be an object'],
    [{ donations: { any: { total: { gte: 1 } } } }, 'donations.any.total', ofDonation],
    [{ donations: { any: { firstName: { equals: 'A' } } } }, 'donations.any.firstName', ofDonation],
    [{ donations: { any: {}, none: {} } }, 'donations', 'must be an object with exactly one field'],
    [{ donations: { count: { of: {} } } }, 'donations.count', 'must be an object with exactly one field'],
    [{ donations: { count: { gte: 1, lte: 2 } } }, 'donations.count', 'must have exactly one operator'],
    [{ donations: { count: { gte: 1, of: null } } }, 'donations.count.of', 'must be an object'],
    [{ donations: { any: { amount: { gte: 'x' } } } }, 'donations.any.amount.gte', 'must be a whole number'],
    [
      { donations: { any: { not: { amount: { gte: 'x' } } } } },
      'donations.any.not.amount.gte',
      'must be a whole number',
    ],
    [{ address: { any: {} } }, 'address.any', expect.stringContaining('is no attribute')],
  ])('%j', (query, place, message) => {
    const { faults } = parseContactQuery(query, '');
    expect(faults.map((fault) => [fault.location, fault.message])).toEqual([[`.${place}`, message]]);
  });

  it('nest no deeper, and are no more, than other conditions', () => {
    let deep: Json = {};
    for (let depth = 0; depth < 7; depth++) deep = { not: deep };
    const faultsOf = (query: Json): string[] => parseContactQuery(query, '').faults.map(({ message }) => message);
    expect(faultsOf({ not: { emails: { any: deep } } })).toEqual([]);
    expect(faultsOf({ not: { emails: { any: { not: deep } } } })).toEqual([
      'is too deep: and, or and not nest at most 8 levels',
    ]);
    const many = (count: number): Json => ({
      emails: { none: { and: Array.from({ length: count }, () => ({ openedAt: { exists: true } })) } },
    });
    expect(faultsOf(many(99))).toEqual([]);
    expect(faultsOf(many(100))).toEqual(['has more than 100 conditions']);
    const far = parseContactQuery({ emails: { any: { openedAt: { gte: 'now-999999y' } } } }, '');
    expect(far.relative.map(({ location }) => location)).toEqual(['.emails.any.openedAt.gte']);
  });
});

describe("faults in the contract's notation", () => {
  const place = '.$all[0].$all[0].$condition';
  const amount = { $condition: { attr: 'donations.amount', ope: 'gte', value: '1' } };
  const emails = /^must be one of donations.created_at, donations.updated_at, .*: one record has it$/;
  it.each<[condition: Json, place: string, message: string | RegExp]>([
    [{ attr: 'donations', ope: 'any', $all: [] }, '.$all', 'must not be empty'],
    [{ attr: 'donations', ope: 'any', $all: amount }, '.$all', 'must be an array'],
    [
      { attr: 'donations', ope: 'any', $all: [amount], $at_least_one: [amount] },
      '',
      'must be an object with one key, $all or $at_least_one',
    ],
    [
      { attr: 'donations', ope: 'none', $all: [{ $all: [amount] }] },
      '.$all[0]',
      'must hold a $condition: groups nest no deeper than 2 levels',
    ],
    [
      { attr: 'donations', ope: 'any', $all: [amount, { $condition: { attr: 'emails.opened_at', ope: 'ext' } }] },
      '.$all[1].$condition.attr',
      emails,
    ],
    [
      { attr: 'donations', ope: 'all', $at_least_one: [{ $condition: { attr: 'donations', ope: 'any' } }] },
      '.$at_least_one[0].$condition.attr',
      emails,
    ],
    [
      {
        attr: 'donations.count_amount',
        ope: 'gte',
        value: '1',
        $all: [{ $condition: { attr: 'surname', ope: 'ext' } }],
      },
      '.$all[0].$condition.attr',
      emails,
    ],
    [{ attr: 'donations', ope: 'eql', value: '2' }, '.ope', 'donations permits any, all, none'],
  ])('%j', (condition, below, message) => {
    const { faults } = parseTree({ $all: [{ $all: [{ $condition: condition }] }] }, '');
    expect(faults.map((fault) => [fault.location, fault.message])).toEqual([
      [place + below, typeof message === 'string' ? message : expect.stringMatching(message)],
    ]);
  });
});
