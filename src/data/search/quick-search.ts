// Quick search: the contacts that match all words of a text, the best first.
import type { Space } from '../../database/space.ts';
import { defineStatement, prepareStatement, type RunStatement } from '../../database/statement.ts';
import { limits } from '../../limits.ts';
import { QuickConditions, type Scope } from './quick-search-conditions.ts';
import { type Quality, readMisspeltWords, readTokens, type SearchedToken } from './quick-search-words.ts';

/**
 * Words are corrected only when fewer contacts than this match the text as it is written: beside many right ones, contacts with a similar name are
 * of no interest.
 */
const enoughMatches = 20;
/** Contacts that are gathered by indexes and sorted without trying the shorter way first. */
const fewCandidates = 5000;
/** Search rows that are read in the order of ids: enough for the first matches of frequent words. */
const maxWalk = 50_000;

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

/** A conjunction: the condition of each token. */
type Branch = string[];

interface ExplainedPlan {
  'QUERY PLAN': [{ Plan: PlanNode }];
}
interface PlanNode {
  'Plan Rows': number;
  Plans?: PlanNode[];
}

/** The ids of the first `wanted` contacts that match the text, in order of rank and id. */
export const findQuickly = (space: Space, text: string, wanted: number): Promise<number[]> =>
  space.runSlow(async (rows) => {
    const limit = Math.min(wanted, limits.search.quickResults);
    const tokens = await readTokens(rows, text);
    const search = new QuickSearch(rows, tokens, limit);
    await search.addRanks(writtenRanks);
    if (search.found.size < Math.min(limit, enoughMatches)) {
      await readMisspeltWords(rows, tokens);
      await search.addRanks(misspeltRanks);
    }
    return [...search.found].slice(0, limit);
  });

class QuickSearch {
  readonly found = new Set<number>();
  readonly #rows: RunStatement;
  readonly #tokens: readonly SearchedToken[];
  readonly #limit: number;
  readonly #conditions = new QuickConditions();

  constructor(rows: RunStatement, tokens: readonly SearchedToken[], limit: number) {
    this.#rows = rows;
    // Punctuation alone can only be an external id.
    this.#tokens = tokens.filter(({ words, externalIds }) => words.length > 0 || externalIds.length > 0);
    this.#limit = limit;
  }

  /** Adds the contacts of each rank, until there are enough. */
  async addRanks(ranks: readonly Rank[]): Promise<void> {
    for (const rank of ranks) {
      if (this.found.size >= this.#limit) return;
      const branches = this.#listBranches(rank);
      if (branches.length === 0) continue;
      const expected = await this.#estimate([...new Set(branches.flat())]);
      const isFrequent = branches.some((branch) =>
        branch.every((condition) => expected.get(condition)! > fewCandidates),
      );
      const soon = isFrequent ? await this.#run(branches, buildWalk) : [];
      const matches = soon.length === this.#limit ? soon : await this.#run(branches, buildGather);
      for (const { id } of matches) this.found.add(id);
    }
  }

  #run(branches: Branch[], build: (branch: Branch) => string): Promise<{ id: number }[]> {
    const texts = branches.map(build);
    const sql =
      texts.length === 1
        ? texts[0]!
        : `select id from (${texts.map((text) => `(${text})`).join(' union ')}) branches order by id limit :limit`;
    return this.#rows<{ id: number }>(prepareStatement('quick.rank', sql), {
      ...this.#conditions.values,
      limit: this.#limit,
    });
  }

  /** The conjunctions of a rank: those that nobody can match are left out. */
  #listBranches({ scope, quality, misspelt }: Rank): Branch[] {
    const wrong = this.#tokens.flatMap(({ words }, place) =>
      words.some(({ misspelt }) => Object.keys(misspelt).length > 0) ? [place] : [],
    );
    const choices: Record<Rank['misspelt'], number[][]> = {
      none: [[]],
      one: wrong.map((place) => [place]),
      all: wrong.length > 1 ? [wrong] : [],
    };
    return choices[misspelt].flatMap((places) => {
      const branch = this.#tokens.map((token, place) =>
        this.#conditions.of(token, places.includes(place) ? 'misspelt' : quality, scope),
      );
      return branch.every((condition) => condition !== undefined) && branch.length > 0 ? [branch] : [];
    });
  }

  /** How many contacts the planner expects for each condition alone. */
  async #estimate(conditions: string[]): Promise<Map<string, number>> {
    const each = conditions.map((condition) => `select s.contact_id ${buildFrom(condition)} offset 0`);
    const sql = `explain (format json) ${each.map((one) => `(${one})`).join(' union all ')}`;
    const [plan] = await this.#rows<ExplainedPlan>(defineStatement(null, sql), this.#conditions.values);
    const { Plan } = plan!['QUERY PLAN'][0];
    const plans = conditions.length === 1 ? [Plan] : Plan.Plans!;
    return new Map(conditions.map((condition, index) => [condition, plans[index]!['Plan Rows']]));
  }
}

const buildFrom = (condition: string): string => `from contact_search s where s.group_id = :group and ${condition}`;

/** The matches of a branch among the contacts with the lowest ids. The first matches of frequent words are among them. */
const buildWalk = (branch: Branch): string =>
  `select s.contact_id as id
     from (select s.* from contact_search s where s.group_id = :group order by s.contact_id limit ${maxWalk}) s
    where s.group_id = :group and ${branch.join(' and ')} order by s.contact_id limit :limit`;

/** The matches of a branch, gathered by indexes: the expression keeps the planner from reading the space in the order of ids. */
const buildGather = (branch: Branch): string =>
  `select s.contact_id as id ${buildFrom(branch.join(' and '))} order by s.contact_id + 0 limit :limit`;
