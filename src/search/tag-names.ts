// The names of tags in a query of the graph that is stored: a tag that gets another name has it there too.
import { getFieldPath } from './field-names.ts';

type Rename = (name: string) => string;

const tagField = getFieldPath('tags.name');

/** A condition on tags: one name, several, or whether there is any. */
const renameInCondition = (condition: object, rename: Rename): object =>
  Object.fromEntries(
    Object.entries(condition).map(([operator, operand]) => [
      operator,
      typeof operand === 'string' ? rename(operand) : Array.isArray(operand) ? operand.map(rename) : operand,
    ]),
  );

/** The query with other names of tags. */
export const renameTags = (query: object, rename: Rename): object =>
  Object.fromEntries(
    Object.entries(query).map(([field, inner]) => {
      if (field === tagField) return [field, renameInCondition(inner, rename)];
      if (field === 'not') return [field, renameTags(inner, rename)];
      if (field !== 'and' && field !== 'or') return [field, inner];
      return [field, (inner as object[]).map((part) => renameTags(part, rename))];
    }),
  );

/** All names of tags in a query. */
export const listTagNames = (query: object): string[] => {
  const names: string[] = [];
  renameTags(query, (name) => {
    names.push(name);
    return name;
  });
  return names;
};
