// Asks the operator for values in a terminal.
import { createInterface } from 'node:readline/promises';
import { type Command, InvalidArgumentError } from 'commander';

/** A value that a command needs: its flag, its setting, the question, and its parser, which throws InvalidArgumentError. */
interface Question {
  flag: string;
  setting?: string | undefined;
  text: string;
  parse(text: string): string;
}

/** Asks questions, one after the other. */
type Ask = (text: string) => Promise<string>;

/** Runs work that asks questions. They go to stderr: stdout has what other programs read. An answer that comes early is kept for its question. */
export const askTerminal = async <Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answers = terminal[Symbol.asyncIterator]();
  try {
    return await work(async (text) => {
      terminal.setPrompt(`${text}: `);
      terminal.prompt();
      const { done, value } = await answers.next();
      if (done) throw new Error('No answer: nothing was done');
      return value.trim();
    });
  } finally {
    terminal.close();
  }
};

/** Asks until the answer is accepted. */
const askUntilAccepted = async (ask: Ask, { text, parse }: Question): Promise<string> => {
  for (;;) {
    try {
      return parse(await ask(text));
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      console.error(`  ${error.message}`);
    }
  }
};

/**
 * The values of a command: those of its flags, else those of the settings, else the answers of a terminal. Without a terminal it ends the
 * command as wrong usage, and names the flags that are missing.
 */
export const answerQuestions = async <Name extends string>(
  command: Command,
  questions: Record<Name, Question>,
  given: Partial<Record<Name, string>>,
): Promise<Record<Name, string>> => {
  const all = Object.entries(questions) as [Name, Question][];
  const known = new Map<Name, string>();
  for (const [name, { setting, parse, flag }] of all) {
    try {
      const value = given[name] ?? (setting === undefined ? undefined : parse(setting));
      if (value !== undefined) known.set(name, value);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      command.error(`error: the setting for ${flag} is invalid. ${error.message}`);
    }
  }
  const missing = all.filter(([name]) => !known.has(name));
  if (missing.length > 0 && !process.stdin.isTTY)
    command.error(
      `error: stdin is no terminal, so nothing can be asked: missing ${missing.map(([, { flag }]) => flag).join(', ')}`,
    );
  if (missing.length > 0)
    await askTerminal(async (ask) => {
      for (const [name, question] of missing) known.set(name, await askUntilAccepted(ask, question));
    });
  return Object.fromEntries(known) as Record<Name, string>;
};
