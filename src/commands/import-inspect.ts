// Runs muster import inspect: prints how a file of contacts would be read.
import type { UpsertWrite } from '../data/contact/patch.ts';
import { describeFault } from './import-report.ts';
import { type ReadingOptions, readFileOptions } from './import-run.ts';

/** Rows that an inspection prints. */
const inspectedRows = 10;

/** Prints how a file of contacts would be read, and its first rows, without a database. */
export const inspectFile = async (file: string, options: ReadingOptions): Promise<void> => {
  const [{ createProgress }, { readContactRows }] = await Promise.all([
    import('../import/rows.ts'),
    import('../import/read-contacts.ts'),
  ]);
  const how = await readFileOptions(file, options);
  const progress = { ...createProgress(console.log), tellsMap: true };
  let rows = 0;
  console.log(`encoding: ${how.encoding}${how.bom ? ' with a byte order mark' : ''}`);
  for await (const { line, record, faults, remarks = [] } of readContactRows(file, { ...how, ids: true }, progress)) {
    if (rows === 0 && progress.delimiter) console.log(`separator: ${JSON.stringify(progress.delimiter)}`);
    if (record) console.log(`line ${line}: ${JSON.stringify(describeRecord(record))}`);
    for (const fault of [...faults, ...remarks]) console.log(`line ${line}: ${describeFault(fault)}`);
    rows++;
    if (rows === inspectedRows) break;
  }
  if (rows === 0) console.log('0 rows in the file');
};
const describeRecord = ({ content: { columns, address, addedTags }, formAnswers }: UpsertWrite): object => ({
  ...columns,
  ...(address && { address }),
  ...(addedTags && { tags: addedTags.map((tag) => tag.name) }),
  ...(formAnswers.length > 0 && { answers: formAnswers.map(({ label, id, value }) => ({ form: label ?? id, value })) }),
});
