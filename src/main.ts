// The command line: serve (the default), migrate, search, seed, import, export, token, user.
import { Command, CommanderError } from 'commander';
import { createAuditCommand } from './commands/audit.ts';
import { explainCommandError } from './commands/error-message.ts';
import { createExportCommand } from './commands/export.ts';
import { createImportCommand } from './commands/import.ts';
import { createMigrateCommand } from './commands/migrate.ts';
import { createPersonCommand } from './commands/person.ts';
import { createRetentionCommand } from './commands/retention.ts';
import { createSearchCommand } from './commands/search.ts';
import { createSeedCommand } from './commands/seed.ts';
import { createServeCommand } from './commands/serve.ts';
import { createTokenCommand } from './commands/token.ts';
import { createUserCommand } from './commands/user.ts';

const program = new Command('muster')
  .description('A self-hosted contact platform: one GraphQL graph, and REST paths for legacy clients.')
  .helpCommand(false)
  .addHelpText(
    'after',
    '\nSettings are read from the environment; docs/settings.md lists them.\nExit codes: 0 done, 1 failed, 2 wrong usage.',
  )
  .exitOverride();

const commands = [
  createServeCommand,
  createMigrateCommand,
  createSeedCommand,
  createSearchCommand,
  createImportCommand,
  createExportCommand,
  createTokenCommand,
  createUserCommand,
  createPersonCommand,
  createAuditCommand,
  createRetentionCommand,
];
for (const command of commands) program.addCommand(command());
const configure = (command: Command): void => {
  command.exitOverride().showHelpAfterError();
  command.commands.forEach(configure);
};
configure(program);

// A reader that stops early (`muster token list | head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  // Not commander's default command, to which a mistyped command would be an extra argument.
  await program.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve']);
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    console.error(`muster: ${explainCommandError(error)}`);
    process.exitCode = 1;
  }
}
