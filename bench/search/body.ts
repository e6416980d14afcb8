// Builds search bodies as clients send them: conditions, groups, page and order.

type Value = string | number | boolean | object;

export interface Condition {
  attr: string;
  ope: string;
  value?: Value;
  from?: string;
  to?: string;
  form_id?: number;
  form_ref_ids?: number[];
}

export type Group = { $all: { $condition: Condition }[] } | { $at_least_one: { $condition: Condition }[] };

export interface Search {
  per_page: number;
  page: number;
  sort_attr?: string;
  sort_asc?: boolean;
  include_interactions: boolean;
  query: { $all: Group[] };
}

export const buildCondition = (attr: string, ope: string, value?: Value): Condition => ({
  attr,
  ope,
  ...(value !== undefined && { value }),
});

export const buildRange = (attr: string, from: string, to: string): Condition => ({ attr, ope: 'range', from, to });

/** A condition on the answers to a form, with some or any of its reference values. */
export const buildAnswerCondition = (
  attr: 'form' | 'custom_fields',
  ope: string,
  form: number,
  refs: number[],
  value?: Value,
): Condition => ({
  ...buildCondition(attr, ope, value),
  form_id: form,
  ...(refs.length > 0 && { form_ref_ids: refs }),
});

export const requireAll = (...conditions: Condition[]): Group => ({
  $all: conditions.map(($condition) => ({ $condition })),
});
export const requireAny = (...conditions: Condition[]): Group => ({
  $at_least_one: conditions.map(($condition) => ({ $condition })),
});

export interface Paging {
  size?: number;
  page?: number;
}

/** `sort` is an attribute, prefixed with `-` for descending order. The default order is by id. */
export const buildSearch = (
  sort: string | undefined,
  groups: Group[],
  { size = 50, page = 0 }: Paging = {},
): Search => ({
  per_page: size,
  page,
  ...(sort && { sort_attr: sort.replace('-', ''), sort_asc: !sort.startsWith('-') }),
  include_interactions: false,
  query: { $all: groups },
});

export const buildSearchBody = (search: Search) => ({ data: { advanced_search: search } });
