// What counts as coercible is what graphql-js coerces: random JSON for each input type of the schema.
import fc, { type Arbitrary } from 'fast-check';
import {
  coerceInputValue,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { fits } from '../../src/graphql/find-faults.ts';

const texts = ['', 'x', '1', 'Contact:1', '2024-02-29', '2024-02-29T10:00:00Z', '12.50', '__proto__'];
const anything = fc.oneof(
  fc.constantFrom<unknown>(...texts, null, true, 0, 1, -1.5, 2 ** 40, [], {}),
  fc.jsonValue({ maxDepth: 2 }),
);

/** JSON for a type: mostly what fits, and now and then something else at each place. */
const drawFor = (type: GraphQLInputType, depth = 0): Arbitrary<unknown> => {
  if (isNonNullType(type)) return drawFor(type.ofType, depth);
  const mostly = (likely: Arbitrary<unknown>): Arbitrary<unknown> =>
    fc.oneof({ arbitrary: likely, weight: 30 }, { arbitrary: anything, weight: 1 });
  if (isListType(type)) {
    const item = drawFor(type.ofType, depth + 1);
    return mostly(fc.oneof(fc.array(item, { maxLength: 3 }), item));
  }
  if (isEnumType(type)) return mostly(fc.constantFrom(...type.getValues().map(({ name }) => name)));
  if (!isInputObjectType(type)) return mostly(fc.constantFrom<unknown>(...texts, true, 0, 7, 1.5));
  if (depth > 4) return fc.constant({});
  const fields = Object.values(type.getFields());
  const named = (name: string, value: Arbitrary<unknown>) => value.map((one) => [name, one] as const);
  const member = fc.oneof(
    {
      arbitrary: fc.constantFrom(...fields).chain((field) => named(field.name, drawFor(field.type, depth + 1))),
      weight: 40,
    },
    { arbitrary: named('nope', anything), weight: 1 },
  );
  const required = fields.filter((field) => isNonNullType(field.type));
  return mostly(
    fc
      .tuple(
        fc.tuple(...required.map((field) => named(field.name, drawFor(field.type, depth + 1)))),
        fc.array(member, { minLength: type.isOneOf ? 1 : 0, maxLength: type.isOneOf ? 1 : 3 }),
        fc.constantFrom(0, 0, 0, 0, 1),
      )
      .map(([given, more, left]) => Object.fromEntries([...given.slice(left), ...more])),
  );
};

const isCoercible = (value: unknown, type: GraphQLInputType): boolean => {
  let faults = 0;
  coerceInputValue(value, type, () => faults++);
  return faults === 0;
};

describe('a value', () => {
  it('fits its type when graphql-js coerces it', { timeout: 120_000 }, () => {
    const verdicts = { true: 0, false: 0 };
    for (const type of Object.values(schema.getTypeMap()))
      if (isInputType(type))
        fc.assert(
          fc.property(drawFor(type), (value) => {
            const expected = isCoercible(value, type);
            verdicts[`${expected}`]++;
            expect([type.name, fits(value, type)]).toEqual([type.name, expected]);
          }),
          { numRuns: 60 },
        );
    expect(verdicts.true).toBeGreaterThan(2000);
    expect(verdicts.false).toBeGreaterThan(2000);
  });
});
