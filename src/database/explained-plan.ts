// The plan of a statement: the node of the plan that runs in the space's shard, where a cluster wraps it into a plan of its own.
import { defineStatement, type RunStatement, type Values } from './statement.ts';

export interface PlanNode {
  'Node Type': string;
  'Plan Rows': number;
  'Total Cost': number;
  'Actual Rows'?: number;
  'Index Name'?: string;
  'Subplan Name'?: string;
  Plans?: PlanNode[];
  'Distributed Query'?: { Job: { Tasks: [{ 'Remote Plan': [[Explained]] }] } };
}

interface Explained {
  Plan: PlanNode;
  /** In milliseconds, if the statement was run. */
  'Execution Time'?: number;
}

/** Explains a statement of one space. With `analyze` it is run, and its rows are counted. */
export const explainStatement = async (
  rows: RunStatement,
  sql: string,
  values: Values,
  { analyze = false }: { analyze?: boolean } = {},
): Promise<Explained> => {
  const options = analyze ? 'analyze, timing off, format json' : 'format json';
  const [row] = await rows<{ 'QUERY PLAN': [Explained] }>(defineStatement(null, `explain (${options}) ${sql}`), values);
  const [explained] = row!['QUERY PLAN'];
  const remote = explained.Plan['Distributed Query']?.Job.Tasks[0]['Remote Plan'][0][0];
  return remote ? { ...explained, Plan: remote.Plan } : explained;
};
