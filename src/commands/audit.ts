// muster audit: prints the audit log of a space.
import { Command, InvalidArgumentError } from 'commander';
import { parseDateTime, printDateTime } from '../../schema/graph/scalars.ts';
import { type AuditRow, auditList } from '../data/noun/audit.ts';
import { isAppNumber } from '../data/noun/author.ts';
import type { Position } from '../data/noun/order.ts';
import type { ListPage } from '../data/noun/page.ts';
import { limits } from '../limits/limits.ts';
import { parseId, parseWholeNumber } from './arguments.ts';
import { workInSpace } from './database-url.ts';
import { escapeForTerminal } from './table.ts';

/** Reads an instant: days before now (`7d`), or a date-time of RFC 3339. */
const parseInstant = (text: string): string => {
  const days = /^(\d{1,5})d$/.exec(text);
  const instant = days ? new Date(Date.now() - Number(days[1]) * 86_400_000).toISOString() : parseDateTime(text);
  if (instant) return instant;
  throw new InvalidArgumentError('must be a number of days such as 7d, or a date-time such as 2027-01-31T00:00:00Z');
};

interface Options {
  space: number;
  since?: string;
  until?: string;
  user?: number;
  operation?: string;
  type?: string;
  record?: number;
  limit: number;
  json?: true;
}

const formatLine = ({ user_id: user, token_id: token, record_id: record, ...row }: AuditRow): string => {
  const counts = Object.entries(row.counts ?? {}).map(([name, count]) => `${count} ${name}`);
  const facts = [
    printDateTime(row.created_at),
    user === null ? 'command' : `${isAppNumber(user) ? 'app' : 'user'} ${user}`,
    token === null ? '' : `token ${token}`,
    row.operation,
    record === null ? row.type : `${row.type}:${record}`,
    row.fields.join(','),
    counts.join(', '),
    row.request_id,
  ];
  return escapeForTerminal(facts.filter(Boolean).join('  '));
};

/** The operator sees every line. */
const operatorView = { userId: -1, seesAll: true };

const printLines = ({ space: id, since, until, user, operation, type, record, limit, json }: Options): Promise<void> =>
  workInSpace({ space: id }, async (space) => {
    const filter = {
      ...((since || until) && { createdAt: { ...(since && { gte: since }), ...(until && { lt: until }) } }),
      ...(user !== undefined && { userId: { equals: user } }),
      ...(operation !== undefined && { operation: { equals: operation } }),
      ...(type !== undefined && { type: { equals: type } }),
      ...(record !== undefined && { recordDatabaseId: { equals: record } }),
    };
    const orderBy = { field: 'createdAt', direction: 'desc' } as const;
    let after: Position | null = null;
    // A reader that has seen enough, such as `head`, closes the pipe.
    for (let left = limit; left > 0 && !process.stdout.errored; ) {
      const first = Math.min(left, limits.list.page);
      const options = { filter, orderBy, first, after, viewer: operatorView };
      const page: ListPage<AuditRow> = await auditList.readPage(space, options);
      for (const { row } of page.rows) console.log(json ? JSON.stringify(row) : formatLine(row));
      left -= page.rows.length;
      if (!page.hasNextPage) return;
      after = page.rows.at(-1)!.position;
    }
  });

export const createCommand = (): Command =>
  new Command('audit')
    .description('Print the audit log of a space, the newest line first: who wrote what, and when. It has no values.')
    .requiredOption('--space <id>', 'the space', parseId)
    .option(
      '--since <when>',
      'only lines since then: 7d for seven days, or a date-time (2027-01-31T00:00:00Z)',
      parseInstant,
    )
    .option('--until <when>', 'only lines before then', parseInstant)
    .option('--user <id>', 'only lines of this user, or of this app', parseId)
    .option('--operation <name>', 'only lines of this operation, such as updateContact')
    .option('--type <type>', 'only lines of records of this type, such as Contact')
    .option('--record <id>', 'only lines of the record with this number', parseId)
    .option('--limit <count>', 'number of lines, at most', parseWholeNumber(1, 10_000_000), 100)
    .option('--json', 'print one JSON object per line')
    .action(printLines);
