// A mutant: one small fault in a source file.

export interface Mutant {
  name: string;
  file: string;
  /** Stands exactly once in the file. */
  from: string;
  to: string;
  /** Cells, as `attr ope`, that are asked first. */
  asks: RegExp;
}

type Line = readonly [name: string, from: string, to: string, asks?: RegExp];
/** Mutants of one file. */
export const defineMutants = (file: string, ...lines: Line[]): Mutant[] =>
  lines.map(([name, from, to, asks = /./]) => ({ name, file, from, to, asks }));
