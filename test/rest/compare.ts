// Converts values of the graph to those of REST, independently of the REST door: the parity tests compare with it.
import { expect } from 'vitest';
import type { Door, Json } from '../harness/app.ts';

/** A result with the number of each record of which nothing else is selected, with plain lists, and with enums in lower case. */
const flatten = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(flatten);
  if (typeof value !== 'object' || value === null) return value;
  const [name, ...others] = Object.keys(value);
  if (others.length === 0 && name === 'databaseId') return value.databaseId;
  if (others.length === 0 && name === 'nodes') return flatten(value.nodes);
  const isEnum = (name: string): boolean => name === 'type' || name === 'kind';
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, Json]) => [
      name,
      isEnum(name) && typeof inner === 'string' ? inner.toLowerCase() : flatten(inner),
    ]),
  );
};

/** The data of a query that must not fail: `contactId: contact { databaseId }` selects a number. */
export const queryGraph = async (door: Door, query: string): Promise<Json> => {
  const { body } = await door.graphql(query);
  expect(body.errors).toBeUndefined();
  return flatten(body.data);
};
export const fetchOverRest = async (door: Door, path: string): Promise<Json> => (await door.rest('GET', path)).body;

/** Drops fields without a value: REST omits them. */
export const dropNulls = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(dropNulls)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, inner]) => inner !== null)
            .map(([key, inner]) => [key, dropNulls(inner)]),
        )
      : value;
export const convertToMidnight = (day: string | null): string | undefined => (day ? `${day}T00:00:00Z` : undefined);
export const parseInteger = (text: string | null): Json =>
  text === null ? undefined : String(Number(text)) === text ? Number(text) : text;
export const expectSame = (rest: Json, graph: Json): void =>
  expect(rest).toEqual(JSON.parse(JSON.stringify(dropNulls(graph))));
