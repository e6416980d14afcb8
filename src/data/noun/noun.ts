// Describes a noun by its columns, once: the statements that write and read its records, its list, and its types in the graph follow.
import { buildOffsetPageSql, convertToOffsetPage, type OffsetPage } from '../../database/offset-page.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { convertToCamelCase, createReads, createWrites } from './crud.ts';
import {
  type ColumnSpec,
  listSelectedColumns,
  qualifyColumns,
  type ReferenceTarget,
  type TableSpec,
} from './crud-sql.ts';
import { defineList } from './define-list.ts';
import { commonFields, type FieldType, type ListField, type ListFields } from './fields.ts';
import type { RecordSource } from './json-sql.ts';

/** The kinds of values, each with the type by which lists filter it. Programs compare a code; people write a text. */
const kinds = {
  id: 'id',
  money: 'number',
  currency: 'code',
  whole: 'number',
  text: 'text',
  code: 'code',
  flag: 'boolean',
  instant: 'instant',
  day: 'day',
} as const satisfies Record<string, FieldType>;

export type Kind = keyof typeof kinds;

/** A noun that columns of others refer to. Records that refer to a deleted one still show it, unless its contact is deleted. */
export interface ReferredNoun extends ReferenceTarget {
  /** The name of its type in the graph. */
  type: string;
  ever: RecordSource<{ id: number }>;
}

export interface NounColumn extends ColumnSpec {
  kind: Kind;
  description: string;
  /** The description of the input's field, where it differs. */
  input?: string;
  /** Whether each record has a value: it must be sent for a new record, and cannot be cleared. */
  required?: true;
  refers?: ReferredNoun;
  /** The name of the field that shows the record, where it is not that of the column. */
  field?: string;
  /** The bounds of a number. */
  least?: number;
  most?: number;
  /** Whether filters may have conditions on it. */
  isFiltered?: false;
  isOrder?: true;
  /** Whether totals may be grouped by it. */
  isGroup?: true;
}

type Columns = Readonly<Record<string, NounColumn>>;

interface Values {
  id: number;
  money: number;
  currency: string;
  whole: number;
  text: string;
  code: string;
  flag: boolean;
  instant: string;
  day: string;
}

type Value<Column extends NounColumn> =
  | Values[Column['kind']]
  | (Column extends { required: true } | { otherwise: string } ? never : null);

interface CommonColumns {
  id: number;
  group_id: number;
  created_at: string;
  updated_at: string;
}

type Owner<Of> = Of extends 'contact' ? { contact_id: number } : unknown;

interface NounOptions<Of extends 'contact' | 'space', Described extends Columns>
  extends Omit<TableSpec, 'noun' | 'onContact'> {
  /** The owner of a record. A contact's records live no longer than it, and each write marks it as changed. */
  of: Of;
  description: string;
  /** The words for a record in descriptions of its times; `it` without them. */
  called?: string;
  columns: Described;
  /** The orders that an index has, where a space can have many records. */
  indexed?: readonly string[];
}

/** A column of a record whose verbs write SQL of their own. */
export interface ShownColumn {
  kind: Kind | 'texts' | 'json';
  nullable?: true;
  /** The description of its field in the graph. A column without it has no field of its own. */
  description?: string;
  /** The name of its field, where it is not that of the column. */
  field?: string;
}

type ShownColumns = Readonly<Record<string, ShownColumn>>;

interface ShownValues extends Values {
  texts: string[];
  json: unknown;
}

/** A row of described columns. */
export type RowOf<Columns extends ShownColumns> = {
  [Name in keyof Columns]:
    | (Columns[Name]['kind'] extends keyof ShownValues ? ShownValues[Columns[Name]['kind']] : never)
    | (Columns[Name] extends { nullable: true } ? null : never);
};

/** Describes the columns of a record by their names: what statements select, the fields of its list, and those of its type follow. */
export const describeRecordColumns = <const Columns extends ShownColumns>(columns: Columns) => {
  const names = Object.keys(columns);
  return {
    columns,
    /** The names, as a statement selects them. */
    list: names.join(', '),
    qualify: (alias: string): string => qualifyColumns(names, alias),
    /** The fields by which a list of the table under an alias filters, orders and groups: those of some columns, some under names of their own. */
    listFields: (
      shown: readonly (keyof Columns & string)[],
      renamed: Readonly<Record<string, keyof Columns & string>> = {},
      alias = 'r',
    ): ListFields & { id: ListField } => {
      const named = [
        ...shown.map((name): [string, string] => [convertToCamelCase(name), name]),
        ...Object.entries(renamed),
      ];
      return Object.fromEntries(
        named.map(([field, name]) => {
          const { kind, nullable } = columns[name]!;
          return [field, { column: `${alias}.${name}`, type: kinds[kind as Kind], ...(nullable && { nullable }) }];
        }),
      ) as ListFields & { id: ListField };
    },
  };
};

/** `MembershipPrice` is a `membership price`. */
export const toWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();

const listFields = (columns: Columns): ListFields =>
  Object.fromEntries(
    Object.entries(columns)
      .filter(([, { isFiltered = true }]) => isFiltered)
      .map(([name, { kind, required, otherwise }]) => [
        convertToCamelCase(name),
        { column: `r.${name}`, type: kinds[kind], ...(!required && !otherwise && { nullable: true }) },
      ]),
  );

/** A row of a noun, as statements yield it. */
export type NounRow<Noun extends { create(...args: never): Promise<unknown> }> = Awaited<ReturnType<Noun['create']>>;

/** Defines a noun by its type in the graph. */
export const defineNoun = <const Of extends 'contact' | 'space', const Described extends Columns>(
  type: string,
  { of, description, called = 'it', indexed, ...options }: NounOptions<Of, Described>,
) => {
  type Row = CommonColumns & Owner<Of> & { [Name in keyof Described]: Value<Described[Name]> };
  const table = { ...options, columns: options.columns as Columns, noun: toWords(type), onContact: of === 'contact' };
  const selected = listSelectedColumns(table);
  const columns = Object.entries(table.columns);
  const pick = (property: 'isOrder' | 'isGroup'): string[] =>
    columns.filter(([, column]) => column[property]).map(([name]) => convertToCamelCase(name));
  const list = defineList<Row>()<ListFields>({
    noun: table.noun,
    from: `${table.table} r`,
    scoped: ['r'],
    columns: qualifyColumns(selected, 'r'),
    living: 'r.deleted_at is null',
    ...(table.onContact && { contact: 'r.contact_id' }),
    fields: {
      ...commonFields,
      ...(table.onContact && { contactId: { column: 'r.contact_id', type: 'id' } }),
      ...listFields(options.columns),
    },
    orders: ['id', ...pick('isOrder'), 'createdAt', 'updatedAt'],
    ...(indexed ? { indexed } : { isShort: true }),
    groups: [...(table.onContact ? ['contactId'] : []), ...pick('isGroup')],
    ...(table.onContact && 'currency' in options.columns && { amount: { column: 'r.amount', currency: 'r.currency' } }),
  });
  const living = `from ${table.table} where group_id = :group and deleted_at is null`;
  const offsetPage = defineStatement(`${table.table}.list`, buildOffsetPageSql(selected.join(', '), living, 'id'));
  return {
    ...table,
    type,
    description,
    called,
    list,
    ...createWrites<Row>(table),
    ...createReads<Row>(table),
    /** A page of the living records by id, and how many there are in all. */
    readOffsetPage: async (space: Space, slice: { limit: number; offset: number }): Promise<OffsetPage<Row>> =>
      convertToOffsetPage(await space.rows(offsetPage, slice)),
  };
};
