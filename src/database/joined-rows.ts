// Joins the statements that a request sends in the same tick into one, where each yields one encoded row.
import { LRUCache } from 'lru-cache';
import { createCacheKey } from '../limits/cache-key.ts';
import { Problem } from '../problem.ts';
import type { EncodedRows } from './row-codec.ts';
import type { Space } from './space.ts';
import { maxClientTexts, prepareStatement, type Statement, type Values } from './statement.ts';

/** A statement of one encoded row, with its values. */
export interface JoinedRead<Result> {
  statement: Statement;
  values: Values;
  decode(row: EncodedRows): Result;
  /** Sends it without others. */
  runAlone(): Promise<Result>;
}

interface Waiting {
  read: JoinedRead<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Prefixes the name of a value with the place of its statement. */
const nameValue = (place: number, name: string): string => (name === 'group' ? name : `r${place}_${name}`);

/** Joined texts, by the names of their statements. */
const joinedTexts = new LRUCache<string, string>({
  max: maxClientTexts.texts,
  maxSize: maxClientTexts.characters,
  sizeCalculation: (sql) => sql.length,
});

const joinTexts = (statements: readonly Statement[]): string => {
  const parts = statements.map(({ sql }, place) => {
    const named = sql.replaceAll(/(?<![:\w]):([A-Za-z]\w*)/g, (_, name: string) => `:${nameValue(place, name)}`);
    return `select ${place} as place, part.* from (${named}) part`;
  });
  return parts.join(' union all ');
};

const joinStatements = (noun: string, statements: readonly Statement[]): Statement => {
  const key = createCacheKey(...statements.map(({ name }) => name));
  const text = joinedTexts.get(key) ?? joinTexts(statements);
  joinedTexts.set(key, text);
  return prepareStatement(noun, text);
};

const compareNames = ({ name: one }: Statement, { name: other }: Statement): number =>
  one === other ? 0 : (one ?? '') < (other ?? '') ? -1 : 1;

/** Keeps each joined statement short enough to be prepared. PostgreSQL plans an unprepared one each time. */
const splitByLength = (waiting: readonly Waiting[]): Waiting[][] => {
  const groups: Waiting[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const one of waiting) {
    // Names of values become longer.
    const own = one.read.statement.sql.length * 1.1;
    length += own;
    if (length > maxClientTexts.charactersOfOne) {
      groups.push([]);
      length = own;
    }
    groups.at(-1)!.push(one);
  }
  return groups;
};

/** Whether the values of one of several statements may have made all of them fail. */
const isOfOne = (error: unknown): boolean => error instanceof Problem && error.status < 429;

interface JoinerOptions {
  noun: string;
  /** Sends the statement that joins several. */
  send(space: Space, statement: Statement, values: Values): Promise<(EncodedRows & { place: number })[]>;
  /** Whether each is sent alone when the values of one may have made them fail. A transaction ends with the first failure. */
  retries: boolean;
}

/** Returns a function that runs a read of a space together with the others that its request makes in this tick. */
export const createJoiner = ({ noun, send, retries }: JoinerOptions) => {
  const waitingOf = new WeakMap<Space, Waiting[]>();

  const runTogether = async (space: Space, waiting: readonly Waiting[]): Promise<void> => {
    const values: Values = {};
    waiting.forEach(({ read }, place) => {
      for (const [name, value] of Object.entries(read.values)) values[nameValue(place, name)] = value;
    });
    const statements = waiting.map(({ read }) => read.statement);
    const rows = await send(space, joinStatements(noun, statements), values);
    const found = new Map(rows.map((row) => [Number(row.place), row]));
    waiting.forEach(({ read, resolve, reject }, place) => {
      try {
        resolve(read.decode(found.get(place)!));
      } catch (error) {
        reject(error);
      }
    });
  };

  const runGroup = async (space: Space, waiting: readonly Waiting[]): Promise<void> => {
    const runEachAlone = (): void => {
      for (const { read, resolve, reject } of waiting) read.runAlone().then(resolve, reject);
    };
    if (waiting.length === 1) return runEachAlone();
    try {
      await runTogether(space, waiting);
    } catch (error) {
      if (retries && isOfOne(error)) return runEachAlone();
      for (const { reject } of waiting) reject(error);
    }
  };

  return <Result>(space: Space, read: JoinedRead<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      const own = { read, resolve, reject } as Waiting;
      const waiting = waitingOf.get(space);
      if (waiting) {
        waiting.push(own);
        return;
      }
      const first = [own];
      waitingOf.set(space, first);
      const run = (): void => {
        waitingOf.delete(space);
        // Equal sets of statements share a text, whatever their order.
        first.sort((one, other) => compareNames(one.read.statement, other.read.statement));
        for (const group of splitByLength(first)) void runGroup(space, group);
      };
      // Loaders send at the next tick what they have collected.
      process.nextTick(() => process.nextTick(run));
    });
};
