// Begins valid subscriptions.
import { type DocumentNode, type ExecutionResult, subscribe } from 'graphql';
import { schema } from '../../schema/index.ts';
import type { Context } from '../context.ts';
import { areCoercible } from './coercible.ts';

/** Resolves to the events, or to a result with errors when there is none: the request is at fault, or the caller has no right to it. */
export type StartSubscription = (
  context: Context,
  variables: Record<string, unknown>,
) => Promise<AsyncGenerator<ExecutionResult> | ExecutionResult>;

export const planSubscription =
  (document: DocumentNode, operationName: string | null): StartSubscription =>
  async (context, variableValues) =>
    // The engine tells what is wrong with them.
    (await areCoercible(document, operationName, variableValues))
      ? (subscribe({ schema, document, operationName, variableValues, contextValue: context }) as Promise<
          AsyncGenerator<ExecutionResult> | ExecutionResult
        >)
      : { errors: [] };
