// The scan of a JSON text must agree with the parsed value.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkJsonShape } from '../../src/http/json-shape.ts';
import type { Problem } from '../../src/problem.ts';

const [maxDepth, maxItems] = [32, 5000];

const faultsOf = (text: string, lists?: string): unknown => {
  try {
    checkJsonShape(text, 'body', lists);
    return [];
  } catch (error) {
    return (error as Problem).extensions.errors;
  }
};

/** Texts that could be mistaken for structure. */
const text = fc.oneof(
  fc.constantFrom('', ']', '[[', '}{', '"', '\\', '\\"', '\\\\', '\\"]', ',,,', 'a:b', '{"a":[', 'é\u2028😀'),
  fc.string(),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}));

const depthOf = (of: unknown): number =>
  typeof of === 'object' && of !== null ? 1 + Math.max(0, ...Object.values(of).map(depthOf)) : 0;

const indent = fc.constantFrom(0, 1);

it('the scan finds the same depth as the parsed value has', () => {
  fc.assert(
    fc.property(value, fc.integer({ min: 20, max: maxDepth }), indent, (inner, levels, spaces) => {
      const nested = Array.from({ length: levels }).reduce<unknown>((held, _, n) => (n % 2 ? [held] : { held }), inner);
      expect(faultsOf(JSON.stringify(nested, null, spaces))).toEqual(
        depthOf(nested) > maxDepth ? [{ location: 'body', message: 'must not nest deeper than 32 levels' }] : [],
      );
    }),
    { numRuns: 500 },
  );
});

/** One step down to a list: a key after another member, or an index. */
const step = fc.record({ beside: value, to: fc.oneof(fc.constantFrom('a', 'inputs', 'b c'), fc.nat({ max: 3 })) });

it('the scan finds a list that is too long where the parsed value has one', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 5 }),
      fc.constantFrom(maxItems, maxItems + 1),
      value,
      indent,
      (steps, items, item, spaces) => {
        const list: unknown = Array.from({ length: items }, (_, n) => (n === 7 ? item : n));
        const held = steps.reduceRight(
          (inner, { beside, to }) =>
            typeof to === 'number'
              ? [...Array.from({ length: to }, () => beside), inner, beside]
              : { first: beside, [to]: inner, last: beside },
          list,
        );
        const path = steps.map(({ to }) => (typeof to === 'number' ? `[${to}]` : `.${to}`)).join('');
        expect(faultsOf(JSON.stringify(held, null, spaces))).toEqual(
          items > maxItems ? [{ location: `body${path}`, message: 'must be at most 5000 items' }] : [],
        );
      },
    ),
    { numRuns: 200 },
  );
});

it('the scan accepts text that is not JSON', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'[]{}",:\\a1 ') }), (any) => {
      expect(faultsOf(any)).toEqual([]);
    }),
  );
});

it('a fault names a shortened key, whatever is sent', () => {
  const list = `[${'1,'.repeat(maxItems)}1]`;
  expect(faultsOf(`{"${'k'.repeat(10_000)}":${list}}`)).toEqual([
    { location: `body.${'k'.repeat(100)}`, message: 'must be at most 5000 items' },
  ]);
  expect(faultsOf(`{"variables":{"ids":${list}}}`, '')).toMatchObject([{ location: 'variables.ids' }]);
  expect(faultsOf(list, '')).toMatchObject([{ location: 'body' }]);
});
