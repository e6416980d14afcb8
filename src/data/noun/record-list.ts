// Lists of the tables that `record/crud.ts` describes: their rows, and the fields that all of them have, follow from that description.
import { listSelectedColumns, qualifyColumns, type TableSpec } from './crud-sql.ts';
import { defineList } from './define-list.ts';
import type { ListDescription } from './describe.ts';
import type { ListFields } from './fields.ts';

/** The id and the times of every record. */
export const commonFields = {
  id: { column: 'r.id', type: 'id' },
  createdAt: { column: 'r.created_at', type: 'instant' },
  updatedAt: { column: 'r.updated_at', type: 'instant' },
} as const;

type RecordListOptions<Fields extends ListFields> = Pick<
  ListDescription<Fields & typeof commonFields>,
  'orders' | 'indexed' | 'isShort' | 'groups' | 'amount'
> & { fields: Fields };

/** A list of a described table, as `r`. */
export const defineRecordList =
  <Row extends { id: number }>() =>
  <const Fields extends ListFields>(table: TableSpec, options: RecordListOptions<Fields>) =>
    defineList<Row>()<Fields & typeof commonFields>({
      ...options,
      noun: table.noun,
      from: `${table.table} r`,
      scoped: ['r'],
      columns: qualifyColumns(listSelectedColumns(table), 'r'),
      living: 'r.deleted_at is null',
      ...(table.onContact && { contact: 'r.contact_id' }),
      fields: { ...commonFields, ...options.fields },
    });
