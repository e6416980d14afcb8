// The rules that the validation plugin keeps for types, fields and arguments of inputs.
import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import type { GraphQLInputFieldExtensions } from 'graphql';

/** Any type, field or argument of an input. */
export type Ruled = { extensions: GraphQLInputFieldExtensions };

interface Issue {
  /** From the value that the rule is for. */
  steps: PropertyKey[];
  message: string;
}

export const listRules = ({ extensions }: Ruled): readonly StandardSchemaV1[] =>
  extensions['@pothos/plugin-validation']?.schemas ?? [];

/** What a rule finds wrong with a value; undefined when it finds nothing. */
export const findIssues = (rule: StandardSchemaV1, value: unknown): Issue[] | undefined => {
  const result = rule['~standard'].validate(value);
  if (result instanceof Promise) {
    // The library retries a rule that throws as an asynchronous one, and it throws again.
    result.catch(() => {});
    throw new Error('rules of input are synchronous');
  }
  return result.issues?.map(({ path = [], message }) => ({
    steps: path.map((step) => (typeof step === 'object' ? step.key : step)),
    message,
  }));
};
