// All of a contact can be searched: each field of contacts and of their records in the graph has an attribute, or a reason why it has none.
import { type GraphQLObjectType, getNullableType, isListType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { attributes, isAttributeName } from '../../src/search/attributes.ts';
import { getFieldPath } from '../../src/search/field-names.ts';
import { searchedAs, unsearched } from '../../src/search/unsearched.ts';

const records = {
  Note: 'notes',
  Interaction: 'interactions',
  Transaction: 'transactions',
  Donation: 'donations',
  Membership: 'memberships',
  Email: 'emails',
  Sanction: 'sanctions',
};
const prefixes: Record<string, string> = {
  Contact: '',
  Address: 'address.',
  ...Object.fromEntries(Object.entries(records).map(([type, family]) => [type, `${family}.`])),
};
const paths = new Set(Object.keys(attributes).map((name) => getFieldPath(name as keyof typeof attributes)));
const families = new Set([...paths].map((path) => path.split('.')[0]!));

const isSearched = (type: string, field: string): boolean => {
  const path = `${prefixes[type]}${field}`;
  // A field that leads to another record is searched by its id.
  return [path, `${path}Id`, `${path}ById`].some((one) => paths.has(one)) || (type === 'Contact' && families.has(path));
};
const findReason = (type: string, field: string): string | undefined =>
  unsearched[`${type}.${field}`] ?? (type in records ? unsearched[`*.${field}`] : undefined);

const fields = Object.keys(prefixes).flatMap((type) =>
  Object.keys((schema.getType(type) as GraphQLObjectType).getFields()).map((field): [string, string] => [type, field]),
);

describe('every field of a contact and of its records', () => {
  it.each(fields)('%s.%s is searched, or has a reason', (type, field) => {
    const named = searchedAs[`${type}.${field}`];
    const answers = [isSearched(type, field), named !== undefined, findReason(type, field) !== undefined];
    expect({ field: `${type}.${field}`, answers: answers.filter(Boolean).length }).toEqual({
      field: `${type}.${field}`,
      answers: 1,
    });
    if (named !== undefined) expect(isAttributeName(named)).toBe(true);
  });

  it('has no reason for a field that is not there', () => {
    const known = new Set(fields.map(([type, field]) => `${type}.${field}`));
    const stale = Object.keys({ ...searchedAs, ...unsearched }).filter(
      (name) =>
        !known.has(name) &&
        !(name.startsWith('*.') && fields.some(([type, field]) => type in records && `*.${field}` === name)),
    );
    expect(stale).toEqual([]);
  });

  it('counts all lists of records that a contact has', () => {
    const lists = Object.values((schema.getType('Contact') as GraphQLObjectType).getFields()).filter(({ type }) => {
      const named = getNullableType(type);
      return !isListType(named) && /Connection$/.test(String(named));
    });
    expect(
      lists
        .map(({ name }) => name)
        .filter((name) => !families.has(name) && !searchedAs[`Contact.${name}`] && !unsearched[`Contact.${name}`]),
    ).toEqual([]);
  });
});
