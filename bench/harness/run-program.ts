// Runs the program of a benchmark.
import type { Command } from 'commander';

/** Parses the arguments and does the work. Says what failed without a stack trace, which would tell users nothing. */
export const runProgram = async <Options>(
  program: Command,
  work: (options: Options) => Promise<void>,
): Promise<void> => {
  try {
    await work(program.parse().opts() as Options);
  } catch (error) {
    console.error(`${program.name()}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
};
