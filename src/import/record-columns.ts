// Describes the columns of record files, by record type: their names, kinds and meanings. Import, export and docs derive from it.
import {
  GraphQLID,
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
import { DateTimeScalar } from '../../schema/graph/scalars.ts';
import { nonBlankUrl, shortText } from '../../schema/graph/validators.ts';
import { schema } from '../../schema/index.ts';
import { emailEventColumns } from '../data/contact/email.ts';
import { listColumnNames, type RecordType, type RecordTypeName, recordTypes } from '../data/import/record-types.ts';
import { convertToCamelCase } from '../data/noun/crud.ts';
import { convertToSnakeCase } from '../input/snake-case.ts';
import type { CellKind } from './cells.ts';

/** The GraphQL input whose fields and rules apply to the rows of each record type. */
const inputs: Record<RecordTypeName, string> = {
  notes: 'NoteCreateInput',
  interactions: 'InteractionCreateInput',
  transactions: 'TransactionCreateInput',
  donations: 'DonationCreateInput',
  memberships: 'MembershipCreateInput',
  sanctions: 'SanctionCreateInput',
  emails: 'EmailInput',
};

type RowFieldConfigs = Record<string, GraphQLInputFieldConfig>;

const createField = (
  type: GraphQLInputFieldConfig['type'],
  description?: string,
  rule?: z.ZodType,
): GraphQLInputFieldConfig => ({
  type,
  description,
  ...(rule && { extensions: { '@pothos/plugin-validation': { schemas: [rule] } } }),
});
const createInstantField = (description: string) => createField(DateTimeScalar, description);

/** Fields of old records that single mutations do not accept. */
const historyFields: Partial<Record<RecordTypeName, RowFieldConfigs>> = {
  notes: { createdAt: createInstantField('When it was written (default: now).') },
  interactions: { createdAt: createInstantField('When it happened (default: now).') },
  emails: {
    clickedUrls: createField(
      new GraphQLList(new GraphQLNonNull(GraphQLString)),
      'The links of the e-mail that were clicked.',
      z.array(nonBlankUrl).max(1000, 'must be at most 1000'),
    ),
    ...Object.fromEntries(
      emailEventColumns.map((column) => [
        convertToCamelCase(column),
        createInstantField(`When it was ${column.replace(/_at$/, '').replace('abuse_report', 'reported as abuse')}.`),
      ]),
    ),
  },
};

/** The origin of the ids in a file. */
export interface IdOrigin {
  /** Whether they are ids of this space. */
  ids: boolean;
  /** The import whose file has the ids of contacts, and the import whose file has those of transactions. */
  contacts: number | null;
  transactions: number | null;
}

const listGraphFields = (recordType: RecordType): RowFieldConfigs => {
  const fields = (schema.getType(inputs[recordType.name]) as GraphQLInputObjectType).toConfig().fields;
  const own = Object.entries(fields).filter(([, { type }]) => getNamedType(type).name !== GraphQLID.name);
  return { ...Object.fromEntries(own), ...historyFields[recordType.name] };
};

const textField = createField(GraphQLString, undefined, shortText);
/** Files have numbers as ids. */
const createIdField = (noun: string): GraphQLInputFieldConfig => ({ type: GraphQLID, extensions: { idOf: noun } });

/**
 * The input type of a row. Rows are read as requests are, so that all faults are found in one pass. Ids of contacts, settings and transactions are
 * read only when their origin is known.
 */
export const createRowType = (
  name: RecordTypeName,
  { ids, contacts, transactions }: IdOrigin,
): GraphQLInputObjectType => {
  const recordType = recordTypes.get(name)!;
  const { label, columns } = recordType;
  const hasTransaction = 'transaction_id' in columns && (ids || transactions !== null);
  return new GraphQLInputObjectType({
    name: inputs[name].replace(/(Create)?Input$/, 'Row'),
    fields: {
      id: textField,
      ...((ids || contacts !== null) && { contactId: ids ? createIdField('contact') : textField }),
      contactExternalId: textField,
      contactMail: textField,
      ...Object.fromEntries(Object.keys(label?.texts ?? {}).map((column) => [convertToCamelCase(column), textField])),
      ...(label && ids && { [convertToCamelCase(label.column)]: createIdField(label.target.noun) }),
      ...(hasTransaction && { transactionId: ids ? createIdField('transaction') : textField }),
      ...listGraphFields(recordType),
    },
  });
};

const findKind = ({ type }: GraphQLInputFieldConfig): CellKind => {
  if (isListType(getNullableType(type))) return 'json';
  const kinds: Record<string, CellKind> = {
    Boolean: 'flag',
    SafeInt: 'number',
    Int: 'number',
    Date: 'day',
    DateTime: 'instant',
  };
  return kinds[getNamedType(type).name] ?? 'text';
};

interface RecordColumn {
  name: string;
  kind: CellKind;
  required: boolean;
  /** Its meaning, for the docs; undefined for a column that an import ignores. */
  says: string | undefined;
}

/** The meanings of columns that are no fields of the graph. */
const describeOtherColumns = (recordType: RecordType): Record<string, string | undefined> => ({
  id: recordType.name === 'transactions' ? 'Its id in the file. Donations and memberships refer to it.' : 'Its id.',
  contact_id: 'The contact, with `--ids` or `--contacts`.',
  contact_external_id: 'The contact, by its external id.',
  contact_mail: 'The contact, by its mail.',
  transaction_id: 'The transaction that paid it, with `--ids` or `--transactions`.',
  amount_decimal: 'The amount as a decimal number, such as 99.90, instead of `amount`.',
  ...(recordType.label && {
    [recordType.label.column]: `The ${recordType.label.target.noun}, with \`--ids\`.`,
    ...Object.fromEntries(
      Object.keys(recordType.label.texts).map((column, index) => [
        column,
        index === 0 ? `The ${recordType.label!.target.noun}, by its name.` : 'Distinguishes those of the same name.',
      ]),
    ),
  }),
});

/** The columns that files of a record type may have, in the order of an export. */
export const listRecordColumns = (name: RecordTypeName): RecordColumn[] => {
  const recordType = recordTypes.get(name)!;
  const fields = new Map(
    Object.entries(listGraphFields(recordType)).map(([field, config]) => [convertToSnakeCase(field), config]),
  );
  const meanings = describeOtherColumns(recordType);
  return listColumnNames(recordType).map((column): RecordColumn => {
    const config = fields.get(column);
    if (!config)
      return { name: column, kind: /_at$/.test(column) ? 'instant' : 'text', required: false, says: meanings[column] };
    const required = config.type instanceof GraphQLNonNull && config.defaultValue === undefined;
    return { name: column, kind: findKind(config), required, says: config.description ?? undefined };
  });
};
