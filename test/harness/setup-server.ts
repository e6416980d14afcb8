// Runs beside every test file that uses the server: leaves out what no cluster has, and checks that each statement that a Space sent is scoped to that space, and can be sent to its node on a cluster.
import { afterAll, beforeEach, expect, inject } from 'vitest';
import { findReason } from '../scale-out/left-out-on-citus.ts';
import { seen, sound } from './recorded-statements.ts';

beforeEach(({ task, skip }) => {
  const reason = inject('onCluster') && findReason(task.file.filepath, task.name);
  if (reason) skip(reason);
});

seen.clear();
afterAll(async () => {
  if (seen.size === 0) return;
  const { isCrossing, findConditionalCalls, findDependentInserts, findIndirect, findSharedLocks, checkScope } =
    await import('../search/scoped.ts');
  const { tables, functions } = inject('catalogue');
  const catalogue = { tables: new Set(tables), functions: new Set(functions) };
  const wrong = [...seen.values()].flatMap(({ space, ...one }) => {
    const faults = isCrossing(one)
      ? []
      : [
          ...checkScope(one, space, catalogue),
          ...findIndirect(one, space, catalogue),
          ...findDependentInserts(one.sql),
          ...findConditionalCalls(one.sql),
          ...findSharedLocks(one.sql),
        ];
    return faults.length > 0 ? [{ faults, sql: one.sql }] : [];
  });
  expect(wrong).toEqual([]);
  for (const key of seen.keys()) sound.add(key);
});
