// The schema builder: the context of resolvers, the scalars, the price that a root field declares, the values of enums.
import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import ValidationPlugin from '@pothos/plugin-validation';
import type { Context } from '../../src/context.ts';
import { scalars } from './scalars.ts';

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    /** Points that this root field takes from the bucket; 1 when it is silent. */
    cost?: number;
  }
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      ruleCheck: RuleCheckPlugin<Types>;
    }
  }
}

/**
 * Leaves the check of rules to `planRules`. The check of the validation plugin copies each input with all fields of its type, and
 * held the event loop for 6 ms at 400 records (docs/design/request.md).
 */
class RuleCheckPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    return { ...config, argMappers: [] };
  }
}
SchemaBuilder.registerPlugin('ruleCheck', RuleCheckPlugin);

export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    /** Arguments are numbers once `planFaults` has read them. */
    ID: { Input: number; Output: string | number };
    SafeInt: { Input: number; Output: number };
    WholeNumber: { Input: number; Output: number };
    DateTime: { Input: string; Output: string };
    Date: { Input: string; Output: string };
    SearchDate: { Input: string; Output: never };
    QueryTree: { Input: unknown; Output: object };
    ContactQueryJSON: { Input: never; Output: unknown };
  };
}>({
  defaultFieldNullability: false,
  // Plugins apply from the last to the first.
  plugins: ['ruleCheck', ValidationPlugin],
});

for (const scalar of scalars) builder.addScalarType(scalar.name as never, scalar as never);

builder.queryType({ description: 'What can be read in the space of the caller.' });
builder.mutationType({ description: 'What can be changed in the space of the caller.' });

/** The values of an enum by their names in the graph: `level_of_support` is `LEVEL_OF_SUPPORT`. */
export const defineEnumValues = <Value extends string>(descriptions: Record<Value, string>) =>
  Object.fromEntries(
    (Object.entries(descriptions) as [Value, string][]).map(([value, description]) => [
      value.toUpperCase(),
      { value, description },
    ]),
  ) as Record<Uppercase<Value>, { value: Value; description: string }>;
