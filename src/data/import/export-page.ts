// Reads all records of one type, or opt-outs of deleted people, for an export, page by page, in the order of their ids.

import type { Space } from '../../database/space.ts';
import type { Statement, Values } from '../../database/statement.ts';
import { suppressionPage } from '../contact/suppression.ts';
import { buildExportPageSql } from './bulk-sql.ts';
import { defineForEach, recordTypeNames } from './record-types.ts';

/** The records that exports write beside contacts. */
export const exportedNames = [...recordTypeNames, 'suppressions' as const];
export type ExportedName = (typeof exportedNames)[number];

const pages = new Map<ExportedName, Statement>([
  ...defineForEach('export', buildExportPageSql),
  ['suppressions', suppressionPage],
]);

/** Records that one statement reads. */
const size = 2000;

/**
 * The living records of living contacts; no more than one page is in memory. Each has its columns, the id, external id and mail of its
 * contact, and the names of the records that it refers to. There is no snapshot: a page shows the changes made before it is read.
 */
export async function* readRecordPages(space: Space, name: ExportedName): AsyncGenerator<Values[]> {
  const page = pages.get(name)!;
  for (let after = -1; ; ) {
    const rows = await space.rows<Values & { id: number }>(page, { after, limit: size });
    yield rows;
    if (rows.length < size) return;
    after = rows.at(-1)!.id;
  }
}
