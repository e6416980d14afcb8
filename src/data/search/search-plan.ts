// The plan of a search: a query at one instant, compiled at most once for each purpose in a request, with its lookups read once.
import { prepareStatement, type RunStatement } from '../../database/statement.ts';
import {
  type Clause,
  compileCount,
  compileFailingClauses,
  compileSearch,
  type LookupIds,
  type Where,
} from '../../search/compile.ts';
import type { Group } from '../../search/parse.ts';

/** A condition with all the values that it binds, those of its lookups among them. */
export interface BoundCondition {
  where: Where;
  values: Record<string, unknown>;
}

/** A plan whose lookups are read: the condition of each purpose, compiled when it is first asked for. */
export interface BoundPlan {
  getFind(): BoundCondition;
  getProbe(): BoundCondition;
  getCount(): BoundCondition;
  /** A clause for each part that every match must satisfy, which finds the contacts that fail it. */
  getFailing(): { clauses: Clause[]; values: Record<string, unknown> };
}

export interface SearchPlan {
  /** Whether it has no condition. */
  readonly findsAll: boolean;
  /** The condition to probe contacts with, which reads its lookups itself. */
  getFilter(): Where;
  /** The condition to find all matches with, which reads its lookups itself: one statement, of which the planner knows less. */
  getWhole(): Where;
  /** Reads the lookups, unless another part of the request has read them. */
  bind(rows: RunStatement): Promise<BoundPlan>;
}

const createLazy = <T>(create: () => T): (() => T) => {
  let created: { value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
};

/** Plans a query. `now` is the one instant of the request, as text. */
export const createSearchPlan = (query: Group, now: string): SearchPlan => {
  const find = createLazy(() => compileSearch(query, now, 'find'));
  const probe = createLazy(() => compileSearch(query, now, 'probe'));

  const readLookups = async (rows: RunStatement): Promise<LookupIds> => {
    const { lookups, values } = find();
    const lists = Object.entries(lookups).map(([name, ids]) => `array(${ids}) as ${name}`);
    if (lists.length === 0) return {};
    const [found] = await rows<LookupIds>(prepareStatement('search.lookup', `select ${lists.join(', ')}`), values);
    return found!;
  };

  const bindPlan = (found: LookupIds): BoundPlan => {
    const bindWhere = (where: Where): BoundCondition => ({ where, values: { ...where.values, ...found } });
    return {
      getFind: createLazy(() => bindWhere(find().build(found))),
      getProbe: createLazy(() => bindWhere(probe().build(found))),
      getCount: createLazy(() => bindWhere(compileCount(query, now, found))),
      getFailing: createLazy(() => {
        const { clauses, values } = compileFailingClauses(query, now, found);
        return { clauses, values: { ...values, ...found } };
      }),
    };
  };

  let binding: Promise<BoundPlan> | undefined;
  return {
    findsAll: query.every && !query.negated && query.parts.length === 0,
    getFilter: createLazy(() => probe().build()),
    getWhole: createLazy(() => find().build()),
    bind: (rows) => {
      binding ??= readLookups(rows).then(bindPlan, (error) => {
        binding = undefined;
        throw error;
      });
      return binding;
    },
  };
};

/** A condition on the search row. */
export interface RowCondition {
  sql: string;
  values: Record<string, unknown>;
}

/** The plan of those contacts of another plan that satisfy a condition. */
export const narrowPlan = (plan: SearchPlan, condition: RowCondition): SearchPlan => {
  const narrow = (where: Where): Where => ({
    ...where,
    sql: `${condition.sql}\n and ${where.sql}`,
    values: { ...where.values, ...condition.values },
  });
  const narrowBound = ({ where, values }: BoundCondition): BoundCondition => ({
    where: narrow(where),
    values: { ...values, ...condition.values },
  });
  return {
    findsAll: false,
    getFilter: createLazy(() => narrow(plan.getFilter())),
    getWhole: createLazy(() => narrow(plan.getWhole())),
    bind: async (rows) => {
      const bound = await plan.bind(rows);
      return {
        getFind: createLazy(() => narrowBound(bound.getFind())),
        getProbe: createLazy(() => narrowBound(bound.getProbe())),
        getCount: createLazy(() => narrowBound(bound.getCount())),
        getFailing: createLazy(() => {
          const { clauses, values } = bound.getFailing();
          const failing: Clause = { sql: `not ${condition.sql}`, emails: 'none' };
          return { clauses: [failing, ...clauses], values: { ...values, ...condition.values } };
        }),
      };
    },
  };
};
