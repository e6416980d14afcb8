// What a recipe of CONTRIBUTING.md is to the test that follows it.

/** Inserts text after the one place where `after` stands, or replaces all places of `replace`; without either it creates the file. */
export interface Edit {
  file: string;
  after?: string;
  replace?: string;
  text: string;
}

export interface Recipe {
  /** The heading in CONTRIBUTING.md. */
  heading: string;
  edits: Edit[];
  /** Test files that fail while an edit is missing. */
  tests: string[];
  /** Test files of which only the tests of the addition are run. */
  sweeps: string[];
}
