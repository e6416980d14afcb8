// The entry of the command line: serve (the default), setup, migrate, seed, search, import, export, space, user, member, token.
import { runProgram } from './commands/program.ts';

// A reader that stops early (`muster token list | head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Not commander's default command, to which a mistyped command would be an extra argument.
const args = process.argv.slice(2);
process.exitCode = (await runProgram(args.length > 0 ? args : ['serve'])) ?? process.exitCode;
