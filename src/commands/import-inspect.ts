// Runs muster import inspect: prints how a file of contacts would be read.
import { findBadValues } from '../data/contact/check-values.ts';
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
  const found = readContactRows(file, { ...how, ids: true }, progress);
  for await (const { line, record, faults, remarks = [], inFile } of found) {
    if (record) tell(`line ${line}: ${JSON.stringify(describeRecord(record))}`);
    // An import takes a bad value of a contact that has it already.
    const bad = record
      ? findBadValues(record.content).map(({ path, ...fault }) => inFile({ ...fault, location: path.join('.') }))
      : [];
    for (const fault of [...faults, ...bad, ...remarks]) tell(`line ${line}: ${describeFault(fault)}`);
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
