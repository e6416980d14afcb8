// A valid request for every operation of both doors, as user 1 of space 1. Tests that sweep over all operations start from these.
import { contactFields, contactRequests } from './contact.ts';
import { formFields, formRequests } from './form.ts';
import type { Fields, Requests } from './ids.ts';
import { mailingFields } from './mailing.ts';
import { moneyFields, moneyRequests } from './money.ts';
import { searchFields, searchRequests } from './search.ts';
import { teamFields, teamRequests } from './team.ts';

export { documentOf, idPlaces, rootFields, selectionOf } from './documents.ts';
export { type Ids, idsOf, type Noun } from './ids.ts';

/** Arguments of every root field of the graph; one that is missing here fails the tests that sweep. */
export const fields: Fields = {
  ...contactFields,
  ...searchFields,
  ...teamFields,
  ...formFields,
  ...moneyFields,
  ...mailingFields,
};

/** Path and body of every stored operation. */
export const requests: Requests = {
  ...contactRequests,
  ...searchRequests,
  ...teamRequests,
  ...formRequests,
  ...moneyRequests,
};
