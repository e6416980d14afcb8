// A blank text where a route must have a value is told as null is, with its place: at every leaf that any route takes, as its type says.
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { legacySchema, schema } from '../../schema/index.ts';
import type { Blank } from '../../src/input/blank.ts';
import { listSpellings } from '../../src/input/legacy-input.ts';
import { listRouteArguments } from '../../src/rest/route-arguments.ts';
import { routes } from '../../src/rest/routes/index.ts';
import { compileStoredOperations } from '../../src/rest/stored.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

/** A leaf that must have a value where the list or the object around it is sent. */
interface Leaf {
  /** From the argument; 0 is the first item of a list. */
  steps: (string | number)[];
  isText: boolean;
  blank: Blank | undefined;
}

type ListNames = (type: string, field: string) => readonly string[];

const listLeaves = (type: GraphQLInputType, listNames: ListNames, at: Leaf['steps'] = []): Leaf[] => {
  const visit = (given: GraphQLInputType, steps: Leaf['steps'], blank: Blank | undefined, above: string[]): Leaf[] => {
    const bare = getNullableType(given);
    if (isListType(bare)) return visit(bare.ofType, [...steps, 0], blank, above);
    if (!isInputObjectType(bare))
      return isNonNullType(given) && steps.length > 0
        ? [{ steps, isText: getNamedType(bare).name === 'String', blank }]
        : [];
    if (above.includes(bare.name)) return [];
    return Object.values(bare.getFields()).flatMap((field) =>
      listNames(bare.name, field.name).flatMap((name) =>
        visit(field.type, [...steps, name], bare.extensions.blank ?? blank, [...above, bare.name]),
      ),
    );
  };
  return visit(type, at, undefined, []);
};

const stored = compileStoredOperations(legacySchema);
const cases = routes.flatMap((route) =>
  Object.entries(listRouteArguments(route, stored[route.operation])).flatMap(([name, argument]) => {
    const source = route.variables[name]!;
    if (!('body' in source)) return [];
    const [first] = [source.body].flat();
    const at = first!.split('.').filter(Boolean);
    const leaves = listLeaves(argument.type, listSpellings, at);
    return leaves.map((leaf) => ({ route, name: `${route.method} ${route.path} ${leaf.steps.join('.')}`, ...leaf }));
  }),
);

const put = (body: Json, steps: Leaf['steps'], value: unknown): Json => {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (step === 0) return [put(undefined, rest, value)];
  return { ...body, [step]: put(body?.[step], rest, value) };
};

describe('a blank text where a value must be', () => {
  it('is looked for at many places', () => {
    expect(cases.length).toBeGreaterThan(30);
  });

  it.each(cases)('$name', async ({ route, steps, isText, blank }) => {
    const path = route.path.replace(/\{\w+#?\}/g, '1');
    const send = (value: unknown) => door.rest(route.method, path, put(route.example?.body, steps, value));
    const due = await send(null);
    expect(due.status).toBe(400);
    const isSkipped = blank === 'absent' && steps.at(-1) === 0;
    for (const text of ['', ' ', '\t', '\u00a0', '\u2003 \n']) {
      const { status, body } = await send(text);
      if (isSkipped) expect(status, JSON.stringify(text)).toBe(202);
      else expect([text, status], JSON.stringify(body)).toEqual([text, 400]);
      const places = (one: Json) => one.errors.map(({ location, message }: Json) => [location, !isText && message]);
      if (!isSkipped && blank) expect([text, places(body)]).toEqual([text, places(due.body)]);
    }
  });
});

const mutations = Object.values(schema.getMutationType()!.getFields()).flatMap(({ name, args }) =>
  args.flatMap((argument) =>
    listLeaves(argument.type, (_, field) => [field]).map(({ steps }) => ({ name, argument, steps })),
  ),
);

it.each(drawSample(mutations, { small: 4 }))('$name with a blank at $steps is no failure of the server', async ({
  name,
  argument,
  steps,
}) => {
  const text = `mutation ($input: ${argument.type}) { ${name}(input: $input) { __typename } }`;
  for (const blank of ['', ' ', '\t', '\u00a0']) {
    const { body } = await door.graphql(text, { input: put({}, steps, blank) });
    const codes = (body.errors ?? []).map(({ extensions }: Json) => extensions.code);
    expect(codes, JSON.stringify(body)).not.toContain('internal');
    expect(codes).not.toHaveLength(0);
  }
});
