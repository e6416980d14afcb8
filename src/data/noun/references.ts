// Refuses ids of a list that are not in the space: 422 with each of them at its place.
import { refuseMissingReferences } from './crud.ts';

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
