// A valid request for every operation of both doors, as user 1 of space 1. Tests over all operations start from these.
import { contactFields, contactRequests } from './contact.ts';
import { formFields, formRequests } from './form.ts';
import type { Fields, Requests } from './ids.ts';
import { mailingFields } from './mailing.ts';
import { moneyFields, moneyRequests } from './money.ts';
import { searchFields, searchRequests } from './search.ts';
import { teamFields, teamRequests } from './team.ts';
import { webhookFields } from './webhook.ts';

export { buildSelection, findIdPlaces, makeDocument, rootFields } from './documents.ts';
export { type Ids, type Noun, prepareIds } from './ids.ts';

/** The same entries, which throw for a missing one, and say what to add. */
export const requireEntries = <Entries extends object>(entries: Entries, what: string): Entries =>
  new Proxy(entries, {
    get: (target, name) => {
      if (typeof name === 'string' && !(name in target)) throw new Error(what.replace('NAME', name));
      return Reflect.get(target, name);
    },
  });

/** Arguments of every root field of the graph. */
export const fields: Fields = requireEntries(
  {
    ...contactFields,
    ...searchFields,
    ...teamFields,
    ...formFields,
    ...moneyFields,
    ...mailingFields,
    ...webhookFields,
  },
  'No arguments for the root field NAME: add them to a file of test/requests',
);

/** Path and body of every stored operation. */
export const requests: Requests = requireEntries(
  {
    ...contactRequests,
    ...searchRequests,
    ...teamRequests,
    ...formRequests,
    ...moneyRequests,
  },
  'No request for the stored operation NAME: add its path and body to a file of test/requests',
);
