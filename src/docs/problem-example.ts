// An example of a problem: a request, and what both doors answer.
import type { ProblemCode } from '../problem.ts';

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
