// In charge of the shape of a search as clients send it: conditions, groups of them, page and order.

type Value = string | number | boolean | string[];

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

export const condition = (attr: string, ope: string, value?: Value): Condition => ({
  attr,
  ope,
  ...(value !== undefined && { value }),
});

export const range = (attr: string, from: string, to: string): Condition => ({ attr, ope: 'range', from, to });

/** A condition on the answers to a form, under some of its reference values or under any. */
export const answered = (
  attr: 'form' | 'custom_fields',
  ope: string,
  form: number,
  refs: number[],
  value?: Value,
): Condition => ({
  ...condition(attr, ope, value),
  form_id: form,
  ...(refs.length > 0 && { form_ref_ids: refs }),
});

export const all = (...conditions: Condition[]): Group => ({ $all: conditions.map(($condition) => ({ $condition })) });
export const either = (...conditions: Condition[]): Group => ({
  $at_least_one: conditions.map(($condition) => ({ $condition })),
});

export interface Paging {
  size?: number;
  page?: number;
}

/** `sort` is an attribute, with `-` before it when descending; without one the order is that of ids. */
export const search = (sort: string | undefined, groups: Group[], { size = 50, page = 0 }: Paging = {}): Search => ({
  per_page: size,
  page,
  ...(sort && { sort_attr: sort.replace('-', ''), sort_asc: !sort.startsWith('-') }),
  include_interactions: false,
  query: { $all: groups },
});

export const bodyOf = (search: Search) => ({ data: { advanced_search: search } });
