// Begins and finishes imports of files with their lines in the audit log: one before the first batch, and one with the counts at the end.
import type { Space } from '../../database/space.ts';
import { addAuditLines, describeCommand } from '../noun/audit.ts';
import { type Begun, beginImport, finishImport, type ImportSource, readImport } from './contacts.ts';

const operation = 'importFile';

/** Begins or resumes an import. One that is killed later has this line, whatever it has written. */
export const beginAuditedImport = (space: Space, source: ImportSource, resume: boolean): Promise<Begun> =>
  space.transaction(async (tx) => {
    const begun = await beginImport(tx, source, resume);
    const action = describeCommand(operation, source.by);
    if (!begun.finished) await addAuditLines(tx, action, { type: 'Import', ids: [begun.id] });
    return begun;
  });

export const finishAuditedImport = (space: Space, id: number, by: number | null): Promise<void> =>
  space.transaction(async (tx) => {
    await finishImport(tx, id);
    const { created, updated, unchanged, refused } = await readImport(tx, id);
    const counts = { created, updated, unchanged, refused };
    await addAuditLines(tx, describeCommand(operation, by), { type: 'Import', ids: [id], counts });
  });
