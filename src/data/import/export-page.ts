// Reads all records of a family, a page at a time, in the order of their ids: what an export is made of.

import type { Space } from '../../database/space.ts';
import { defineStatement, type Values } from '../../database/statement.ts';
import { buildExportPageSql } from './bulk-sql.ts';
import { type RecordTypeName, recordTypes } from './record-types.ts';

const pages = new Map(
  [...recordTypes].map(
    ([name, family]) => [name, defineStatement(`${name}.export`, buildExportPageSql(family))] as const,
  ),
);

/** Records read by one statement. */
const size = 2000;

/**
 * The living records of living contacts, page by page; no more than one page is held. Beside its columns each names its contact by
 * id, external id and mail, and what it points at by its name. There is no snapshot: what changes meanwhile is as at its page.
 */
export async function* readRecordPages(space: Space, name: RecordTypeName): AsyncGenerator<Values[]> {
  const page = pages.get(name)!;
  for (let after = -1; ; ) {
    const rows = await space.rows<Values & { id: number }>(page, { after, limit: size });
    yield rows;
    if (rows.length < size) return;
    after = rows.at(-1)!.id;
  }
}
