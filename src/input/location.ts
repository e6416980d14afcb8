// Paths of values in an input, as faults show them.
import type { StandardSchemaV1 } from '@pothos/plugin-validation';

/** A path as it is written in faults: `input.users[0].id`. */
export const formatLocation = (path: readonly PropertyKey[]): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('');

/** The steps of an issue's path. */
export const listPathSteps = (issue: StandardSchemaV1.Issue): PropertyKey[] =>
  (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
