// Checks variables before an operation is executed: graphql-js would print the whole value in each of up to 50 errors, which nobody is shown.
import { coerceInputValue, type DocumentNode, isInputType, typeFromAST } from 'graphql';
import { schema } from '../../schema/index.ts';
import { findOperation } from '../gate/price.ts';

class Uncoercible extends Error {}

/** Whether the values that were sent fit the types of their variables. Missing ones are left to the execution. */
export const areCoercible = (
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Record<string, unknown>,
): boolean => {
  try {
    for (const { variable, type: node } of findOperation(document, operationName)?.variableDefinitions ?? []) {
      const type = typeFromAST(schema, node as never);
      const value = variables[variable.name.value] ?? undefined;
      if (value === undefined || !isInputType(type)) continue;
      coerceInputValue(value, type, () => {
        throw new Uncoercible();
      });
    }
    return true;
  } catch (error) {
    if (error instanceof Uncoercible) return false;
    throw error;
  }
};
