// muster space create | list | rename | country | move | delete: manages the spaces of a database.
import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { deleteSpace, type ListedSpace, listSpaces, renameSpace, setSpaceCountry } from '../data/access/space.ts';
import { type AuditedRecords, addAuditLines, describeCommand } from '../data/noun/audit.ts';
import { useSession } from '../database/backup/session.ts';
import type { NodeAddress } from '../database/citus/distribute.ts';
import { moveSpace } from '../database/citus/status.ts';
import { parseCountry, parseId, parseName } from './arguments.ts';
import { findDatabaseUrl, withDatabase, writeInSpace } from './database-url.ts';
import { formatNode, parseNode } from './distribute.ts';
import { askTerminal } from './question.ts';
import { addSpaceOptions, createSpaceByAnswers, readSpaceOptions } from './setup.ts';
import { runAbortable } from './stopped.ts';
import { escapeForTerminal, formatMinute, printRows } from './table.ts';

const findSpace = (spaces: readonly ListedSpace[], id: number): ListedSpace => {
  const found = spaces.find((space) => space.id === id && space.deletedAt === null);
  if (!found) throw new Error(`There is no space ${id}`);
  return found;
};

const describeAuditedSpace = (id: number): AuditedRecords => ({ type: 'Space', ids: [id] });

/** Throws unless the operator types the name of the space. Without a terminal it ends the command as wrong usage. */
const confirmByName = async (command: Command, { name, members, contacts }: ListedSpace): Promise<void> => {
  if (!process.stdin.isTTY) command.error('error: stdin is no terminal, so nothing can be asked: confirm with --yes');
  console.error(`${escapeForTerminal(name)}: ${members} members, ${contacts} contacts. Its tokens will open nothing.`);
  const answer = await askTerminal((ask) => ask('Type its name to delete it'));
  if (answer !== name.trim()) throw new Error('That is another name: nothing was deleted');
};

export const createCommand = (): Command => {
  const command = new Command('space')
    .description('Spaces: create, list, rename, set the country, move, delete.')
    .helpCommand(false);
  addSpaceOptions(
    command
      .command('create')
      .description('Create a space with its roles and forms, and its superadmin. Prints a token for them.'),
  ).action(async (given, self: Command) => {
    const answers = await readSpaceOptions(self, given, {});
    await withDatabase((database) => createSpaceByAnswers(database, answers, given, false));
  });
  command
    .command('list')
    .description('List spaces with their members and contacts.')
    .option('--json', 'print one JSON object per line')
    .action(async ({ json }: { json?: boolean }) => {
      const spaces = await withDatabase(({ readers }) => listSpaces(readers));
      printRows(
        spaces,
        {
          SPACE: ({ id }) => id,
          NAME: ({ name }) => name,
          COUNTRY: ({ country }) => country ?? '',
          MEMBERS: ({ members }) => members,
          CONTACTS: ({ contacts }) => contacts,
          STATE: ({ deletedAt }) => (deletedAt === null ? 'active' : 'deleted'),
          CREATED: ({ createdAt }) => formatMinute(createdAt),
        },
        json,
      );
    });
  command
    .command('rename')
    .description('Rename a space.')
    .argument('<id>', 'id of the space', parseId)
    .requiredOption('--name <name>', 'the new name', parseName)
    .action(async (id: number, { name }: { name: string }) => {
      await writeInSpace(
        id,
        'renameSpace',
        (tx) => renameSpace(tx, name),
        () => describeAuditedSpace(id),
      );
      console.log(`space ${id} is called ${escapeForTerminal(name)}`);
    });
  command
    .command('country')
    .description(
      'Set the country of a space: where a contact has none, phones without a calling code are compared as numbers of it.',
    )
    .argument('<id>', 'id of the space', parseId)
    .argument('<country>', 'its two letters of ISO 3166, such as FR, or "none"', (text) =>
      text === 'none' ? null : parseCountry(text),
    )
    .addHelpText('after', '\nSearches find phones by it once a job has derived the search rows of the space again.')
    .action(async (id: number, country: string | null) => {
      await writeInSpace(
        id,
        'setSpaceCountry',
        (tx) => setSpaceCountry(tx, country),
        () => describeAuditedSpace(id),
      );
      console.log(country === null ? `space ${id} has no country` : `the country of space ${id} is ${country}`);
    });
  command
    .command('move')
    .description(
      'Move a space to another worker of a Citus cluster. Its writers wait until it has moved; its readers do not.',
    )
    .argument('<id>', 'id of the space', parseId)
    .requiredOption('--to <host:port>', 'the worker, as "muster cluster status" shows it', parseNode)
    .addHelpText(
      'after',
      '\nThe space first gets its own shards. Writers of the spaces that shared its shards wait for that too. A stopped move can be run again.',
    )
    .action((id: number, { to }: { to: NodeAddress }) =>
      runAbortable(async (signal) => {
        const url = await findDatabaseUrl(readConfig());
        const from = await useSession(url, 'muster space move', signal, (client) =>
          moveSpace(client, id, to, (step) => console.error(step)),
        );
        const node = formatNode(to);
        console.log(from === node ? `space ${id} is on ${node} already` : `space ${id} moved from ${from} to ${node}`);
      }),
    );
  command
    .command('delete')
    .description(
      'Delete a space: its tokens and invitations open nothing from then on. Its data stays in the database.',
    )
    .argument('<id>', 'id of the space', parseId)
    .option('--yes', 'do not ask for the name of the space')
    .action(async (id: number, { yes }: { yes?: boolean }, self: Command) => {
      await withDatabase(async (database) => {
        const found = findSpace(await listSpaces(database.readers), id);
        if (!yes) await confirmByName(self, found);
        await database.space(id).transaction(async (tx) => {
          await deleteSpace(tx, found.name);
          await addAuditLines(tx, describeCommand('deleteSpace'), describeAuditedSpace(id));
        });
      });
      console.log(`space ${id} deleted`);
    });
  return command;
};
