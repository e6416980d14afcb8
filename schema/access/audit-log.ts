// The audit log of the space: who wrote which records by which operation.
import { type AuditRow, auditColumns, auditList } from '../../src/data/noun/audit.ts';
import { isAppNumber } from '../../src/data/noun/author.ts';
import { formatGlobalId } from '../../src/input/global-id.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineNodeFields, Node } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';
import { identifyApp, nameApp } from './app.ts';

/** Counts as a list, since a type of the graph has no keys of its own. */
export const listCounts = (counts: Readonly<Record<string, number>> | null) =>
  Object.entries(counts ?? {}).map(([name, count]) => ({ name, count }));

export const AuditCount = builder.objectRef<{ name: string; count: number }>('AuditCount').implement({
  description: 'How many records became what, by one operation.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What became of them, such as `created`, or their table.' }),
    count: t.exposeInt('count', { description: 'How many there were.' }),
  }),
});

const AuditLine = builder.objectRef<AuditRow>('AuditLine').implement({
  interfaces: [Node],
  description: 'A write of a record: who did it, when, and by which operation. It has no values.',
  fields: (t) => ({
    ...defineNodeFields(t, 'AuditLine'),
    ...defineColumnFields(t, auditColumns.columns),
    userId: t.id({
      nullable: true,
      description:
        'The id of the user who wrote it, even if they have left; null for an app, and for a command that ran as nobody.',
      resolve: ({ user_id: id }) => (id === null || isAppNumber(id) ? null : formatGlobalId('User', id)),
    }),
    appId: t.field(identifyApp('user_id', 'The id of the app that wrote it, even if it was deleted.')),
    appName: t.field(nameApp('user_id', 'The name of the app that wrote it.')),
    tokenId: t.expose('token_id', {
      type: 'SafeInt',
      nullable: true,
      description: 'The number of the access token; null for a command.',
    }),
    recordId: t.id({
      nullable: true,
      description: 'The id of the record, even if it is gone; null for an operation that has counts only.',
      resolve: ({ type, record_id }) => (record_id === null ? null : formatGlobalId(type, record_id)),
    }),
    recordDatabaseId: t.expose('record_id', {
      type: 'SafeInt',
      nullable: true,
      description: 'The number of the record; null for an operation that has counts only.',
    }),
    counts: t.field({
      type: [AuditCount],
      description: 'The counts of an operation on many records, such as an import.',
      resolve: ({ counts }) => listCounts(counts),
    }),
  }),
});

defineListConnection({
  field: 'auditLog',
  type: AuditLine,
  list: auditList,
  description:
    'The audit log of the space: one line for each record that an operation wrote. Lines are never changed. Those of interactions for superadmins are shown to them alone.',
  seesAll: ({ caller }) => caller.roleType === 'superadmin',
});
