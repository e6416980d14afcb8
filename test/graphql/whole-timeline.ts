// A contact whose timeline has an entry of each kind.
import { assignPositions } from '../../src/data/event/change.ts';
import { evaluateSegments } from '../../src/data/segment/segment-evaluation.ts';
import type { Door, Json } from '../harness/app.ts';
import { runMutation } from './writing.ts';

/** Gives the changes so far their places in the feed. */
export const publishChanges = async (door: Door): Promise<void> => void (await assignPositions(door.database.space(1)));

/** Creates the contact in space 1, with what `input` says of them, and returns their id. Most entries are of January 2025. */
export const createTimeline = async (door: Door, input: Json): Promise<number> => {
  await publishChanges(door);
  const { id } = await runMutation(door, 'createContact', input);
  const query = { nationality: { equals: 'XX' } };
  await runMutation(door, 'createSegment', { name: 'Of the timeline', query, isWatched: true });
  await evaluateSegments(door.database.space(1));
  for (const nationality of ['XX', null]) {
    await runMutation(door, 'updateContact', { id, nationality });
    await publishChanges(door);
    await evaluateSegments(door.database.space(1));
    await publishChanges(door);
  }
  await runMutation(door, 'updateContact', { id, tags: [{ name: 'timely' }] });
  await publishChanges(door);
  await runMutation(door, 'updateContact', { id, optedOut: true });
  await publishChanges(door);
  const forms = await door.sql(
    `with made as (insert into forms (group_id, kind, type, label) values (1, 'survey', 'text', 'Timely') returning id)
     insert into form_refs (group_id, form_id, label) select 1, id, 'text' from made returning form_id, id`,
  );
  const day = (at: number): string => `2025-01-${String(at).padStart(2, '0')}T10:00:00Z`;
  await door.sql(
    `insert into answers (group_id, contact_id, form_id, form_ref_id, data, date) values (1, ?, ?, ?, 'yes', ?)`,
    [id, forms[0].form_id, forms[0].id, day(1)],
  );
  for (const [table, columns, values] of [
    ['notes', 'content, created_at', ['said', day(2)]],
    ['interactions', 'type, created_at', ['call', day(3)]],
    ['interactions', 'type, only_super_admin, created_at', ['secret', true, day(4)]],
    ['transactions', 'amount, date', [100, day(5)]],
    ['donations', 'amount, transaction_date', [100, day(6)]],
    ['memberships', 'amount, start_date', [100, '2025-01-07']],
    ['sanctions', 'status, start_date', ['warned', day(8)]],
    [
      'emails',
      'created_at, delivered_at, opened_at, clicked_at, bounced_at, unsubscribed_at, abuse_report_at',
      [9, 10, 11, 12, 13, 14, 15].map(day),
    ],
  ] as const)
    await door.sql(
      `insert into ${table} (group_id, contact_id, ${columns}) values (1, ?, ${values.map(() => '?').join(', ')})`,
      [id, ...values],
    );
  await door.sql(`insert into notes (group_id, contact_id, content, deleted_at) values (1, ?, 'deleted', now())`, [id]);
  return id;
};
