// Begins, continues and ends imports from another server, and tells what they have read of it.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { addAuditLines, describeCommand } from '../noun/audit.ts';

/** The operation in the audit log and in histories of consent. */
export const moveOperation = 'importServer';

const unfinished = defineStatement(
  'move.unfinished',
  `select i.id, i.created_at as "createdAt",
          array(select b.first_row from import_batches b where b.group_id = :group and b.import_id = i.id) as done
     from imports i
    where i.group_id = :group and i.fingerprint = :fingerprint and i.finished_at is null and i.undone_at is null and i.purged_at is null
    order by i.id desc limit 1`,
);
const begin = defineStatement(
  'move.begin',
  `insert into imports (group_id, family, name, fingerprint, user_id) values (:group, 'contacts', :name, :fingerprint, :by)
   returning id, created_at as "createdAt", cast('{}' as bigint[]) as done`,
);
const seen = defineStatement(
  'move.seen',
  `select (select count(*) from moved_records m
            where m.group_id = :group and m.source = :source and m.kind = 'contact' and m.import_id = :id)
        + coalesce((select sum(b.refused) from import_batches b
            where b.group_id = :group and b.import_id = :id and b.first_row > :after and b.first_row <= :upTo), 0) as number`,
);
const unseen = defineStatement(
  'move.unseen',
  `select m.source_id as "sourceId", m.record_id as id from moved_records m
     join contacts c on c.group_id = :group and c.id = m.record_id and c.deleted_at is null
    where m.group_id = :group and m.source = :source and m.kind = 'contact' and m.import_id <> :id and m.source_id > :after
      and m.source_id <> all(cast(:read as bigint[]))
      and not exists (select 1 from contacts b join moved_records o on o.group_id = :group and o.source = :source and o.kind = 'contact' and o.record_id = b.id
                        and (o.import_id = :id or o.source_id = any(cast(:read as bigint[])))
                       where b.group_id = :group and b.merged_into = c.id)
    order by m.source_id limit :limit`,
);
const membersByMail = defineStatement(
  'move.members_by_mail',
  `select lower(u.mail) as mail, u.id from members m join users u on u.id = m.user_id and u.deleted_at is null
    where m.group_id = :group and lower(u.mail) = any(cast(:mails as text[]))`,
);

/** An import that writes: its batches that are done, by their first rows, and when it began. */
export interface BegunMove {
  id: number;
  createdAt: string;
  done: Set<number>;
  continued: boolean;
}

/** Continues the interrupted import of the same source, or begins one. A dry run has an import that its transactions roll back. */
export const beginMove = (
  space: Space,
  { name, fingerprint, by, restart }: { name: string; fingerprint: Buffer; by: number | null; restart: boolean },
): Promise<BegunMove> =>
  space.transaction(async (tx) => {
    type Row = { id: number; createdAt: string; done: number[] };
    const known = restart ? undefined : await tx.row<Row>(unfinished, { fingerprint });
    const row = known ?? (await tx.row<Row>(begin, { name, fingerprint, by }))!;
    await addAuditLines(tx, describeCommand(moveOperation, by), { type: 'Import', ids: [row.id] });
    return { ...row, done: new Set(row.done), continued: known !== undefined };
  });

/** How many contacts of the source an import has read: those that it knows, and those that it rejected in batches with these rows. */
export const countSeenContacts = async (
  space: Space,
  source: string,
  rows: { id: number; after: number; upTo: number },
): Promise<number> => Number((await space.row<{ number: number | string }>(seen, { source, ...rows }))!.number);

/**
 * Pages of living contacts that an earlier import has moved, and of which this one has found in the source neither them nor any that was merged into
 * them here. `read` are the ids that a dry run has found there.
 */
export async function* listUnseenContacts(
  space: Space,
  source: string,
  { id, read, limit }: { id: number; read: Iterable<number>; limit: number },
): AsyncGenerator<{ sourceId: number; id: number }[]> {
  const values = { source, id, read: [...read], limit };
  let after = -1;
  for (;;) {
    const rows = await space.rows<{ sourceId: number; id: number }>(unseen, { ...values, after });
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    after = rows.at(-1)!.sourceId;
  }
}

/** The members of the space with these mails, which are in lower case. */
export const findMembersByMail = async (space: Space, mails: readonly string[]): Promise<Map<string, number>> =>
  new Map((await space.rows<{ mail: string; id: number }>(membersByMail, { mails })).map(({ mail, id }) => [mail, id]));
