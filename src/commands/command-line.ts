// The table of commands: the help shows all of them, and a run loads the one that it names.
import { Command, CommanderError } from 'commander';
import { StoppedBySignal } from './stopped.ts';

/** The line of a command in the help of `muster`, and its module. `--help` of the command says more. */
type CommandEntry = [summary: string, load: () => Promise<{ createCommand(): Command }>];

// Each is imported on demand: the graph, the driver of the database and the demo data take longer to load than most commands to run.
export const commands: Record<string, CommandEntry> = {
  serve: ['serve GraphQL and REST', () => import('./serve.ts')],
  setup: ['create the first space, its first user, and a token', () => import('./setup.ts')],
  migrate: ['bring the schema of the database up to this version', () => import('./migrate.ts')],
  seed: ['fill an empty database with invented people', () => import('./seed.ts')],
  backup: ['write the whole database to a file, while it serves', () => import('./backup.ts')],
  restore: ['fill an empty database from a backup, or verify a backup', () => import('./restore.ts')],
  distribute: ['spread the database over a Citus cluster, by space', () => import('./distribute.ts')],
  cluster: ['show the nodes of the cluster, and where spaces are', () => import('./cluster.ts')],
  search: ['verify or rebuild the rows that search reads', () => import('./search.ts')],
  import: ['write contacts or records from a file; list and undo imports', () => import('./import.ts')],
  'move-in': ['move a space in from another server, or from its exports', () => import('./move-in.ts')],
  export: ['write contacts or records to a file', () => import('./export.ts')],
  space: ['create, list, rename, move and delete spaces', () => import('./space.ts')],
  token: ['create, list and revoke access tokens', () => import('./token.ts')],
  app: ['create, list and delete programs that call as themselves', () => import('./app.ts')],
  user: ['create and list users; confirm a mail address', () => import('./user.ts')],
  member: ['add, invite and remove members of a space; change their role', () => import('./member.ts')],
  person: ['export or erase all that a space holds of one person', () => import('./person.ts')],
  audit: ['print who wrote what', () => import('./audit.ts')],
  jobs: ['list the work under way; cancel a change of contacts', () => import('./jobs.ts')],
  config: ['print every setting, without secrets', () => import('./config.ts')],
  doctor: ['check the installation, and say how to mend it', () => import('./doctor.ts')],
  retention: ['delete what the RETENTION_ settings no longer keep', () => import('./retention.ts')],
};

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
  for (const [name, [summary, load]] of Object.entries(commands))
    program.addCommand(name === named ? (await load()).createCommand() : new Command(name).summary(summary));
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
