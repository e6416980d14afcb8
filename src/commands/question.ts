// Asks the operator for values in a terminal.
import { createInterface } from 'node:readline/promises';
import { type Command, InvalidArgumentError } from 'commander';

/** A value that a command needs: its flag, its setting, the question, and its parser, which throws InvalidArgumentError. */
export interface Question {
  flag: string;
  setting?: string | undefined;
  text: string;
  parse(text: string): string;
}

/** Questions go to stderr: stdout has what other programs read. */
const openTerminal = () => createInterface({ input: process.stdin, output: process.stderr });

/** Asks one question. Throws when the input ends. */
export const askTerminal = async (text: string): Promise<string> => {
  const terminal = openTerminal();
  const ended = new Promise<never>((_, reject) => {
    terminal.once('close', () => reject(new Error('No answer: nothing was done')));
  });
  // The answer closes the terminal too.
  ended.catch(() => {});
  try {
    return await Promise.race([terminal.question(`${text}: `), ended]);
  } finally {
    terminal.close();
  }
};

/** Asks until the answer is accepted. */
const askUntilAccepted = async ({ text, parse }: Question): Promise<string> => {
  for (;;) {
    const answer = (await askTerminal(text)).trim();
    try {
      return parse(answer);
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
  for (const [name, question] of missing) known.set(name, await askUntilAccepted(question));
  return Object.fromEntries(known) as Record<Name, string>;
};
