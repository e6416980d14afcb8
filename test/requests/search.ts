// A valid request for every operation of contact search.
import type { Fields, Requests } from './ids.ts';

const someQuery = (formId: number) => ({
  or: [{ answer: { form: formId, value: { exists: true } } }, { lastName: { startsWith: 'd' } }],
});
const everybody = { data: { advanced_search: { per_page: 5, query: { $all: [] }, include_interactions: true } } };

export const searchFields: Fields = {
  searchContacts: ({ forms }) => ({ first: 5, orderBy: { field: 'LAST_NAME' }, query: someQuery(forms) }),
  searchContactsByTree: ({ forms }) => ({
    first: 5,
    sortBy: 'surname',
    tree: {
      $at_least_one: [
        {
          $at_least_one: [
            { $condition: { attr: 'form', ope: 'ext', form_id: forms } },
            { $condition: { attr: 'surname', ope: 'start_with', value: 'd' } },
          ],
        },
      ],
    },
  }),
  explainSearch: ({ forms }) => ({ query: someQuery(forms) }),
  contactFacets: ({ forms }) => ({ by: 'TAG', query: someQuery(forms) }),
  searchAttributes: () => ({}),
};

export const searchRequests: Requests = {
  Search: () => ({ path: {}, body: everybody }),
  Kpi: () => ({ path: {}, body: everybody }),
  Export: () => ({ path: {}, body: everybody }),
};
