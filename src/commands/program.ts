// The command line as a whole: its commands, and what the end of one means for the exit code.
import { Command, CommanderError } from 'commander';
import { explainCommandError } from './error-message.ts';
import { createExportCommand } from './export.ts';
import { createImportCommand } from './import.ts';
import { createMemberCommand } from './member.ts';
import { createMigrateCommand } from './migrate.ts';
import { createSearchCommand } from './search.ts';
import { createSeedCommand } from './seed.ts';
import { createServeCommand } from './serve.ts';
import { createSetupCommand } from './setup.ts';
import { createSpaceCommand } from './space.ts';
import { createTokenCommand } from './token.ts';
import { createUserCommand } from './user.ts';

const commands = [
  createServeCommand,
  createSetupCommand,
  createMigrateCommand,
  createSeedCommand,
  createSearchCommand,
  createImportCommand,
  createExportCommand,
  createSpaceCommand,
  createUserCommand,
  createMemberCommand,
  createTokenCommand,
];

/** The program with its commands. Wrong usage throws a CommanderError. */
export const createProgram = (): Command => {
  const program = new Command('muster')
    .description('A self-hosted contact platform: one GraphQL graph, and REST paths for legacy clients.')
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nSettings are read from the environment; docs/settings.md lists them.\nExit codes: 0 done, 1 failed, 2 wrong usage.',
    );
  for (const create of commands) program.addCommand(create());
  const configure = (command: Command): void => {
    command.exitOverride().showHelpAfterError();
    command.commands.forEach(configure);
  };
  configure(program);
  return program;
};

/** Runs a command line, prints its error, and yields the exit code; undefined when the command has set it, or goes on. */
export const runProgram = async (args: readonly string[]): Promise<number | undefined> => {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(`muster: ${explainCommandError(error)}`);
    return 1;
  }
};
