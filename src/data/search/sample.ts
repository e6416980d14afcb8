// Estimates how many contacts match by those of a sample of the space: the statistics of PostgreSQL are of a table, and would tell what other spaces have.
import type { Space } from '../../database/space.ts';
import { defineStatement, prepareStatement, type RunStatement } from '../../database/statement.ts';
import { buildMatchesSql } from '../../search/page-plan.ts';
import { readSpaceSize } from '../noun/space-size.ts';
import type { BoundCondition } from './search-plan.ts';

/** Contacts of a sample: few enough to be tested within milliseconds. */
const sampleSize = 500;

/** They are spread evenly over the ids of the space. */
const draw = defineStatement(
  'search.sample',
  `select distinct n.contact_id from (select min(contact_id) as low, max(contact_id) as high from contact_search where group_id = :group) span
     cross join generate_series(1, ${sampleSize}) i
     cross join lateral (
       select s.contact_id from contact_search s where s.group_id = :group and s.contact_id >= span.low + (span.high - span.low) * i / ${sampleSize}
        order by s.contact_id limit 1) n`,
);

/** Estimates, by one sample of the space, how many of its contacts match a condition that is compiled to probe. */
export const createEstimator = (rows: RunStatement, space: Space): ((condition: BoundCondition) => Promise<number>) => {
  let drawn: Promise<number[]> | undefined;
  return async ({ where, values }) => {
    drawn ??= rows<{ contact_id: number }>(draw, {}).then((found) => found.map((row) => row.contact_id));
    const sample = await drawn;
    const counting = `select count(*) as found ${buildMatchesSql(where)} and s.contact_id = any(cast(:sample as bigint[]))`;
    const [counted] = await rows<{ found: number }>(prepareStatement('search.estimate', counting), {
      ...values,
      sample,
    });
    const { contacts } = await readSpaceSize(rows, space);
    return Math.round((counted!.found * Math.max(contacts, sample.length)) / Math.max(sample.length, 1));
  };
};
