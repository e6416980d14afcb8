// Reads connections as plain lists, for tests that are about the records.
import type { Json } from './app.ts';

/** A result in which connections of which only `nodes` is selected are arrays. */
export const flattenConnections = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(flattenConnections);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.keys(value).join() === 'nodes') return flattenConnections(value.nodes);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, flattenConnections(inner)]));
};
