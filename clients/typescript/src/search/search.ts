// A search for contacts that is put together in code, and written in either notation.
import type { ContactQuery } from '../generated/documents.ts';
import { type QueryTree, toQueryTree } from './query-tree.ts';

/** A search: one condition, or several joined. It never changes; each method returns another one. */
export class Search {
  readonly #query: ContactQuery;

  constructor(query: ContactQuery) {
    this.#query = query;
  }

  /** Contacts that this search and all of the others find. */
  and(...others: readonly Search[]): Search {
    return joinSearches('and', [this, ...others]);
  }

  /** Contacts that this search or any of the others finds. */
  or(...others: readonly Search[]): Search {
    return joinSearches('or', [this, ...others]);
  }

  /** The contacts that this search does not find. */
  not(): Search {
    const query = this.#query;
    return new Search(query.not ? query.not : { not: query });
  }

  /** For variables of the type `ContactQuery`: `searchContacts`, `explainSearch`, segments. */
  toGraphql(): ContactQuery {
    return this.#query;
  }

  /** For `query` of `POST /search`, `/kpi` and `/export`. Throws a QueryTreeError for what that notation cannot say. */
  toRest(): QueryTree {
    return toQueryTree(this.#query);
  }

  /** So that a search may stand among the variables of a request. */
  toJSON(): ContactQuery {
    return this.#query;
  }
}

/** Joins searches; those that are joined in the same way already are not nested. */
const joinSearches = (kind: 'and' | 'or', searches: readonly Search[]): Search => {
  if (searches.length === 0) throw new RangeError(`${kind === 'and' ? 'allOf' : 'anyOf'} needs a search at least`);
  if (searches.length === 1) return searches[0]!;
  const parts = searches.flatMap((search) => {
    const query = search.toGraphql();
    return (kind === 'and' ? query.and : query.or) ?? [query];
  });
  return new Search(kind === 'and' ? { and: parts } : { or: parts });
};

/** Contacts that all of these searches find. */
export const allOf = (...searches: readonly [Search, ...Search[]]): Search => joinSearches('and', searches);

/** Contacts that any of these searches finds. */
export const anyOf = (...searches: readonly [Search, ...Search[]]): Search => joinSearches('or', searches);

/** The contacts that a search does not find. */
export const not = (search: Search): Search => search.not();
