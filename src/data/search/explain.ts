// Explains why a search takes as long as it does: each group and condition of its query runs alone.

import { explainStatement, type PlanNode } from '../../database/explained-plan.ts';
import { takesLong } from '../../database/search-pool.ts';
import type { Space } from '../../database/space.ts';
import { getAskedFamily } from '../../search/attributes.ts';
import { buildMatchesSql } from '../../search/page-plan.ts';
import { type Condition, type Group, matchEverybody } from '../../search/parse.ts';
import { explainNowhere } from './centres.ts';
import { createEstimator } from './sample.ts';
import { createSearchPlan } from './search-plan.ts';

export interface Explanation {
  location: string;
  matches: number;
  exact: boolean;
  milliseconds: number | null;
  indexes: string[];
  /** A remark on its numbers. */
  note: string | null;
  parts: Explanation[];
}

/** In milliseconds: once counting has taken this long, the rest is estimated. */
const countBudget = 5000;

/** The ids that Citus appends to the names of indexes on shards. */
const shardId = /_\d{6,}$/;

const listIndexes = (plan: PlanNode): string[] => [
  ...(plan['Index Name'] ? [plan['Index Name'].replace(shardId, '')] : []),
  ...(plan.Plans ?? []).flatMap(listIndexes),
];

/** Each of the conditions that one record must satisfy, as a condition of its own: contacts with a record that satisfies it. */
const listRecordParts = ({ attribute, operator, record = matchEverybody }: Condition): Condition[] => {
  const [only] = record.parts;
  // This is what such a part was made to.
  const isPart = operator === 'any' && record.parts.length === 1;
  const parts = isPart ? ('parts' in only! ? only.parts : []) : record.parts;
  return parts.map((part) => ({
    location: part.location,
    attribute: getAskedFamily(attribute)!,
    operator: 'any',
    operand: { given: false, values: [] },
    record: { ...matchEverybody, parts: [part] },
  }));
};

/** Explains the whole query first, then its parts, each with its place in the query as the client wrote it. */
export const explainSearch = (
  space: Space,
  { query, now, exact }: { query: Group; now: string; exact: boolean },
): Promise<Explanation> =>
  space.runSlow(
    async (rows) => {
      let left = exact ? countBudget : 0;
      const estimate = createEstimator(rows, space);
      const explain = async (part: Group | Condition): Promise<Explanation> => {
        const isGroup = 'parts' in part;
        const plan = createSearchPlan(isGroup ? part : { ...matchEverybody, parts: [part] }, now);
        const bound = await plan.bind(rows);
        const { where, values } = bound.getFind();
        const counted = left > 0;
        const { Plan: top, 'Execution Time': took = null } = await explainStatement(
          rows,
          `select ${buildMatchesSql(where)}`,
          values,
          { analyze: counted },
        );
        left -= took ?? 0;
        const parts: Explanation[] = [];
        for (const one of isGroup ? part.parts : listRecordParts(part)) parts.push(await explain(one));
        return {
          location: part.location.replace(/^\./, ''),
          matches: counted ? top['Actual Rows']! : await estimate(bound.getProbe()),
          exact: counted,
          milliseconds: took,
          note:
            !isGroup && part.operand.place && 'km' in part.operand.place ? explainNowhere(part.operand.place) : null,
          indexes: [...new Set(listIndexes(top))].sort(),
          parts,
        };
      };
      return explain(query);
    },
    { expectedMs: exact ? takesLong : undefined },
  );
