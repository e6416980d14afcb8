// Creates, updates, deletes and reads the records of a table from its description, whether they belong to contacts or to the space.
import type { Space } from '../../database/space.ts';
import { defineStatement, type Scoped, type Values } from '../../database/statement.ts';
import { createInvalidProblem, createNotFoundProblem, type Fault, Problem } from '../../problem.ts';
import {
  buildCreateSql,
  buildDeleteSql,
  buildLivingOwnerSql,
  buildLivingSql,
  buildRefusalSql,
  buildUpdateSql,
  listSelectedColumns,
  type TableSpec,
} from './crud-sql.ts';
import type { RecordSource } from './json-sql.ts';
import { findAfterMerge } from './lock-contacts.ts';
import { refuseMissingReferences, requireFound } from './references.ts';

/** Input by the names of the graph: `statusId` for the column status_id. Undefined was not sent. */
type Sent = Values;

/** Columns whose reference is missing, and indexes of broken rules. */
interface Refusal {
  dangling: string[];
  broken: number[];
}

/** `status_id` is `statusId`. */
export const convertToCamelCase = (column: string): string =>
  column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** The sent values as JSON of columns: only those of the description. */
const rowOf = ({ columns }: TableSpec, sent: Sent): string =>
  JSON.stringify(Object.fromEntries(Object.keys(columns).map((column) => [column, sent[convertToCamelCase(column)]])));

/** Throws 400 for broken rules, 422 for references that are not in the space. */
const refuse = (description: TableSpec, sent: Sent, { dangling, broken }: Refusal): void => {
  const faultAt = (column: string, message: string): Fault => {
    const value = sent[convertToCamelCase(column)];
    return { location: `input.${convertToCamelCase(column)}`, message, ...(value != null && { value }) };
  };
  if (broken.length > 0)
    throw createInvalidProblem(
      broken.map((index) => description.rules![index]!).map((rule) => faultAt(rule.column, rule.message)),
    );
  if (dangling.length > 0)
    throw refuseMissingReferences(
      dangling.map((column) => ({
        location: `input.${convertToCamelCase(column)}`,
        noun: description.columns[column]!.refers!.noun,
        value: sent[convertToCamelCase(column)],
      })),
    );
};

/** Functions that write records. Each write is one statement, and marks the contact, if the record belongs to one, as changed by the user. */
export const createWrites = <Row extends { id: number }>(description: TableSpec) => {
  const { table, noun } = description;
  const create = defineStatement(`${table}.create`, buildCreateSql(description));
  const readRefusal = defineStatement(`${table}.read_refusal`, buildRefusalSql(description));
  const update = defineStatement(`${table}.update`, buildUpdateSql(description));
  const remove = defineStatement(`${table}.delete`, buildDeleteSql(description));
  return {
    /** Creates a record; `contactId` names its contact, if it belongs to one. Throws 404 for a missing contact, 400 and 422 for faults in `input`. */
    create: async (space: Space, userId: number, sent: Sent): Promise<Row> => {
      const { contactId = null } = sent;
      const values = { sent: rowOf(description, sent), userId, contactId };
      // When nothing is wrong any more, another client has created what was missing.
      for (let attempt = 0; attempt < 3; attempt++) {
        const row = await space.row<Row>(create, values);
        if (row) return row;
        const refusal = await space.row<Refusal>(readRefusal, values);
        if (!refusal) throw createNotFoundProblem('contact', contactId as number);
        refuse(description, sent, refusal);
      }
      throw new Problem('conflict', `What the ${noun} refers to is being changed; try again`);
    },
    /** Updates the sent fields: null clears, or sets the default. Throws 404 for a missing record, 400 and 422 for faults in `input`. */
    update: async (space: Space, userId: number, id: number, patch: Sent): Promise<Row> => {
      const values = { id, sent: rowOf(description, patch), userId };
      const found = await findAfterMerge(() => space.row<Refusal & Row>(update, values));
      const { dangling, broken, ...row } = requireFound(noun, id, found);
      refuse(description, patch, { dangling, broken });
      return row as unknown as Row;
    },
    /** Soft-deletes a record, and yields its id. Throws 404 when it is missing. */
    remove: async (space: Space, userId: number, id: number): Promise<number> => {
      requireFound(noun, id, await findAfterMerge(() => space.row(remove, { id, userId })));
      return id;
    },
  };
};

/** Defines a function that reads rows by `:ids`. */
export const defineReadByIds = <Row>(
  name: string,
  sql: string,
): ((space: Scoped, ids: readonly number[]) => Promise<Row[]>) => {
  const read = defineStatement(name, sql);
  return (space, ids) => space.rows(read, { ids });
};

export const createReads = <Row>(description: TableSpec) => {
  const { table, onContact } = description;
  const columns = listSelectedColumns(description).join(', ');
  const ofLiving = onContact ? ` and ${buildLivingOwnerSql(table)}` : '';
  const buildEverSql = (id: string): string =>
    `select ${columns} from ${table} where ${table}.group_id = :group and ${table}.id = ${id}${ofLiving}`;
  return {
    /** The living records whose `column` holds one of these ids, by that id and their own. */
    by: (column: string) =>
      defineReadByIds<Row>(
        `${table}.by_${column}`,
        `select ${columns} from ${table} r where r.group_id = :group and r.${column} = any(:ids) and ${buildLivingSql(description, 'r')}
            order by r.${column}, r.id`,
      ),
    /** The records with these ids, deleted ones too: records that refer to one still show it. Those of a deleted contact are missing, as everywhere. */
    ever: {
      read: defineReadByIds<Row>(`${table}.ever`, buildEverSql('any(:ids)')),
      buildSql: buildEverSql,
    } satisfies RecordSource<Row>,
  };
};
