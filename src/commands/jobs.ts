// muster jobs list | cancel: the work that is under way in all spaces.
import { Command } from 'commander';
import { cancelContactChange, countChange } from '../data/import/contact-change.ts';
import { addAuditLines, describeCommand } from '../data/noun/audit.ts';
import { listWork, type Work } from '../jobs/list-work.ts';
import { parseId } from './arguments.ts';
import { withDatabase, withSpace } from './database-url.ts';
import { formatMinute, printRows } from './table.ts';

const list = async ({ space, json }: { space?: number; json?: boolean }): Promise<void> => {
  const work = (await withDatabase(listWork, space)).filter((one) => space === undefined || one.space === space);
  printRows<Work>(
    work,
    {
      SPACE: (one) => one.space,
      WORK: (one) => one.work,
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      STATE: ({ state, failures }) => (failures > 0 ? `${state}, ${failures} failures` : state),
      DONE: ({ done, total }) => (total === null ? done : `${done} of ${total}`),
      SINCE: ({ since }) => formatMinute(since),
    },
    json,
  );
};

const cancel = (id: number, { space: spaceId }: { space: number }): Promise<void> =>
  withSpace(spaceId, async (space) => {
    const change = await space.transaction(async (tx) => {
      const cancelled = await cancelContactChange(tx, id);
      const action = describeCommand('cancelContactChange', undefined);
      await addAuditLines(tx, action, { type: 'Import', ids: [id], counts: countChange(cancelled) });
      return cancelled;
    });
    console.log(`change ${id} cancelled: ${change.changed} of ${change.total} contacts were changed, and stay so`);
  });

export const createCommand = (): Command => {
  const command = new Command('jobs').description('The work that is under way.').helpCommand(false);
  command
    .command('list', { isDefault: true })
    .description(
      'List what is under way or waits: changes of many contacts, imports that are not finished, deliveries to webhooks, changes without a place in the feed, segments to evaluate, search rows to derive again. Exports, erasures and retention are not in it: they leave no row behind while they work.',
    )
    .option('--space <id>', 'only this space', parseId)
    .option('--json', 'print one JSON object per line')
    .action(list);
  command
    .command('cancel')
    .description('Cancel a change of many contacts: what it has changed stays, and can be undone.')
    .argument('<change>', 'id of the change', parseId)
    .requiredOption('--space <id>', 'its space', parseId)
    .action(cancel);
  return command;
};
