// Trims mail addresses in the input of a mutation: nothing invisible at their edges is written. Other texts are stored as they are sent.
import { type GraphQLInputType, getNullableType, isInputObjectType, isListType, OperationTypeNode } from 'graphql';
import type { Field, Step } from '../context.ts';
import { trimLine } from '../search/trim-line.ts';

/** Yields the same value where nothing changes. */
type Trim = (value: unknown) => unknown;

const trimText: Trim = (value) => (typeof value === 'string' ? trimLine(value) : value);

const trimFields =
  (trims: ReadonlyMap<string, Trim>): Trim =>
  (value) => {
    if (typeof value !== 'object' || value === null) return value;
    let trimmed = value as Record<string, unknown>;
    for (const [name, trim] of trims) {
      const before = trimmed[name];
      if (before === undefined || before === null) continue;
      const after = trim(before);
      if (after !== before) trimmed = { ...trimmed, [name]: after };
    }
    return trimmed;
  };

const trimItems =
  (trim: Trim): Trim =>
  (value) => {
    const items = (value as unknown[]).map(trim);
    return items.some((item, index) => item !== (value as unknown[])[index]) ? items : value;
  };

/** By type; null while it is planned, and for a type without such texts. */
const trims = new WeakMap<GraphQLInputType, Trim | null>();

const planType = (type: GraphQLInputType): Trim | null => {
  const bare = getNullableType(type);
  if (isListType(bare)) {
    const item = planType(bare.ofType);
    return item && trimItems(item);
  }
  if (!isInputObjectType(bare)) return null;
  const known = trims.get(bare);
  if (known !== undefined) return known;
  trims.set(bare, null);
  const fields = planFields(Object.values(bare.getFields()));
  const trim = fields.size > 0 ? trimFields(fields) : null;
  trims.set(bare, trim);
  return trim;
};

const planFields = (fields: readonly { name: string; type: GraphQLInputType }[]): Map<string, Trim> =>
  new Map(
    fields.flatMap((field) => {
      const trim = field.name === 'email' ? trimText : planType(field.type);
      return trim ? [[field.name, trim] as const] : [];
    }),
  );

export const planTrims = (field: Field, root?: OperationTypeNode): Step | undefined => {
  const fields = root === OperationTypeNode.MUTATION ? planFields(field.args) : new Map();
  if (fields.size === 0) return undefined;
  const trim = trimFields(fields);
  return (next) => (source, args, context, info) => next(source, trim(args) as typeof args, context, info);
};
