// Routes of contact search, its count and its export (spec §2.3, §4.13).
import { contactsAsFound, contactsExported } from './output.ts';
import { defineRestRoute, type Route } from './route.ts';

/** The fields of `advanced_search` that all three routes read (spec §4.13). */
const search = {
  tree: { body: 'data.advanced_search.query' },
  perPage: { body: 'data.advanced_search.per_page' },
  page: { body: 'data.advanced_search.page' },
  sortBy: { body: 'data.advanced_search.sort_attr' },
  ascending: { body: 'data.advanced_search.sort_asc' },
};

/** Adults below 35 who are sympathisers, or gave 100 euros in all. */
const query = {
  $all: [
    { $all: [{ $condition: { attr: 'birthdate', ope: 'range', from: 'now-35y', to: 'now-18y' } }] },
    {
      $at_least_one: [
        { $condition: { attr: 'tags.name', ope: 'any_of', value: ['Sympathisant', 'Bénévole'] } },
        { $condition: { attr: 'donations.sum_amount', ope: 'gte', value: '100' } },
      ],
    },
  ],
};

export const searchRoutes: Route[] = [
  defineRestRoute('POST', '/search', 'Search', 'The contacts that an advanced search finds', {
    aliases: ['/v1/search'],
    variables: {
      ...search,
      withInteractions: { body: 'data.advanced_search.include_interactions' },
      withTotal: { body: 'data.advanced_search.with_total' },
    },
    within: 'data.advanced_search',
    envelope: 'inner',
    shape: contactsAsFound,
    example: { body: { data: { advanced_search: { per_page: 20, sort_attr: 'surname', sort_asc: true, query } } } },
  }),
  defineRestRoute('POST', '/export', 'Export', 'All contacts that an advanced search finds, as NDJSON or CSV', {
    aliases: ['/v1/export'],
    variables: {
      tree: search.tree,
      sortBy: search.sortBy,
      ascending: search.ascending,
      withInteractions: { body: 'data.advanced_search.include_interactions' },
    },
    within: 'data.advanced_search',
    envelope: 'inner',
    exports: true,
    cost: 5,
    shape: contactsExported,
    example: { body: { data: { advanced_search: { query } } } },
  }),
  defineRestRoute('POST', '/kpi', 'Kpi', 'How many contacts an advanced search finds', {
    aliases: ['/v1/kpi'],
    variables: search,
    within: 'data.advanced_search',
    envelope: 'inner',
    example: { body: { data: { advanced_search: { query } } } },
  }),
];
