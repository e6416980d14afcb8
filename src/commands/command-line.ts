// The table of commands: the help shows all of them, and a run loads the one that it names.
import { Command, CommanderError } from 'commander';
import { StoppedBySignal } from './stopped.ts';

interface CommandEntry {
  name: string;
  /** The line in the help of `muster`. `--help` of the command says more. */
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
    name: 'setup',
    summary: 'create the first space, its first user, and a token',
    load: async () => (await import('./setup.ts')).createSetupCommand(),
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
    name: 'distribute',
    summary: 'spread the database over a Citus cluster, by space',
    load: async () => (await import('./distribute.ts')).createDistributeCommand(),
  },
  {
    name: 'cluster',
    summary: 'show the nodes of the cluster, and where spaces are',
    load: async () => (await import('./cluster.ts')).createClusterCommand(),
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
    name: 'space',
    summary: 'create, list, rename, move and delete spaces',
    load: async () => (await import('./space.ts')).createSpaceCommand(),
  },
  {
    name: 'token',
    summary: 'create, list and revoke access tokens',
    load: async () => (await import('./token.ts')).createTokenCommand(),
  },
  {
    name: 'user',
    summary: 'create and list users; confirm a mail address',
    load: async () => (await import('./user.ts')).createUserCommand(),
  },
  {
    name: 'member',
    summary: 'add, invite and remove members of a space; change their role',
    load: async () => (await import('./member.ts')).createMemberCommand(),
  },
  {
    name: 'person',
    summary: 'export or erase all that a space holds of one person',
    load: async () => (await import('./person.ts')).createPersonCommand(),
  },
  {
    name: 'audit',
    summary: 'print who wrote what',
    load: async () => (await import('./audit.ts')).createAuditCommand(),
  },
  {
    name: 'jobs',
    summary: 'list the work under way; cancel a change of contacts',
    load: async () => (await import('./jobs.ts')).createJobsCommand(),
  },
  {
    name: 'config',
    summary: 'print every setting, without secrets',
    load: async () => (await import('./config.ts')).createConfigCommand(),
  },
  {
    name: 'doctor',
    summary: 'check the installation, and say what to mend',
    load: async () => (await import('./doctor.ts')).createDoctorCommand(),
  },
  {
    name: 'retention',
    summary: 'delete for good what is past its days',
    load: async () => (await import('./retention.ts')).createRetentionCommand(),
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
