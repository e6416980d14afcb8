// The versions that a client expects of a record: it is neither shown nor changed when it is of another.
import { createVersionProblem } from '../../problem.ts';

/** Any record that there is, or those of one of these versions. */
export type Named = '*' | ReadonlySet<string>;

/** Whether a record is meant. One without versions is meant by `*` alone. */
const isNamed = (named: Named, version: number | null): boolean =>
  named === '*' || (version !== null && named.has(String(version)));

export class Precondition {
  readonly #match: Named | undefined;
  readonly #noneMatch: Named | undefined;
  #isChecked = false;

  /** The record must be named by `match`, and not by `noneMatch`, as far as they are given. */
  constructor(match: Named | undefined, noneMatch?: Named | undefined) {
    this.#match = match;
    this.#noneMatch = noneMatch;
  }

  /** Throws 412 for a record that is not as it is expected. The version of a record without versions is null. */
  check(noun: string, version: number | null): void {
    this.#isChecked = true;
    if (this.#match && !isNamed(this.#match, version)) throw createVersionProblem(noun, version);
    if (this.#noneMatch && isNamed(this.#noneMatch, version)) throw createVersionProblem(noun, version);
  }

  /** Throws 412 where a record must be there already, and would be created. */
  checkMissing(noun: string): void {
    this.#isChecked = true;
    if (this.#match) throw createVersionProblem(noun);
  }

  /** Throws 412 at the end of a write that compared nothing, such as one that only creates: no version that was named can be meant. */
  finish(): void {
    if (!this.#isChecked && this.#match && this.#match !== '*') throw createVersionProblem('record', null);
  }
}

/** The expectation of a mutation: the version that its input names, else what the request says. */
export const chooseExpected = (
  version: number | null | undefined,
  ofRequest: Precondition | undefined,
): Precondition | undefined => (version == null ? ofRequest : new Precondition(new Set([String(version)])));
