// The search language in the graph: every attribute has the operators that it permits, described; these are accepted, others are refused with what is
// permitted.
import { readFileSync } from 'node:fs';
import { type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { type AttributeName, asksForForm, getAttribute, getPlaceKind } from '../../src/search/attributes.ts';
import { fieldTree, getFieldPath, operatorFields } from '../../src/search/field-names.ts';
import { parseContactQuery } from '../../src/search/parse-contact-query.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import { listPlaces, putValue } from '../search/canaries.ts';
import { allCells, forbiddenCells, forbiddenOfOpened } from '../search/cells.ts';
import { generateSearches } from '../search/generate.ts';
import { segmentTrees } from '../search/segments.ts';
import { createForm } from './forms.ts';
import { faults, ids, idsByTree, translateQuery } from './search-query.ts';

let door: Door;
let forms: { form: number; custom_fields: number; consented_at: number };
beforeAll(async () => {
  door = await openApp();
  const formOf = async (kind: string): Promise<number> => (await createForm(door, { kind, type: 'TEXT' })).id;
  await door.sql(
    `insert into segments (group_id, id, name, query) select 1, n, 'Segment ' || n, '{"gender": {"equals": "F"}}' from unnest(?::bigint[]) n
     on conflict do nothing`,
    [[...segmentTrees.keys()]],
  );
  forms = {
    form: await formOf('SURVEY'),
    custom_fields: await formOf('CUSTOM_FIELDS'),
    consented_at: await formOf('CONSENT'),
  };
});

const attributes = [...new Set(allCells.map(({ attr }) => attr))] as AttributeName[];
const inputOf = (name: string): GraphQLInputObjectType => schema.getType(name) as GraphQLInputObjectType;
/** The input of a condition: conditions on answers have it below `value`. */
const conditionOf = (attr: AttributeName): GraphQLInputObjectType => {
  const below = (type: GraphQLInputObjectType, field: string): GraphQLInputObjectType =>
    getNamedType(type.getFields()[field]!.type) as GraphQLInputObjectType;
  const type = getFieldPath(attr).split('.').reduce(below, inputOf('ContactQuery'));
  if (getAttribute(attr).kind === 'record') return type;
  return type.name.endsWith('Condition') ? type : below(type, 'value');
};

/** A currency, and what says which records are counted, stand beside the operators; the attributes of a record beside those of its family. */
const listOperatorFields = (attr: AttributeName): string[] =>
  Object.keys(conditionOf(attr).getFields()).filter(
    (field) =>
      !['currency', 'of'].includes(field) &&
      !(getAttribute(attr).kind === 'record' && (fieldTree.get(attr) as Map<string, unknown>).has(field)),
  );

describe('the fields', () => {
  it('are those of contacts and of their records', () => {
    const names = (name: string): string => Object.keys(inputOf(name).getFields()).join(' ');
    expect(names('ContactQuery')).toBe(
      'accountId actionId actions address ageCategory and answer birthCity birthCountry birthDate birthDepartment consentedAt createdAt ' +
        'customField donations email ' +
        'emails externalId firstName gender id interactions lastChangedAt lastChangedById lastName marriedName memberships mobile ' +
        'mobileInvalid nationality ' +
        'not notes optedOut optedOutAt or phone phoneInvalid sanctions segment tags transactions updatedAt',
    );
    expect(names('AddressQuery')).toBe(
      'addition building city cityCode country county details door floor houseNumber invalidReason latitude location longitude near ' +
        'pollingStation postalCode score state street within',
    );
    expect(names('TransactionsQuery')).toBe(
      'all amount any codeCampaign count createdAt date none paymentMethodKind statusId total updatedAt',
    );
    expect(names('MembershipsQuery')).toBe(
      'all amount any count createdAt endDate membershipPriceId none severalInYear startDate transactionDate updatedAt year',
    );
    expect(names('EmailCondition')).toBe(
      'equals equalsExactly exists notEquals notEqualsExactly notStartsWith startsWith',
    );
    expect(names('TagsCondition')).toBe('equals exists hasAll in notEquals notIn');
  });

  it('have exactly one value, and the SDL says so', () => {
    const types = Object.values(schema.getTypeMap()).filter(isInputObjectType);
    const conditions = types.filter(({ name }) => /Condition$/.test(name));
    expect(conditions.length).toBe(
      attributes.filter((attr) => getAttribute(attr).kind !== 'record' && !getPlaceKind(attr)).length,
    );
    // A currency may stand beside the operator of an amount, and what says which records are counted beside that of a number.
    for (const type of [...conditions, inputOf('ContactQuery'), inputOf('EmailsQuery')])
      expect([type.name, type.isOneOf]).toEqual([
        type.name,
        !('currency' in type.getFields() || 'of' in type.getFields()),
      ]);
    expect(readFileSync('schema/schema.graphql', 'utf8')).toContain('input ContactQuery @oneOf {');
  });

  it('are described', () => {
    for (const { description } of Object.values(inputOf('ContactQuery').getFields()))
      expect(description).toMatch(/^[A-Z].{3,}\.$/s);
  });

  it('refuse texts that cannot be stored, each at its place', () => {
    const places = listPlaces(inputOf('ContactQuery')).filter(({ canaries }) =>
      canaries.some((one) => typeof one === 'string'),
    );
    expect(places.length).toBeGreaterThan(200);
    for (const { path } of places) {
      const form = /^(answer|consentedAt|customField)$/.test(path[0]!) ? { [path[0]!]: { form: 1 } } : {};
      const ends: Record<string, string> = { from: 'to', to: 'from' };
      const end = ends[path.at(-1)!];
      const other = end ? putValue(form, [...path.slice(0, -1), end], '12-31') : form;
      const query = putValue(other, path, 'a\0');
      const { faults: found } = parseContactQuery(
        path.at(-1) === '0' ? putValue(form, path.slice(0, -1), ['a\0']) : query,
        '',
      );
      expect([path, found.map(({ location }) => location.replace(/[.[\]]+/g, ' ').trim())]).toEqual([
        path,
        expect.arrayContaining([path.join(' ')]),
      ]);
    }
  });

  // A place has none.
  it.each(attributes.filter((attr) => !getPlaceKind(attr)))('%s has the operators that it permits', (attr) => {
    const permitted = allCells.filter((cell) => cell.attr === attr).map(({ ope }) => operatorFields[ope]);
    expect(listOperatorFields(attr).sort()).toEqual([...new Set(permitted)].sort());
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
  it.each(drawSample(attributes, { small: 8 }))('%s', async (attr) => {
    for (const cell of allCells.filter((one) => one.attr === attr)) {
      const [{ query }] = generateSearches(cell, 1, 3) as [Json];
      const tree = withForms(query);
      expect({ tree, ids: await ids(door, { query: translateQuery(tree) }) }).toEqual({
        tree,
        ids: await idsByTree(door, { tree }),
      });
    }
  });
});

describe('another operator is refused, with those that there are', () => {
  const forbidden = [...forbiddenCells, ...forbiddenOfOpened];
  it.each(attributes.filter((attr) => !getPlaceKind(attr)))('%s', async (attr) => {
    const fields = listOperatorFields(attr);
    const refused = forbidden
      .filter((cell) => cell.attr === attr)
      .map(({ ope }) => operatorFields[ope])
      .filter((field) => !fields.includes(field));
    const all = [...new Set(refused)];
    const and = all.map((field) => {
      const condition = { [field]: '1' };
      const inner = asksForForm(attr) ? { form: 1, value: condition } : condition;
      return getFieldPath(attr)
        .split('.')
        .reduceRight((below: Json, one) => ({ [one]: below }), inner);
    });
    if (and.length === 0) return;
    const found = (await faults(door, { query: { and } })).filter(({ message }) => /is not a field/.test(message));
    expect(found).toHaveLength(all.length);
    for (const [index, { location, message }] of found.entries()) {
      expect(location).toMatch(new RegExp(`^query\\.and\\[${index}\\]\\..*\\.${all[index]}$`));
      const known = Object.keys(conditionOf(attr).getFields()).join(', ');
      expect(message).toBe(`is not a field of ${conditionOf(attr)}, which has ${known}`);
    }
  });
});
