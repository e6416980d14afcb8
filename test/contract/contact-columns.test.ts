// The table of contact columns is complete: each column is in the database, readable, writable, stored in the REST contract, exported and imported.
import { type GraphQLInputObjectType, type GraphQLObjectType, isNonNullType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { legacySchema as schema } from '../../schema/index.ts';
import { addressTable, type ColumnSpec, contactTable, getFieldName } from '../../src/data/contact/columns.ts';
import { findColumnWriter } from '../../src/import/columns.ts';
import { contactTableColumns as exported } from '../../src/import/csv-table.ts';
import { operations } from '../../src/rest/routes/operations.ts';
import { type Door, openApp } from '../harness/app.ts';

type Table = Record<string, ColumnSpec>;

/** A table with the places that have to know its columns. */
interface Place {
  name: 'contacts' | 'addresses';
  type: string;
  field: string;
  inputs: string[];
  input: string;
}
const contacts: Place = {
  name: 'contacts',
  type: 'Contact',
  field: 'schema/contact/contact.ts',
  inputs: ['ContactCreateInput', 'ContactUpdateInput', 'ContactUpsertInput'],
  input: 'schema/contact/contact-input.ts',
};
const addresses: Place = {
  name: 'addresses',
  type: 'Address',
  field: 'schema/contact/address.ts',
  inputs: ['ContactAddressInput'],
  input: 'schema/contact/contact-input.ts',
};

const toCamelCase = (column: string): string => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** What the schema lacks of a table's columns, as sentences that say what to do. */
const findSchemaGaps = (table: Table, { name, type, field, inputs, input }: Place): string[] =>
  Object.entries(table).flatMap(([column, { nullable, written }]) => {
    const camel = getFieldName(column);
    const fields = (schema.getType(type) as GraphQLObjectType).getFields();
    // Ids of other records are read by legacy clients only: the public graph has the records.
    const shown = fields[camel] ?? fields[toCamelCase(column)];
    const faults: string[] = [];
    if (!shown) faults.push(`${name}.${column} is not readable: add a field ${camel} to ${field}`);
    else if (isNonNullType(shown.type) === nullable)
      faults.push(`${name}.${column} ${nullable ? 'may' : 'cannot'} be null: say so of ${camel} in ${field}`);
    for (const one of inputs) {
      const given = (schema.getType(one) as GraphQLInputObjectType).getFields()[camel];
      if (written && !given)
        faults.push(`${name}.${column} is not writable: add an input ${camel} to ${one} in ${input}`);
      if (!written && given && column !== 'id')
        faults.push(`${name}.${column} is not written by users: take ${camel} out of ${one} in ${input}`);
    }
    return faults;
  });

/** What files and the stored operations lack. */
const findFileGaps = (table: Table, { name }: Place): string[] =>
  Object.entries(table).flatMap(([column, { file, written }]) => {
    if (!file) return written ? [`${name}.${column} is lost by exports: add its file name to the table`] : [];
    const header = name === 'contacts' ? file : `address_${file}`;
    const names = column === 'id' ? ['databaseId'] : [getFieldName(column), toCamelCase(column)];
    const alias = names.map((field) => (file === field ? file : `${file}: ${field}`)).join('|');
    const faults: string[] = [];
    if (!new RegExp(`^\\s*(${alias})$`, 'm').test(operations.Export))
      faults.push(
        `${name}.${column} is not exported: select ${alias} in the fragment FoundContact of src/rest/contact.graphql`,
      );
    if (!exported[header])
      faults.push(`${name}.${column} is no column of exports: src/rest/export.ts must list ${header}`);
    try {
      findColumnWriter(header, { days: 'ymd', ids: true });
    } catch {
      faults.push(`${name}.${column} is not imported: src/import/columns.ts must read ${header}`);
    }
    return faults;
  });

describe.each([
  [contactTable, contacts],
  [addressTable, addresses],
])('every column', (table: Table, place) => {
  it(`of ${place.name} is readable and, when users write it, writable`, () => {
    expect(findSchemaGaps(table, place)).toEqual([]);
  });

  it(`of ${place.name} is exported and imported`, () => {
    expect(findFileGaps(table, place)).toEqual([]);
  });

  it(`that is added to ${place.name} is reported with what to do`, () => {
    const motto = { motto: { type: 'text', nullable: true, written: true, file: 'motto' } } satisfies Table;
    const { name, field, inputs, input } = place;
    expect(findSchemaGaps(motto, place)).toEqual([
      `${name}.motto is not readable: add a field motto to ${field}`,
      ...inputs.map((one) => `${name}.motto is not writable: add an input motto to ${one} in ${input}`),
    ]);
    expect(findFileGaps(motto, place)).toHaveLength(3);
  });
});

describe('in the database', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openApp();
  });

  /** Keys, and the columns of deleted and merged contacts, which are never read. */
  const internal = ['group_id', 'id', 'contact_id', 'deleted_at', 'merged_into', 'created_at', 'updated_at'];

  it.each([
    [contactTable, 'contacts'],
    [addressTable, 'addresses'],
  ])('every column has a row of the table', async (table: Table, name) => {
    const found = await door.sql(
      'select column_name as column, data_type as type, is_nullable as nullable from information_schema.columns where table_schema = current_schema and table_name = ?',
      [name],
    );
    const faults = found.flatMap(({ column, type, nullable }) => {
      const spec = table[column];
      if (!spec)
        return internal.includes(column)
          ? []
          : [`${name}.${column} is unknown to the program: add it to src/data/contact/columns.ts`];
      const stored = type === 'timestamp with time zone' ? 'timestamptz' : type;
      return stored === spec.type && (nullable === 'YES') === spec.nullable
        ? []
        : [
            `${name}.${column} is ${stored}, ${nullable === 'YES' ? '' : 'not '}null: src/data/contact/columns.ts says otherwise`,
          ];
    });
    expect(faults).toEqual([]);
    const names = found.map(({ column }) => column);
    expect(Object.keys(table).filter((column) => !names.includes(column))).toEqual([]);
  });

  it('the change feed compares every column of contacts', async () => {
    const [{ source }] = await door.sql(
      `select prosrc as source from pg_proc where proname = 'changed_contact_columns'`,
    );
    const columns = await door.sql(
      `select attname as name from pg_attribute where attrelid = 'contacts'::regclass and attnum > 0 and not attisdropped
          and attname <> all(unpublished_columns() || '{user_id,deleted_at}') order by 1`,
    );
    const compared = [...source.matchAll(/then '(\w+)'/g)].map(([, name]) => name);
    expect(compared.sort()).toEqual(columns.map(({ name }) => name));
    for (const name of compared) expect(source.match(new RegExp(`\\b[on]\\.${name}\\b`, 'g'))).toHaveLength(4);
  });
});
