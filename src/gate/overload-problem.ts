// The refusal of a request that would wait too long.
import { Problem } from '../problem.ts';

const message = 'More is asked of the server than it can answer in time; try again in a moment';
/** One of each time to wait, shared by all requests: creating a problem takes as long as refusing a request. */
const problems = ['1', '2', '3'].map(
  (seconds) => new Problem('overloaded', message, { headers: { 'Retry-After': seconds } }),
);

/** The time to wait is drawn: requests that are refused together should not come back together. */
export const drawOverloadProblem = (): Problem => problems[Math.floor(Math.random() * problems.length)]!;
