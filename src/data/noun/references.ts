// Refuses ids that are not in the space: 404 for the record that is asked for, 422 for those that it refers to, with each of them at its place.
import { createNotFoundProblem, type Fault, Problem } from '../../problem.ts';

/** The row of a record. Throws 404 when there is none. */
export const requireFound = <Row>(noun: string, id: number, row: Row | undefined): Row => {
  if (row === undefined) throw createNotFoundProblem(noun, id);
  return row;
};

/** A noun with its article: `an action`. */
export const addArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** 422 for ids that are not in the space, each at its place: those of another space, deleted and missing ones give the same answer. */
export const refuseMissingReferences = (dangling: { location: string; noun: string; value: unknown }[]): Problem => {
  const errors = dangling.map(({ location, noun, value }) => ({
    location,
    message: `is not ${addArticle(noun)} of the space`,
    value,
  }));
  const [{ location, message }] = errors as [Fault];
  const detail =
    errors.length === 1 ? `${location} ${message}` : `${errors.length} ids are not in the space, listed in errors`;
  return new Problem('unprocessable', detail, { errors });
};

/** An id, and its place in the input: `input[3].contactId`. */
export interface Reference {
  id: number;
  location: string;
}

/** Throws 422 for the references that are not among the `known`: those of another space, deleted and missing ones give the same answer. */
export const requireKnownReferences = (
  noun: string,
  references: readonly Reference[],
  known: Iterable<number>,
): void => {
  const there = new Set(known);
  const missing = references.filter(({ id }) => !there.has(id));
  if (missing.length > 0)
    throw refuseMissingReferences(missing.map(({ id, location }) => ({ location, noun, value: id })));
};

/** The ids of a list with their places: `contactIds[0]`. */
export const listReferencesIn = (list: string, ids: readonly number[]): Reference[] =>
  ids.map((id, index) => ({ id, location: `${list}[${index}]` }));
