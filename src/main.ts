// The command line: serve (the default), migrate, seed, token.
import { Command, CommanderError } from 'commander';
import { migrateCommand } from './commands/migrate.ts';
import { seedCommand } from './commands/seed.ts';
import { serveCommand } from './commands/serve.ts';
import { tokenCommand } from './commands/token.ts';

const program = new Command('muster')
  .description('A self-hosted contact platform: one GraphQL graph, and the REST paths that legacy clients know.')
  .helpCommand(false)
  .addHelpText(
    'after',
    '\nSettings are read from the environment; docs/settings.md lists them.\nExit codes: 0 done, 1 failed, 2 wrong usage.',
  )
  .exitOverride();

program.addCommand(serveCommand(), { isDefault: true });
program.addCommand(migrateCommand());
program.addCommand(seedCommand());
program.addCommand(tokenCommand());
for (const command of program.commands) {
  command.exitOverride();
  for (const inner of command.commands) inner.exitOverride();
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    console.error(`muster: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
