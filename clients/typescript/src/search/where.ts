// Writes searches by functions, `where((contact) => contact.address.city.equals('Lyon'))`, or as queries of the graph.
import { attributeTable, type ContactAttributes } from '../generated/attributes.ts';
import type { ContactQuery } from '../generated/documents.ts';
import { createAttributes } from './attribute.ts';
import { Search } from './search.ts';

let attributes: ContactAttributes | undefined;

/**
 * A search from the attributes of a contact, or from a query of the graph, which also knows places, spans of time and conditions that one
 * record satisfies together. An operator that an attribute does not permit, or a value of another type, is an error of the compiler.
 */
export const where = (condition: ((contact: ContactAttributes) => Search) | ContactQuery): Search => {
  if (typeof condition !== 'function') return new Search(condition);
  attributes ??= createAttributes(attributeTable) as ContactAttributes;
  return condition(attributes);
};
