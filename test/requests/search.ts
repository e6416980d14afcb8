// A valid request for every operation of contact search.
import type { Fields, Requests } from './ids.ts';

const someQuery = (formId: number) => ({
  any: [
    { condition: { attribute: 'form', operator: 'ext', formId } },
    { condition: { attribute: 'surname', operator: 'start_with', value: 'd' } },
  ],
});
const everybody = { data: { advanced_search: { per_page: 5, query: { $all: [] }, include_interactions: true } } };

export const searchFields: Fields = {
  searchContacts: ({ forms }) => ({ first: 5, sortBy: 'surname', query: someQuery(forms) }),
  explainSearch: ({ forms }) => ({ query: someQuery(forms) }),
};

export const searchRequests: Requests = {
  Search: () => ({ path: {}, body: everybody }),
  Kpi: () => ({ path: {}, body: everybody }),
  Export: () => ({ path: {}, body: everybody }),
};
