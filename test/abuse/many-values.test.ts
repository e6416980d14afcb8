// Many values in one body, and long names: they are bounded on both doors, an error about them is short, and finding it takes about as long as reading them.
import { isInputObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { checkJsonShape } from '../../src/http/json-shape.ts';
import { listSpellings } from '../../src/input/legacy-input.ts';
import { limits } from '../../src/limits/limits.ts';
import { type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const { jsonFields, jsonValues, faultCharacters, bodyBytes } = limits.request;
const update = `mutation ($input: ContactUpdateFields!) { updateContact(input: $input) { contact { id } } }`.replace(
  'ContactUpdateFields',
  String(schema.getMutationType()!.getFields().updateContact!.args[0]!.type).replace('!', ''),
);
const fieldsOf = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, n]));

describe('an object with more fields than any has', () => {
  const fault = { location: expect.any(String), message: `must have at most ${jsonFields} fields` };

  it('is refused in variables', async () => {
    const { body } = await door.graphql(update, { input: fieldsOf(jsonFields + 1) });
    expect(body.errors[0].extensions.errors).toEqual([{ ...fault, location: 'variables.input' }]);
    expect((await door.graphql(update, { input: fieldsOf(jsonFields) })).body.errors[0].extensions.errors.length).toBe(
      limits.request.faults,
    );
  });

  it('is refused in a body of REST', async () => {
    const { status, body } = await door.rest('POST', '/contacts/upsert', {
      data: { contacts: [fieldsOf(jsonFields + 1)] },
    });
    expect([status, body.errors]).toEqual([400, [{ ...fault, location: 'body.data.contacts[0]' }]]);
  });
});

it('more values than any body needs are refused, wherever they are', async () => {
  const input = { tags: Array.from({ length: 60 }, () => Array.from({ length: jsonValues / 60 }, () => 1)) };
  const { body } = await door.graphql(update, { input });
  expect(body.errors[0].extensions.errors).toEqual([
    { location: 'body', message: `must have at most ${jsonValues} values` },
  ]);
});

it.each(['ContactUpsertInput', 'ContactCreateInput'])('1,000 records of every field of %s fit into a body', (name) => {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(name);
  const names = Object.keys(type.getFields()).flatMap((field) => listSpellings(name, field).slice(0, 1));
  const record = JSON.stringify(Object.fromEntries(names.map((field) => [field, null])));
  const records = Array.from({ length: Math.min(1000, Math.floor(bodyBytes / record.length)) }, () => record);
  expect(records.length * names.length).toBeGreaterThan(20_000);
  expect(() => checkJsonShape(`{"data":{"contacts":[${records.join(',')}]}}`, 'body')).not.toThrow();
});

it('a fault of a long name is short', async () => {
  const name = 'a.'.repeat(200_000);
  const { text } = await door.graphql(update, { input: { [name]: { [name]: name } } });
  expect(text.length).toBeLessThan(10 * faultCharacters);
  const rest = await door.rest('POST', '/search', { [name]: name });
  expect(rest.text.length).toBeLessThan(10 * faultCharacters);
});

it('many unknown fields in variables take about as long to refuse as one long text', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`y${n}`, fieldsOf(jsonFields)]));
  const time = async (input: object): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      await door.sql('delete from buckets').catch(() => {});
      const begun = performance.now();
      const { body } = await door.graphql(update, { input });
      times.push(performance.now() - begun);
      expect(body.errors[0].extensions.code).toBe('invalid-request');
    }
    return Math.min(...times);
  };
  const one = await time({ lastName: 'x'.repeat(JSON.stringify(unknown).length) });
  expect((await time(unknown)) / one).toBeLessThan(20);
});
