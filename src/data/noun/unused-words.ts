// SQL for the words of quick search that are of no use any more.

/** The condition that a row `k` of this space in search_words has a text that no search row has, or is stored twice. */
export const buildUnusedWordCondition = (space: string): string => `
  (not case k.kind
      when 's' then exists (select 1 from contact_search s where s.group_id = ${space} and s.surname = k.value)
                 or exists (select 1 from contact_search s where s.group_id = ${space} and s.married_name = k.value and s.married_name <> '')
      when 'f' then exists (select 1 from contact_search s where s.group_id = ${space} and s.firstname = k.value)
      else exists (select 1 from contact_search s where s.group_id = ${space} and s.city = k.value) end
    or exists (select 1 from search_words o
                where o.group_id = ${space} and o.word = k.word and o.kind = k.kind and o.value = k.value and o.copy < k.copy))`;
