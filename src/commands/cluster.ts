// muster cluster status: shows the nodes of a Citus cluster, and where spaces are.
import { Command, Option } from 'commander';
import { readConfig } from '../config/config.ts';
import { useSession } from '../database/backup/session.ts';
import { listLargestSpaces, listNodes } from '../database/citus/status.ts';
import { parseWholeNumber } from './arguments.ts';
import { findDatabaseUrl } from './database-url.ts';
import { runAbortable } from './stopped.ts';
import { printRows } from './table.ts';

const formatBytes = (bytes: number | null): string | null => {
  if (bytes === null || bytes < 1024) return bytes === null ? null : `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${['KiB', 'MiB', 'GiB', 'TiB'][power - 1]}`;
};

const showStatus = ({ spaces, json }: { spaces?: number; json?: true }): Promise<void> =>
  runAbortable(async (signal) => {
    const url = await findDatabaseUrl(readConfig());
    await useSession(url, 'muster cluster status', signal, async (client) => {
      printRows(
        await listNodes(client),
        {
          NODE: ({ node }) => node,
          ROLE: ({ role }) => role,
          STATE: ({ active }) => (active ? 'active' : 'inactive'),
          ANSWERS: ({ reachable }) => (reachable ? 'yes' : 'unreachable'),
          SHARDS: ({ shards }) => shards,
          SIZE: ({ bytes }) => formatBytes(bytes),
          SPACES: (node) => node.spaces,
        },
        json,
      );
      if (spaces === undefined) return;
      const placed = await listLargestSpaces(client, spaces);
      if (!json) console.log('');
      printRows(
        placed,
        {
          SPACE: ({ space }) => space,
          NAME: ({ name }) => name,
          NODE: ({ node }) => node,
          SHARDS: ({ alone }) => (alone ? 'its own' : 'shared'),
          CONTACTS: ({ contacts }) => contacts,
          SIZE: ({ bytes }) => formatBytes(bytes),
        },
        json,
      );
    });
  });

export const createCommand = (): Command => {
  const command = new Command('cluster')
    .description('The Citus cluster that "muster distribute" spread the database over.')
    .helpCommand(false);
  command
    .command('status')
    .description('Show the nodes with their shards and spaces. A node that is down is shown as unreachable.')
    .addOption(
      new Option('--spaces [number]', 'also show the largest spaces, with their nodes; 20 unless you say how many')
        .argParser(parseWholeNumber(1, 1_000_000))
        .preset('20'),
    )
    .option('--json', 'print one JSON object per line: nodes, then spaces')
    .addHelpText(
      'after',
      '\nSHARDS counts groups of shards: each has a shard of every table by space. SIZE includes indexes; that of a space with shared shards is\nits part of them by its contacts.',
    )
    .action(showStatus);
  return command;
};
