// Rules of inputs: each is checked wherever its value can stand, and inputs are passed on as they are.
import { type GraphQLInputType, getNullableType, isInputObjectType, isListType, isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import type { Context, Field, Step } from '../../src/context.ts';
import { planFaults } from '../../src/input/all-faults.ts';
import { listRules, planRules, type Ruled } from '../../src/input/rules.ts';

/** PostgreSQL cannot store it, so every rule of a text refuses it. */
const broken = 'a\0b';

/** The places of ruled texts below an input, each with a value that holds only the broken text. */
const listBrokenTexts = (input: Ruled & { type: GraphQLInputType }, depth = 0): { place: string; value: unknown }[] => {
  const type = getNullableType(input.type);
  if (isListType(type))
    return listBrokenTexts({ type: type.ofType, extensions: {} }, depth).map(({ place, value }) => ({
      place: `[0]${place}`,
      value: [value],
    }));
  if (isInputObjectType(type))
    return depth === 5
      ? []
      : Object.values(type.getFields()).flatMap((field) =>
          listBrokenTexts(field, depth + 1).map(({ place, value }) => ({
            place: `.${field.name}${place}`,
            value: { [field.name]: value },
          })),
        );
  return type.name === 'String' && listRules(input).length > 0 ? [{ place: '', value: broken }] : [];
};

const fields = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .flatMap((type) => Object.values<Field>(type.getFields()));

/** Passes arguments to a resolver that answers with them, under the rules of a field. */
const pass = async (field: Field, args: object, readFaults: Step = (next) => next): Promise<unknown> =>
  readFaults(planRules(field)!((_, given) => given))({}, args, {} as Context, {} as never);

it('a broken text is refused at each of its places', async () => {
  let count = 0;
  for (const field of fields)
    for (const argument of field.args)
      for (const { place, value } of listBrokenTexts(argument)) {
        count++;
        const unchecked = { ...field, extensions: { ...field.extensions, check: undefined } };
        const passed = pass(field, { [argument.name]: value }, planFaults(unchecked as Field));
        await expect(passed, `${field.name}(${argument.name}${place})`).rejects.toThrow(
          expect.objectContaining({
            code: 'invalid-request',
            errors: expect.arrayContaining([expect.objectContaining({ location: `${argument.name}${place}` })]),
          }),
        );
      }
  expect(count).toBeGreaterThan(500);
});

it('inputs are passed on as they are', async () => {
  const field = fields.find(({ name }) => name === 'upsertContacts')!;
  const args = { input: { contacts: [{ email: 'one@example.org' }, { id: 3, firstName: 'Ada', lastName: '' }] } };
  const sent = structuredClone(args);
  expect(await pass(field, args)).toBe(args);
  expect(args).toEqual(sent);
});
