// Why a search takes as long as it does: each group and condition of its query asked alone.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { buildMatchesSql } from '../../search/order.ts';
import type { Condition, Group, Notation } from '../../search/parse.ts';
import { bindSearchQuery } from './find.ts';

export interface Explanation {
  location: string;
  matches: number;
  exact: boolean;
  milliseconds: number | null;
  indexes: string[];
  parts: Explanation[];
}

interface PlanNode {
  'Node Type': string;
  'Plan Rows': number;
  'Actual Rows'?: number;
  'Index Name'?: string;
  Plans?: PlanNode[];
}
interface Explained {
  'QUERY PLAN': [{ Plan: PlanNode; 'Execution Time'?: number }];
}

/** In milliseconds: once counting took so long in all, the rest is left to the planner. */
const budget = 5000;

const indexesOf = (plan: PlanNode): string[] => [
  ...(plan['Index Name'] ? [plan['Index Name']] : []),
  ...(plan.Plans ?? []).flatMap(indexesOf),
];

/** Explains the whole first, then its parts, each at its place in the query as it was written. */
export const explainSearch = (
  space: Space,
  { query, now, exact, notation }: { query: Group; now: string; exact: boolean; notation: Notation },
): Promise<Explanation> =>
  space.runSlow(async (rows) => {
    let left = exact ? budget : 0;
    const explain = async (part: Group | Condition, location: string): Promise<Explanation> => {
      const isGroup = 'parts' in part;
      const { boundFor } = await bindSearchQuery(rows, isGroup ? part : { every: true, parts: [part] }, now);
      const { where, values } = boundFor('find');
      const counted = left > 0;
      const [plan] = await rows<Explained>(
        defineStatement(
          null,
          `explain (${counted ? 'analyze, timing off, ' : ''}format json) select ${buildMatchesSql(where)}`,
        ),
        values,
      );
      const [{ Plan: top, 'Execution Time': took = null }] = plan!['QUERY PLAN'];
      left -= took ?? 0;
      const below = isGroup ? part.parts : [];
      const parts: Explanation[] = [];
      for (const [index, one] of below.entries()) {
        const key = isGroup && part.every ? notation.every : notation.some;
        const step = `${location}${location && '.'}${key}[${index}]`;
        parts.push(await explain(one, 'parts' in one ? step : `${step}.${notation.condition}`));
      }
      return {
        location,
        matches: counted ? top['Actual Rows']! : top['Plan Rows'],
        exact: counted,
        milliseconds: took,
        indexes: [...new Set(indexesOf(top))].sort(),
        parts,
      };
    };
    return explain(query, '');
  });
