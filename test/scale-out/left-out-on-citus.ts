// The tests that a run on a cluster leaves out, with the reasons.

interface LeftOut {
  /** Files of tests, below test/. */
  files: readonly string[];
  /** Words of the title; all tests of the files without them. */
  titled?: RegExp;
  reason: string;
}

export const leftOutOnCitus: readonly LeftOut[] = [
  {
    files: ['data/noun/plans.test.ts'],
    reason: 'the plans of a node are not those of the coordinator, which has none',
  },
  {
    files: ['commands/distribute.test.ts'],
    titled: /^distribute (--dry-run|with)|names the way$/,
    reason: 'the tests are about a database that is on no cluster',
  },
  {
    files: ['data/expired-rows.test.ts'],
    titled: /sweeps; another gives up at once/,
    reason: 'the test holds an advisory lock on the coordinator, and the job takes it on the node of a space',
  },
  {
    files: ['abuse/walks.test.ts'],
    reason: 'the test puts rows back from tables of the coordinator, which Citus does not join with those of all nodes',
  },
  {
    files: ['gate/bucket.test.ts', 'abuse/members.test.ts'],
    titled: /wait on one connection for a bucket that is locked|where it is linked at this moment/,
    reason: 'the test counts the sessions that wait, and a statement has several on a cluster',
  },
  {
    files: ['gate/ready.test.ts', 'commands/doctor.test.ts'],
    titled: /the role lacks (the|a) right/,
    reason: 'the role of the tests is a superuser on a cluster, whose rights cannot be revoked',
  },
  {
    files: ['commands/person.test.ts'],
    titled: /has lines in the audit log, which is printed/,
    reason: 'the test expects the latest line first, and the lines of two nodes are in the order of their nodes',
  },
  {
    files: ['database/webhook-editors.test.ts'],
    reason: 'the test takes a migration back, and that was in a database before it was on a cluster',
  },
];

/** Why a test is left out; undefined when it runs. */
export const findReason = (file: string, title: string): string | undefined =>
  leftOutOnCitus.find(
    ({ files, titled }) => files.some((one) => file.endsWith(`/test/${one}`)) && (titled?.test(title) ?? true),
  )?.reason;
