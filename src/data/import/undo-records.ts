// Undoes imports of records: deletes those that have not changed since, and marks their contacts as changed.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { lockContacts } from '../contact/write.ts';
import { buildTakeBackSql } from './bulk-sql.ts';
import { touchForRecords } from './bulk-touch.ts';
import { type RecordType, recordTypes } from './record-types.ts';

const traced = defineStatement(
  'import.traced_records',
  `select record_id as id, contact_id, cast(mark as text) as mark from import_records
    where group_id = :group and import_id = :import and undone is null and record_id < :below order by record_id desc limit :limit`,
);
const takeBack = new Map(
  [...recordTypes].map(
    ([name, family]) => [name, defineStatement(`${name}.take_back`, buildTakeBackSql(family))] as const,
  ),
);
const settle = defineStatement(
  'import.settle_records',
  `update import_records r set undone = case when r.touched is null then 0 else c.version end
     from contacts c where c.group_id = :group and c.id = r.contact_id
      and r.group_id = :group and r.import_id = :import and r.record_id = any(:ids)`,
);

const countDone = defineStatement(
  'import.count_undone_records',
  'select cast(count(*) as int) as deleted from import_records where group_id = :group and import_id = :import and undone is not null',
);

/** Marks are 64-bit hashes: text keeps them exact. */
interface Traced {
  id: number;
  contact_id: number;
  mark: string;
}

/**
 * Deletes the records of an import in batches, the latest first. `left` counts those that were changed or deleted since. Yields first what earlier runs
 * have deleted; what they have left is looked at again.
 */
export async function* undoRecords(
  space: Space,
  family: RecordType,
  id: number,
  by: number | null,
): AsyncGenerator<{ deleted: number; left: number }> {
  const { deleted } = (await space.row<{ deleted: number }>(countDone, { import: id }))!;
  if (deleted > 0) yield { deleted, left: 0 };
  let below = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const step = await space.transaction(async (tx) => {
      const rows = await tx.rows<Traced>(traced, { import: id, below, limit: 1000 });
      const living = await lockContacts(tx, [...new Set(rows.map((row) => row.contact_id))]);
      const removed = await tx.rows<Omit<Traced, 'mark'>>(takeBack.get(family.name)!, {
        ids: rows.map((row) => row.id),
        marks: rows.map((row) => row.mark),
        contacts: [...living.keys()],
      });
      const contacts = [...new Set(removed.map((row) => row.contact_id))];
      if (contacts.length > 0) await touchForRecords(tx, family, contacts, by);
      await tx.rows(settle, { import: id, ids: removed.map((row) => row.id) });
      return { rows, deleted: removed.length };
    });
    if (step.rows.length === 0) return;
    below = step.rows.at(-1)!.id;
    yield { deleted: step.deleted, left: step.rows.length - step.deleted };
  }
}
