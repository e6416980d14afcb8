// muster person export | erase: all data of one contact, written to a file or deleted for good.
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { addAuditLines, describeCommand } from '../data/noun/audit.ts';
import { countPersonRows, erasePerson, type RowCounts } from '../data/upkeep/person-erase.ts';
import { exportPerson } from '../data/upkeep/person-export.ts';
import { parseId } from './arguments.ts';
import { workInSpace } from './database-url.ts';
import { writePrivateFile } from './private-file.ts';

const formatCounts = (counts: RowCounts): string =>
  Object.entries(counts)
    .map(([table, count]) => `  ${table}: ${count}`)
    .join('\n');

/** Asks for the id again on the terminal. Throws where nobody can answer. */
const confirm = async (contact: number): Promise<void> => {
  if (!process.stdin.isTTY) throw new Error('Nobody can be asked here: add --yes to erase without a question');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(
      'Nothing brings these rows back. Type the id of the contact to erase them: ',
    );
    if (answer.trim() !== String(contact)) throw new Error('That is not the id; nothing was erased');
  } finally {
    terminal.close();
  }
};

/** The data of a deleted space stays in the database, so its people can still ask for theirs. */
const mayBeDeleted = true;

const erase = (
  contact: number,
  { space: spaceId, user, yes, dryRun }: { space: number; user?: number; yes?: true; dryRun?: true },
): Promise<void> =>
  workInSpace({ space: spaceId, user, mayBeDeleted }, async (space) => {
    console.error(`Rows of contact ${contact}, by table:\n${formatCounts(await countPersonRows(space, contact))}`);
    if (dryRun) return;
    if (!yes) await confirm(contact);
    const counts = await space.transaction(async (tx) => {
      const erased = await erasePerson(tx, contact);
      const receipt = { type: 'Contact', ids: [contact], counts: erased };
      await addAuditLines(tx, describeCommand('erasePerson', user), receipt);
      return erased;
    });
    console.log(`contact ${contact} erased:\n${formatCounts(counts)}`);
  });

export const createCommand = (): Command => {
  const command = new Command('person')
    .description('All data of one contact: export it, or erase it.')
    .helpCommand(false);
  command
    .command('export')
    .description(
      'Write all that any table holds of a contact, and of contacts that were merged into it, as JSON. The file can be read by its owner alone.',
    )
    .requiredOption('--space <id>', 'the space', parseId)
    .argument('<contact>', 'id of the contact', parseId)
    .argument('[file]', 'a new file (default: standard output)')
    .action((contact: number, file: string | undefined, options: { space: number }) =>
      workInSpace({ ...options, mayBeDeleted }, async (space) => {
        const text = `${await exportPerson(space, contact)}\n`;
        if (file === undefined) process.stdout.write(text);
        else await writePrivateFile(file, async (target) => void target.write(text));
      }),
    );
  command
    .command('erase')
    .description(
      'Delete a contact for good, with those that were merged into it and every row about them. It prints the rows by table, then asks for the id. A linked user account stays; so do backups and logs: see docs/privacy.md.',
    )
    .requiredOption('--space <id>', 'the space', parseId)
    .option('--user <id>', 'the user who erases, for the audit log (default: nobody)', parseId)
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only print the rows by table')
    .argument('<contact>', 'id of the contact', parseId)
    .action(erase);
  return command;
};
