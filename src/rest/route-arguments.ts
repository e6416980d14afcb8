// Tells what each source of a route fills: an argument of the operation's field, or one field of an argument that is an input.
import {
  type GraphQLArgument,
  GraphQLInputObjectType,
  GraphQLNonNull,
  getNullableType,
  isInputObjectType,
} from 'graphql';
import type { Input } from '../input/read-input.ts';
import type { Route } from './routes/index.ts';
import type { Stored } from './stored.ts';

type Variables = Record<string, unknown>;

/** `input.id` is the field `id` of the variable `input`; `input` is the rest of it. */
const splitName = (name: string): [variable: string, field: string | undefined] => {
  const [variable, field] = name.split('.');
  return [variable!, field];
};

const getInputType = ({ type }: GraphQLArgument): GraphQLInputObjectType => {
  const bare = getNullableType(type);
  if (!isInputObjectType(bare)) throw new Error(`${bare} has no fields`);
  return bare;
};

/** The argument without the fields that have sources of their own. The expected version is a header. */
const leaveOut = (argument: GraphQLArgument, others: readonly string[]): GraphQLArgument => {
  const bare = getNullableType(argument.type);
  const hasVersion = isInputObjectType(bare) && bare.getFields().expectedVersion !== undefined;
  if (others.length === 0 && !hasVersion) return argument;
  const config = getInputType(argument).toConfig();
  const rest = Object.entries(config.fields).filter(([name]) => name !== 'expectedVersion' && !others.includes(name));
  const type = new GraphQLInputObjectType({ ...config, fields: Object.fromEntries(rest) });
  return { ...argument, type: new GraphQLNonNull(type) };
};

/** The argument or the field that each source of a route fills, by the source's name. */
export const listRouteArguments = ({ variables }: Route, stored: Stored): Record<string, Input> => {
  const names = Object.keys(variables).map(splitName);
  const entries = names.map(([variable, field]): [string, Input] => {
    const argument = stored.arguments[variable]!;
    if (field) return [`${variable}.${field}`, getInputType(argument).getFields()[field]!];
    const others = names.flatMap(([of, other]) => (of === variable && other ? [other] : []));
    return [variable, leaveOut(argument, others)];
  });
  return Object.fromEntries(entries);
};

/** The variables of the operation, from the values by the names of their sources. */
export const buildVariables = (values: Variables): Variables => {
  const nested: Variables = {};
  for (const [name, value] of Object.entries(values)) {
    const [variable, field] = splitName(name);
    if (field) nested[variable] = { ...(nested[variable] as object), [field]: value };
    else nested[variable] = variable in nested ? { ...(value as object), ...(nested[variable] as object) } : value;
  }
  return nested;
};
