// Writes searches by functions: `where((contact) => contact.address.city.equals('Lyon'))`.
import { attributeTable, type ContactAttributes } from '../generated/attributes.ts';
import { createAttributes } from './attribute.ts';
import type { Search } from './search.ts';

let attributes: ContactAttributes | undefined;

/**
 * A search from the attributes of a contact. An operator that an attribute does not permit, or a value of another type, is an error of the
 * compiler.
 */
export const where = (write: (contact: ContactAttributes) => Search): Search => {
  attributes ??= createAttributes(attributeTable) as ContactAttributes;
  return write(attributes);
};
