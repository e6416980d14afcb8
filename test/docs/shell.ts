// Commands in the blocks of the documentation: where one ends, and whether `muster` knows those that are not run.
import type { Command } from 'commander';
import { commands } from '../../src/commands/command-line.ts';

/** The commands of a text for a shell, without comments. A command may have several lines, by a backslash, a quote or a list. */
export const splitCommands = (text: string): string[] => {
  const found: string[] = [];
  let command = '';
  let quote = '';
  for (let place = 0; place < text.length; place++) {
    const letter = text[place]!;
    if (letter === '\\' && quote !== "'") command += letter + (text[++place] ?? '');
    else if (quote) {
      if (letter === quote) quote = '';
      command += letter;
    } else if (letter === '#' && /(^|\s)$/.test(command)) {
      while (place + 1 < text.length && text[place + 1] !== '\n') place++;
    } else if (letter === '\n' && !/[|&{]\s*$/.test(command)) {
      found.push(command);
      command = '';
    } else {
      if (letter === "'" || letter === '"') quote = letter;
      command += letter;
    }
  }
  return [...found, command].map((one) => one.trim()).filter(Boolean);
};

/** The arguments of each call of `muster` in a command. */
const listCalls = (command: string): string[][] =>
  // In a container, the program is a file of Node.
  [
    ...command
      .replace('muster node dist/main.js', 'muster')
      .matchAll(/(?:^|[\s$(=&])(?:npx |npm run -s )?muster (?:-- )?([a-z][^|)&;]*)/g),
  ].map(([, rest]) => rest!.match(/(?:'[^']*'|"[^"]*"|\S)+/g)!);

/** What is unknown in the calls of `muster` in a command: a command, a subcommand or an option. */
export const findUnknown = async (command: string): Promise<string[]> => {
  const faults: string[] = [];
  for (const [name, ...args] of listCalls(command)) {
    const entry = commands[name!];
    if (!entry) {
      faults.push(`There is no command ${name}`);
      continue;
    }
    let at: Command = (await entry[1]()).createCommand();
    const parents: Command[] = [at];
    for (const word of args) {
      const sub = at.commands.find((one) => one.name() === word);
      if (sub) {
        at = sub;
        parents.push(sub);
      } else if (word.startsWith('--')) {
        const [long] = word.split('=');
        if (!parents.some((one) => one.options.some((option) => option.long === long)))
          faults.push(`muster ${name} has no option ${long}`);
      }
    }
  }
  return faults;
};
