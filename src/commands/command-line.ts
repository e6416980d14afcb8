// The table of commands: the help shows all of them, and a run loads the one that it names.
import { Command, CommanderError } from 'commander';
import { StoppedBySignal } from './stopped.ts';

interface CommandEntry {
  name: string;
  /** What the help says about it. The command itself says more. */
  summary: string;
  load(): Promise<Command>;
}

// Each is imported on demand: the graph, the driver of the database and the demo data take longer to load than most commands to run.
export const commands: CommandEntry[] = [
  {
    name: 'serve',
    summary: 'serve GraphQL and REST',
    load: async () => (await import('./serve.ts')).createServeCommand(),
  },
  {
    name: 'migrate',
    summary: 'bring the schema of the database up to this version',
    load: async () => (await import('./migrate.ts')).createMigrateCommand(),
  },
  {
    name: 'seed',
    summary: 'fill an empty database with invented people',
    load: async () => (await import('./seed.ts')).createSeedCommand(),
  },
  {
    name: 'backup',
    summary: 'write the whole database to a file, while it serves',
    load: async () => (await import('./backup.ts')).createBackupCommand(),
  },
  {
    name: 'restore',
    summary: 'fill an empty database from a backup, or verify a backup',
    load: async () => (await import('./restore.ts')).createRestoreCommand(),
  },
  {
    name: 'search',
    summary: 'verify or rebuild the rows that search reads',
    load: async () => (await import('./search.ts')).createSearchCommand(),
  },
  {
    name: 'import',
    summary: 'write contacts or records from a file; list and undo imports',
    load: async () => (await import('./import.ts')).createImportCommand(),
  },
  {
    name: 'export',
    summary: 'write contacts or records to a file',
    load: async () => (await import('./export.ts')).createExportCommand(),
  },
  {
    name: 'token',
    summary: 'create, list and revoke access tokens',
    load: async () => (await import('./token.ts')).createTokenCommand(),
  },
  {
    name: 'user',
    summary: 'confirm the mail address of a user',
    load: async () => (await import('./user.ts')).createUserCommand(),
  },
];

const configure = (command: Command): void => {
  command.exitOverride().showHelpAfterError();
  command.commands.forEach(configure);
};

/** The command line with the named command. Every other one has its line in the help only. */
const createProgram = async (named: string | undefined, version: string): Promise<Command> => {
  const program = new Command('muster')
    .description('A self-hosted contact platform: one GraphQL graph, and REST paths for legacy clients.')
    .version(version)
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nEvery command has --help. Settings are read from the environment; docs/settings.md lists them.\nExit codes: 0 done, 1 failed, 2 wrong usage.',
    );
  for (const { name, summary, load } of commands)
    program.addCommand(name === named ? await load() : new Command(name).summary(summary));
  configure(program);
  return program;
};

/** Runs a command line. A bare `muster` prints the help. */
export const runCommandLine = async (args: string[], version: string): Promise<void> => {
  // A reader that stops early (`muster token list | head`) is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    const named = args.find((arg) => !arg.startsWith('-'));
    const program = await createProgram(named, version);
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      const { explainCommandError } = await import('./error-message.ts');
      console.error(`muster: ${explainCommandError(error)}`);
      process.exitCode = error instanceof StoppedBySignal ? error.exitCode : 1;
    }
  }
};
