// The types of records that files hold: which columns are written, which references have a label, and what is special about each type.
import { defineStatement, type Statement } from '../../database/statement.ts';
import { campaigns } from '../contact/campaign.ts';
import { emailEventColumns } from '../contact/email.ts';
import { donations, memberships, sanctions, transactions } from '../money/records.ts';
import { donationPrices, membershipPrices, transactionStatuses } from '../money/settings.ts';
import type { ColumnSpec, ReferenceTarget, TableSpec } from '../noun/crud-sql.ts';

export const recordTypeNames = [
  ...(['notes', 'interactions', 'transactions', 'donations', 'memberships', 'sanctions', 'emails'] as const),
];
export type RecordTypeName = (typeof recordTypeNames)[number];

/** How a record names, by text, the entry of a list that one of its columns refers to. */
export interface Label {
  column: string;
  target: ReferenceTarget;
  /** Column of a file → SQL of its text, over an entry `t`. The first names the entry; the others distinguish entries of the same name. */
  texts: Readonly<Record<string, string>>;
  /** Columns of a new entry, each with the column of a file that fills it; without it an entry must exist already. */
  makes?: Readonly<Record<string, string>>;
}

export interface RecordType extends TableSpec {
  /** The name of the table, and of the type in imports and exports. */
  name: RecordTypeName;
  label?: Label;
  /** Whether its records change their contact; e-mails do not. */
  touches: boolean;
  /** Columns that exports have and imports ignore. */
  shown: readonly string[];
  /** SQL of a number that stays the same until the record under this alias is changed. */
  mark: (alias: string) => string;
}

const madeAt: Record<string, ColumnSpec> = { created_at: { otherwise: 'now()' } };
const updatedAt = (alias: string): string => `cast(extract(epoch from ${alias}.updated_at) * 1000000 as bigint)`;

const defineRecordType = (spec: Omit<TableSpec, 'onContact'>, label?: Label): RecordType => ({
  ...spec,
  name: spec.table as RecordTypeName,
  onContact: true,
  touches: true,
  mark: updatedAt,
  ...(label && { label }),
  shown: [...('created_at' in spec.columns ? [] : ['created_at']), 'updated_at'],
});

const emailColumns: Record<string, ColumnSpec> = {
  user_id: {},
  campaign_id: { refers: campaigns },
  type: {},
  clicked_urls: {},
  ...Object.fromEntries(emailEventColumns.map((column) => [column, {}])),
  ...madeAt,
};

const list: RecordType[] = [
  defineRecordType({
    table: 'notes',
    noun: 'note',
    columns: { user_id: {}, content: {}, pinned: { otherwise: 'false' }, ...madeAt },
  }),
  defineRecordType({
    table: 'interactions',
    noun: 'interaction',
    columns: {
      user_id: {},
      type: {},
      sub_type: {},
      title: {},
      comments: {},
      only_super_admin: { otherwise: 'false' },
      ...madeAt,
    },
  }),
  defineRecordType(transactions, {
    column: 'status_id',
    target: transactionStatuses,
    texts: { transaction_status: 't.name' },
  }),
  defineRecordType(donations, {
    column: 'donation_price_id',
    target: donationPrices,
    texts: { donation_price: 't.name' },
  }),
  defineRecordType(memberships, {
    column: 'membership_price_id',
    target: membershipPrices,
    texts: {
      membership_price: 't.name',
      membership_price_group:
        '(select p.name from membership_price_groups p where p.group_id = :group and p.id = t.membership_price_group_id)',
    },
  }),
  defineRecordType(sanctions),
  {
    ...defineRecordType(
      { table: 'emails', noun: 'e-mail', columns: emailColumns },
      {
        column: 'campaign_id',
        target: campaigns,
        texts: { campaign: 't.name', campaign_subject: 't.subject' },
        makes: { name: 'campaign', subject: 'campaign_subject' },
      },
    ),
    touches: false,
    shown: [],
    // E-mails have no time of change: their event times stand for it.
    mark: (alias) =>
      `hash_record_extended(row(${Object.keys(emailColumns)
        .map((column) => `${alias}.${column}`)
        .join(', ')}), 0)`,
  },
];

/** The columns of a file of these records, in the order of an export; `amount_decimal` is read only. */
export const listColumnNames = ({ name, columns, label, shown }: RecordType): string[] => [
  'id',
  'contact_id',
  'contact_external_id',
  'contact_mail',
  ...Object.keys(columns).flatMap((column) => {
    if (column === label?.column) return [column, ...Object.keys(label.texts)];
    return column === 'amount' ? [column, 'amount_decimal'] : [column];
  }),
  ...(name === 'interactions' ? ['files'] : []),
  ...shown,
];

export const recordTypes: ReadonlyMap<RecordTypeName, RecordType> = new Map(
  list.map((family) => [family.name, family]),
);

/** A statement of each type of records, by the name of the type. */
export const defineForEach = (verb: string, buildSql: (family: RecordType) => string): Map<RecordTypeName, Statement> =>
  new Map([...recordTypes].map(([name, family]) => [name, defineStatement(`${name}.${verb}`, buildSql(family))]));

/**
 * Tables whose statistics an import of contacts changes. The search rows are analyzed only for the columns that identify people: the others
 * take twice as long, and can wait.
 */
export const tablesOfContacts: readonly string[] = [
  'contacts',
  'addresses',
  'tags',
  'contact_tags',
  'answers',
  'contact_search (group_id, contact_id, mail, surname, firstname)',
  'search_words',
  'import_contacts',
  'import_keys',
];
