// The job queue: its tables are those of the installed pg-boss, each job of the table has a queue, and a job that is killed runs again.
import { readFileSync } from 'node:fs';
import PgBoss from 'pg-boss';
import { beforeAll, describe, expect, it } from 'vitest';
import { openJobQueue, type TakenJob } from '../../src/jobs/queue.ts';
import { jobNames } from '../../src/jobs/table.ts';
import { type Door, openApp } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';
import { startJobs } from '../webhook/receiver.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

/** Words alone, without what opens and closes a transaction. */
const normalize = (sql: string): string =>
  sql
    .replaceAll(/^--.*$/gm, '')
    .replace(/^[\s\S]*?(?=create schema)/i, '')
    .replace(/COMMIT;?\s*$/, '')
    .replaceAll(/[\s;]+/g, ' ')
    .trim();

describe('the queue', () => {
  it('has the tables of the installed version', () => {
    expect(normalize(readFileSync('migrations/0016_jobs.sql', 'utf8'))).toBe(
      normalize(PgBoss.getConstructionPlans('pgboss')),
    );
  });

  it('has a queue for every job', async () => {
    const rows = await door.sql('select name from pgboss.queue');
    expect(rows.map(({ name }) => name).sort()).toEqual([...jobNames].sort());
  });

  it('keeps one waiting job of the same input, and gives a job again that did not end in time', async () => {
    const errors: unknown[] = [];
    const queue = await openJobQueue(door.database, (error) => errors.push(error));
    await queue.send('publish-changes', { space: 7 });
    await queue.send('publish-changes', { space: 7 });
    const [job, ...more] = await queue.take('publish-changes', 5);
    expect([job!.input, more]).toEqual([{ space: 7 }, []]);
    // While one runs, another may wait.
    await queue.send('publish-changes', { space: 7 });
    const [next] = await queue.take('publish-changes', 5);
    expect(next!.id).not.toBe(job!.id);
    await queue.complete('publish-changes', next!.id);
    await queue.fail('publish-changes', job!.id, new Error('no'));
    let again: TakenJob | undefined;
    await waitUntil('the failed job waits again', async () => {
      [again] = await queue.take('publish-changes', 5);
      return again;
    });
    expect(again!.id).toBe(job!.id);
    await queue.complete('publish-changes', again!.id);
    await queue.close();
    expect(errors).toEqual([]);
  });
});

describe('a process that works on jobs', () => {
  it('gives positions to changes that nobody reads, and stops at once', async () => {
    await door.sql(`insert into actions (group_id, name) values (1, 'published by a job'), (2, 'too')`);
    const { failures, stop } = startJobs(door);
    await waitUntil('the outbox is empty', async () => (await door.sql('select from change_queue')).length === 0);
    const began = performance.now();
    await stop();
    expect(performance.now() - began).toBeLessThan(1000);
    expect(failures).toEqual([]);
    const rows = await door.sql(`select group_id from changes where type = 'Action' order by 1`);
    expect(rows.map(({ group_id }) => group_id)).toEqual([1, 2]);
  });
});
