// The search language in the graph: every attribute and operator is described; permitted conditions are accepted, others are refused with what is
// permitted.
import type { GraphQLEnumType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { allCells, forbiddenCells, forbiddenOfOpened, operators } from '../search/cells.ts';
import { queriesFor } from '../search/generate.ts';
import { createForm } from './forms.ts';
import { asGraph, condition, faults, ids } from './search-query.ts';

let door: Door;
let forms: { form: number; custom_fields: number };
beforeAll(async () => {
  door = await openApp();
  const formOf = async (kind: string): Promise<number> => (await createForm(door, { kind, type: 'TEXT' })).id;
  forms = { form: await formOf('SURVEY'), custom_fields: await formOf('CUSTOM_FIELDS') };
});

const enumOf = (name: string): GraphQLEnumType => schema.getType(name) as GraphQLEnumType;
const graphName = (name: string): string => name.replace(/[.:]/g, '_');
const attributes = [...new Set(allCells.map(({ attr }) => attr))];

describe('the names', () => {
  it('are those of the contract', () => {
    const names = (name: string): string[] =>
      enumOf(name)
        .getValues()
        .map((value) => value.name)
        .sort();
    expect(names('SearchAttribute')).toEqual(attributes.map(graphName).sort());
    expect(names('SearchOperator')).toEqual(operators.map(graphName).sort());
  });

  it('are described, each differently', () => {
    for (const name of ['SearchAttribute', 'SearchOperator', 'SearchSort']) {
      const texts = enumOf(name)
        .getValues()
        .map(({ description }) => description);
      expect(new Set(texts).size).toBe(texts.length);
      for (const text of texts) expect(text).toMatch(/^[A-Z].{3,}\.$/s);
    }
  });

  it.each(attributes)('%s lists the operators it permits', (attr) => {
    const { description } = enumOf('SearchAttribute').getValue(graphName(attr))!;
    const permitted = allCells.filter((cell) => cell.attr === attr).map(({ ope }) => graphName(ope));
    const told = /Operators: (.*)\.$/.exec(description!)![1]!.split(', ');
    expect(told.sort()).toEqual(permitted.sort());
  });
});

/** Generated conditions name forms of another population. A form of texts can read all their values. */
const withForms = (tree: Json): Json => {
  if (tree.$condition?.form_id === undefined)
    return Object.fromEntries(
      Object.entries(tree).map(([key, value]) => [key, Array.isArray(value) ? value.map(withForms) : value]),
    );
  const { form_ref_ids: _, ...condition } = tree.$condition;
  return { $condition: { ...condition, form_id: forms[condition.attr as keyof typeof forms] } };
};

describe('a permitted condition is accepted', () => {
  it.each(attributes)('%s', async (attr) => {
    for (const cell of allCells.filter((one) => one.attr === attr)) {
      const [{ query }] = queriesFor(cell, 1, 3) as [Json];
      const tree = withForms(query);
      expect({ tree, ids: await ids(door, { query: asGraph(tree) }) }).toEqual({
        tree,
        ids: await ids(door, { tree }),
      });
    }
  });
});

describe('another condition is refused, with what is permitted', () => {
  const forbidden = [...forbiddenCells, ...forbiddenOfOpened];
  it.each(attributes)('%s', async (attr) => {
    const refused = forbidden.filter((cell) => cell.attr === attr);
    const permitted = allCells.filter((cell) => cell.attr === attr).map(({ ope }) => graphName(ope));
    expect(refused.length + permitted.length).toBe(operators.length);
    const all = refused.map(({ ope }) => condition(graphName(attr), graphName(ope), { value: '1' }));
    const found = await faults(door, { query: { all } });
    expect(found).toHaveLength(refused.length);
    for (const [index, { location, message, value }] of found.entries()) {
      expect([location, value]).toEqual([`query.all[${index}].condition.operator`, refused[index]!.ope]);
      const told = message.replace(`${graphName(attr)} permits `, '').split(', ');
      expect(told.sort()).toEqual([...permitted].sort());
    }
  });
});
