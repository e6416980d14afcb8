// Quick search: the contacts that match all words of a text, the best first.

import { explainStatement } from '../../database/explained-plan.ts';
import type { Space } from '../../database/space.ts';
import { prepareStatement, type RunStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { measureSearch } from './measure.ts';
import { joinArms, QuickConditions, type Scope } from './quick-search-conditions.ts';
import { type Quality, readMisspeltWords, readTokens, type SearchedToken } from './quick-search-words.ts';
import type { RowCondition } from './search-plan.ts';

/** Words are corrected only when fewer contacts than this match the text as it is written: beside these, similar names are of no interest. */
const enoughMatches = 5;
/** Search rows that are read in the order of ids, when the first matches are expected among them. */
const maxWalk = 100_000;

/** A rank of matches: each contains the ranks before it. */
interface Rank {
  scope: Scope;
  quality: Exclude<Quality, 'misspelt'>;
  /** How many tokens may be misspelt. */
  misspelt: 'none' | 'one' | 'all';
}

const writtenRanks: Rank[] = [
  { scope: 'names', quality: 'exact', misspelt: 'none' },
  { scope: 'everything', quality: 'exact', misspelt: 'none' },
  { scope: 'names', quality: 'begun', misspelt: 'none' },
  { scope: 'everything', quality: 'begun', misspelt: 'none' },
];
const misspeltRanks: Rank[] = [
  { scope: 'names', quality: 'begun', misspelt: 'one' },
  { scope: 'everything', quality: 'begun', misspelt: 'one' },
  { scope: 'everything', quality: 'begun', misspelt: 'all' },
];

/** A conjunction: the alternatives of each token. */
type Branch = string[][];

/** The ids of the first `wanted` contacts that match the text, in order of rank and id. */
export const findIdsByText = (space: Space, text: string, wanted: number): Promise<number[]> =>
  space.runSlow((rows) =>
    measureSearch('quick', async () => {
      const limit = Math.min(wanted, limits.search.quickResults);
      const tokens = await readTokens(rows, text);
      const search = new QuickSearch(rows, tokens, limit);
      await search.addRanks(writtenRanks);
      if (search.found.size < Math.min(limit, enoughMatches)) {
        await readMisspeltWords(rows, tokens);
        await search.addRanks(misspeltRanks);
      }
      return [...search.found].slice(0, limit);
    }),
  );

/** The contacts that match a text: the condition that all of them satisfy, and those of its ranks, each without the ranks before it. */
export interface TextMatch extends RowCondition {
  ranks: string[];
}

/** The condition of a text, for a search that has others too. Words are corrected as in `findIdsByText`. */
export const readTextMatch = (space: Space, text: string): Promise<TextMatch> =>
  space.runSlow(async (rows) => {
    const tokens = keepSearched(await readTokens(rows, text));
    const conditions = new QuickConditions();
    const match: TextMatch = { sql: 'false', values: conditions.values, ranks: [] };
    const before: string[] = [];
    const add = (ranks: readonly Rank[]): void => {
      for (const rank of ranks) {
        const branches = listBranches(tokens, conditions, rank);
        const sql = joinBranches(branches);
        match.ranks.push(
          branches.length === 0 ? 'false' : before.length > 0 ? `${sql} and not (${before.join(' or ')})` : sql,
        );
        if (branches.length > 0) before.push(sql);
      }
      // The last rank has the most alternatives.
      match.sql = before.at(-1) ?? 'false';
    };
    add(writtenRanks);
    const some = `select cast(count(*) as int) as count from (select 1 ${buildFrom(match.sql)} limit ${enoughMatches}) m`;
    const [found] = await rows<{ count: number }>(prepareStatement('quick.some', some), conditions.values);
    if (found!.count >= enoughMatches) return match;
    await readMisspeltWords(rows, tokens);
    add(misspeltRanks);
    return match;
  });

/** Punctuation alone can only be an external id. */
const keepSearched = (tokens: readonly SearchedToken[]): SearchedToken[] =>
  tokens.filter(({ words, externalIds }) => words.length > 0 || externalIds.length > 0);

/** The conjunctions of a rank: those that nobody can match are left out. */
const listBranches = (
  tokens: readonly SearchedToken[],
  conditions: QuickConditions,
  { scope, quality, misspelt }: Rank,
): Branch[] => {
  const wrong = tokens.flatMap(({ words }, place) =>
    words.some(({ misspelt }) => Object.keys(misspelt).length > 0) ? [place] : [],
  );
  const choices: Record<Rank['misspelt'], number[][]> = {
    none: [[]],
    one: wrong.map((place) => [place]),
    all: wrong.length > 1 ? [wrong] : [],
  };
  return choices[misspelt].flatMap((places) => {
    const branch = tokens.map((token, place) =>
      conditions.listArms(token, places.includes(place) ? 'misspelt' : quality, scope),
    );
    return branch.every((arms) => arms.length > 0) && branch.length > 0 ? [branch] : [];
  });
};

class QuickSearch {
  readonly found = new Set<number>();
  readonly #rows: RunStatement;
  readonly #tokens: readonly SearchedToken[];
  readonly #limit: number;
  readonly #conditions = new QuickConditions();

  constructor(rows: RunStatement, tokens: readonly SearchedToken[], limit: number) {
    this.#rows = rows;
    this.#tokens = keepSearched(tokens);
    this.#limit = limit;
  }

  /** Adds the contacts of each rank, until there are enough. Each rank contains the ranks before it. */
  async addRanks(all: readonly Rank[]): Promise<void> {
    const ranks = all
      .map((rank) => listBranches(this.#tokens, this.#conditions, rank))
      .filter((branches) => branches.length > 0);
    if (ranks.length === 0) return;
    const widest = await this.#estimate(ranks.at(-1)!);
    if (!widest.isSoonFound) return this.#addAll(ranks, widest.candidates);
    for (const branches of ranks) {
      if (this.found.size >= this.#limit) return;
      const { isSoonFound, candidates } = await this.#estimate(branches);
      const soon = isSoonFound ? await this.#read(buildWalk(branches)) : 0;
      if (soon < this.#limit) await this.#addAll([branches], candidates);
    }
  }

  /** Finds all contacts of the last rank, and takes the best. */
  async #addAll(ranks: Branch[][], candidates: string[]): Promise<void> {
    if (candidates.length === 0) return;
    const places = ranks.slice(0, -1).map((branches, place) => `when ${joinBranches(branches)} then ${place}`);
    const place = places.length > 0 ? `case ${places.join(' ')} else ${places.length} end` : '0';
    // Each row is looked up by its id (`offset 0`), since the planner cannot tell how few there are.
    await this.#read(
      `with candidates as materialized (${candidates.map((set) => `(${set})`).join(' union ')})
       select s.contact_id as id, ${place} as place
         from candidates m
        cross join lateral (
          select * from contact_search s where s.group_id = :group and s.contact_id = m.contact_id offset 0) s
        where ${joinBranches(ranks.at(-1)!)}
        order by place, id limit :limit`,
    );
  }

  /** Adds the contacts that a statement yields; returns their number. */
  async #read(sql: string): Promise<number> {
    const values = { ...this.#conditions.values, limit: this.#limit };
    const rows = await this.#rows<{ id: number }>(prepareStatement('quick.rank', sql), values);
    for (const { id } of rows) this.found.add(id);
    return rows.length;
  }

  /** Asks the planner, in one statement, how many contacts it expects in the space, for each token and for each branch. */
  async #estimate(branches: Branch[]): Promise<Expectation> {
    const conditions = [
      ...new Set(['true', ...branches.flatMap((branch) => [...branch.map(joinArms), joinTokens(branch)])]),
    ];
    const each = conditions.map(
      (condition, nth) => `e${nth} as materialized (select s.contact_id ${buildFrom(condition)})`,
    );
    const used = conditions.map((_, nth) => `(select count(*) from e${nth})`);
    const sql = `with ${each.join(', ')} select ${used.join(', ')}`;
    const { Plan: plan } = await explainStatement(this.#rows, sql, this.#conditions.values);
    const plans = new Map(plan.Plans!.map((node) => [node['Subplan Name'], node]));
    const explained = new Map(conditions.map((condition, nth) => [condition, plans.get(`CTE e${nth}`)!]));
    const countExpected = (condition: string): number => explained.get(condition)!['Plan Rows'];
    const share = Math.min(maxWalk / Math.max(countExpected('true'), 1), 1);
    // The planner expects at least one, unless it has proved that there is none.
    const possible = branches.filter((branch) => countExpected(joinTokens(branch)) > 0);
    return {
      isSoonFound: possible.some((branch) => countExpected(joinTokens(branch)) * share >= 1.5 * this.#limit),
      candidates: possible.map((branch) =>
        buildCandidates(branch, {
          countExpected: (arms) => countExpected(joinArms(arms)),
          cost: explained.get(joinTokens(branch))!['Total Cost'],
        }),
      ),
    };
  }
}

interface Expectation {
  /** Whether enough matches are expected among the contacts with the lowest ids. */
  isSoonFound: boolean;
  /** The SQL of the candidates of each branch. */
  candidates: string[];
}

const joinTokens = (branch: Branch): string => branch.map(joinArms).join(' and ');
const joinBranches = (branches: Branch[]): string => `(${branches.map(joinTokens).join(' or ')})`;
const buildFrom = (condition: string): string => `from contact_search s where s.group_id = :group and ${condition}`;

/** The matches among the contacts with the lowest ids. */
const buildWalk = (branches: Branch[]): string =>
  `select s.contact_id as id
     from (select s.* from contact_search s where s.group_id = :group order by s.contact_id limit ${maxWalk}) s
    where s.group_id = :group and ${joinBranches(branches)} order by s.contact_id limit :limit`;

/**
 * Contacts among which all matches of a branch are: the matches themselves, or the contacts with both of its two rarest tokens, whose ids indexes alone
 * provide. Comparing a search row costs the planner about four, and takes as long as reading four ids.
 */
const buildCandidates = (
  branch: Branch,
  { countExpected, cost }: { countExpected(arms: string[]): number; cost: number },
): string => {
  const rarest = branch.toSorted((a, b) => countExpected(a) - countExpected(b)).slice(0, 2);
  if (cost <= rarest.reduce((sum, arms) => sum + countExpected(arms), 0))
    return `select s.contact_id ${buildFrom(joinTokens(branch))}`;
  const sets = rarest.map((arms) => arms.map((arm) => `select s.contact_id ${buildFrom(arm)}`).join(' union all '));
  return sets.map((set) => `(${set})`).join(' intersect ');
};
