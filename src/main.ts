// The entry of the command line: refuses a Node that is too old before anything else is loaded, and then runs the command.
import { explainOldNode } from './commands/node-version.ts';
import { readPackage } from './database/package-file.ts';

const { version, engines } = readPackage();
const refusal = explainOldNode(engines.node, process.versions.node);
if (refusal) {
  console.error(`muster: ${refusal}`);
  process.exitCode = 1;
} else {
  let isTold = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A reader that stops early (`muster token list | head`) is not a failure. A command that listens too reports what fails.
    if (isTold || code === 'EPIPE' || process.stdout.listenerCount('error') > 1) return;
    isTold = true;
    process.exitCode = 1;
    console.error(`muster: standard output cannot be written: ${message}`);
  });
  // The same reader may have both (`muster import … 2>&1 | head`): without a listener, what is said to nobody would end the command.
  process.stderr.on('error', () => {});
  // Imported on demand: an old Node could not even read the rest.
  const { runCommandLine } = await import('./commands/command-line.ts');
  await runCommandLine(process.argv.slice(2), version);
}
