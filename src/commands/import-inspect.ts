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
  const tell = (text: string): void => {
    if (!isSeparatorTold && progress.delimiter) console.log(`separator: ${JSON.stringify(progress.delimiter)}`);
    isSeparatorTold = true;
    console.log(text);
  };
  let isSeparatorTold = false;
  const progress = { ...createProgress(tell), tellsMap: true };
  console.log(`encoding: ${how.encoding}${how.bom ? ' with a byte order mark' : ''}`);
  let rows = 0;
  for await (const { line, record, faults, remarks = [] } of readContactRows(file, { ...how, ids: true }, progress)) {
    if (record) tell(`line ${line}: ${JSON.stringify(describeRecord(record))}`);
    for (const fault of [...faults, ...remarks]) tell(`line ${line}: ${describeFault(fault)}`);
    rows++;
    if (rows === inspectedRows) break;
  }
  if (rows === 0) tell('0 rows in the file');
};
const describeRecord = ({ content: { columns, address, addedTags }, formAnswers }: UpsertWrite): object => ({
  ...columns,
  ...(address && { address }),
  ...(addedTags && { tags: addedTags.map((tag) => tag.name) }),
  ...(formAnswers.length > 0 && { answers: formAnswers.map(({ label, id, value }) => ({ form: label ?? id, value })) }),
});
