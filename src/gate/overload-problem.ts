// The refusal of a request that would wait too long.
import { Problem } from '../problem.ts';

/** The time to wait is drawn: requests that are refused together should not come back together. */
export const createOverloadProblem = (): Problem => {
  const { stackTraceLimit } = Error;
  // The stack is half of the cost.
  Error.stackTraceLimit = 0;
  const headers = { 'Retry-After': String(1 + Math.floor(Math.random() * 3)) };
  const message = 'More is asked of the server than it can answer in time; try again in a moment';
  const problem = new Problem('overloaded', message, { headers });
  Error.stackTraceLimit = stackTraceLimit;
  return problem;
};
