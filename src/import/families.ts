// What a file of records may hold, family by family: its columns, what each says, and how its text is read. Import, export and docs are made from it.
import {
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  getNamedType,
  getNullableType,
  isListType,
} from 'graphql';
import { z } from 'zod';
import { schema } from '../../schema/index.ts';
import { link } from '../../schema/link.ts';
import { DateTimeScalar, IdScalar } from '../../schema/scalars.ts';
import { line } from '../../schema/text.ts';
import { emailEventColumns } from '../data/email.ts';
import {
  listColumnNames,
  type RecordType,
  type RecordTypeName,
  recordTypeNames,
  recordTypes,
} from '../data/import/record-types.ts';
import { toSnakeCase } from '../input/snake-case.ts';
import type { CellKind } from './columns.ts';

export type { RecordTypeName };
export { recordTypeNames };

/** The input of the graph whose fields and rules the rows of a family have. */
const inputs: Record<RecordTypeName, string> = {
  notes: 'NoteInput',
  interactions: 'InteractionInput',
  transactions: 'TransactionInput',
  donations: 'DonationInput',
  memberships: 'MembershipInput',
  sanctions: 'SanctionInput',
  emails: 'EmailInput',
};

type RowFieldConfigs = Record<string, GraphQLInputFieldConfig>;

const ruled = (
  type: GraphQLInputFieldConfig['type'],
  description: string,
  rule?: z.ZodType,
): GraphQLInputFieldConfig => ({
  type,
  description,
  ...(rule && { extensions: { '@pothos/plugin-validation': { schemas: [rule] } } }),
});
const text = (description: string) => ruled(GraphQLString, description, line);
const instant = (description: string) => ruled(DateTimeScalar, description);

/** What the graph does not let users write of one record at a time, but an old record brings along. */
const history: Partial<Record<RecordTypeName, RowFieldConfigs>> = {
  notes: { createdAt: instant('When it was written; now, when it is left out.') },
  interactions: { createdAt: instant('When it was; now, when it is left out.') },
  emails: {
    clickedUrls: ruled(
      new GraphQLList(new GraphQLNonNull(GraphQLString)),
      'The links in it that were clicked.',
      z.array(link).max(1000, 'must be at most 1000'),
    ),
    ...Object.fromEntries(
      emailEventColumns.map((column) => [
        column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
        instant(`When it was ${column.replace(/_at$/, '').replace('abuse_report', 'reported as abuse')}.`),
      ]),
    ),
  },
};

/** Whose ids a file has. */
export interface WhoseIds {
  /** Those of the space itself. */
  ids: boolean;
  /** Those of the file of this import of contacts, and of this one of transactions. */
  contacts: number | null;
  transactions: number | null;
}

const pays = ({ columns }: RecordType): boolean => 'transaction_id' in columns;

const fieldsOf = (family: RecordType): RowFieldConfigs => {
  const fields = (schema.getType(inputs[family.name]) as GraphQLInputObjectType).toConfig().fields;
  const own = Object.entries(fields).filter(([, { type }]) => getNamedType(type).name !== IdScalar.name);
  return { ...Object.fromEntries(own), ...history[family.name] };
};

/** Ids of lists, and of transactions, count only where it is known whose they are. */
const idsOf = (family: RecordType, { ids, transactions }: WhoseIds): RowFieldConfigs => ({
  ...(family.label &&
    ids && { [camel(family.label.column)]: ruled(IdScalar, `Id of the ${family.label.target.noun}.`) }),
  ...(pays(family) && ids && { transactionId: ruled(IdScalar, 'Id of the transaction that paid it.') }),
  ...(pays(family) &&
    !ids &&
    transactions !== null && {
      transactionId: text('The transaction that paid it, by its id in the file of transactions.'),
    }),
});
const camel = (column: string): string => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const namesOf = ({ label }: RecordType): RowFieldConfigs =>
  Object.fromEntries(
    Object.keys(label?.texts ?? {}).map((column) => [
      camel(column),
      text(`By its text: ${column.replaceAll('_', ' ')}.`),
    ]),
  );

/** The type by which a row is read: every fault of kind and of rule is found at once, as of a request. */
export const createRowType = (name: RecordTypeName, whose: WhoseIds): GraphQLInputObjectType => {
  const family = recordTypes.get(name)!;
  return new GraphQLInputObjectType({
    name: inputs[name].replace(/Input$/, 'Row'),
    fields: {
      id: text('The id that it has in the file.'),
      ...(whose.ids && { contactId: ruled(IdScalar, 'Id of the contact.') }),
      ...(!whose.ids && whose.contacts !== null && { contactId: text('Id of the contact in its file.') }),
      contactExternalId: text('External id of the contact.'),
      contactMail: text('Mail of the contact.'),
      ...namesOf(family),
      ...idsOf(family, whose),
      ...fieldsOf(family),
    },
  });
};

const kindOf = ({ type }: GraphQLInputFieldConfig): CellKind => {
  if (isListType(getNullableType(type))) return 'json';
  const kinds: Record<string, CellKind> = {
    Boolean: 'flag',
    Amount: 'number',
    Int: 'number',
    Date: 'day',
    DateTime: 'instant',
  };
  return kinds[getNamedType(type).name] ?? 'text';
};

export interface RecordColumn {
  name: string;
  kind: CellKind;
  required: boolean;
  /** What it is, for whoever reads the help; of what is not written, undefined. */
  says: string | undefined;
}

/** What columns say that are no fields of the graph. */
const others = (family: RecordType): Record<string, string | undefined> => ({
  id: family.name === 'transactions' ? 'Its id in the file, by which donations and memberships name it.' : 'Its id.',
  contact_id: 'The contact, with `--ids` or `--contacts`.',
  contact_external_id: 'The contact, by its external id.',
  contact_mail: 'The contact, by its mail.',
  transaction_id: 'What paid it, with `--ids` or `--transactions`.',
  amount_decimal: 'The amount as it is spoken, 99.90, instead of `amount`.',
  ...(family.label && {
    [family.label.column]: `The ${family.label.target.noun}, with \`--ids\`.`,
    ...Object.fromEntries(
      Object.keys(family.label.texts).map((column, index) => [
        column,
        index === 0 ? `The ${family.label!.target.noun}, by its name.` : 'Tells apart those of one name.',
      ]),
    ),
  }),
});

/** The columns that a file of a family may have, in the order of an export. */
export const listRecordColumns = (name: RecordTypeName): RecordColumn[] => {
  const family = recordTypes.get(name)!;
  const fields = new Map(Object.entries(fieldsOf(family)).map(([field, config]) => [toSnakeCase(field), config]));
  const said = others(family);
  return listColumnNames(family).map((column): RecordColumn => {
    const config = fields.get(column);
    if (!config)
      return { name: column, kind: /_at$/.test(column) ? 'instant' : 'text', required: false, says: said[column] };
    const required = config.type instanceof GraphQLNonNull && config.defaultValue === undefined;
    return { name: column, kind: kindOf(config), required, says: config.description ?? undefined };
  });
};
