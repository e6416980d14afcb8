// An example of a problem: a request, and what both doors answer.
import type { ProblemCode } from '../src/problem.ts';

export interface Example {
  /** A request line with headers, and a body behind an empty line; or a GraphQL document. `TOKEN` stands for a valid token. */
  request: string;
  /** The answer, without `instance`. */
  answer: object;
}

export const describeRestProblem = (
  code: ProblemCode,
  status: number,
  title: string,
  detail: string,
  more: object = {},
): object => ({
  ...{ type: `urn:muster:problem:${code}`, title, status, detail },
  ...more,
});

export const describeGraphProblem = (
  code: ProblemCode,
  status: number,
  message: string,
  more: object = {},
): object => ({
  errors: [{ message, ...more, extensions: { code, status } }],
});

export interface ProblemHelp {
  causes: readonly string[];
  remedies: readonly string[];
  /** Whether the same request can succeed later without a change. */
  retry: 'no' | 'yes' | 'after a change';
  /** Undefined where no single request meets the problem. */
  example?: Example;
}
