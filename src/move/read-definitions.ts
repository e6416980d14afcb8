// Reads forms, prices, statuses and teams as the contract shows them, as rows of their tables.
import { convertToTeamContent } from '../../schema/access/team.ts';
import { legacySchema } from '../../schema/index.ts';
import type { TeamContent } from '../data/access/team-write.ts';
import { formKinds, formTypes } from '../data/form/form.ts';
import type { Values } from '../database/statement.ts';
import { read } from '../input/legacy-input.ts';
import type { Fault } from '../problem.ts';
import { getItems, isSourceRecord, readFlag, readId, readInstant, readText } from './read-value.ts';
import type { SourceRecord } from './source.ts';

/** A definition with its id in the source, or why it cannot be read. */
export type ReadDefinition = { sourceId: number; row: Values } | { faults: Fault[] };

const readTimes = (record: SourceRecord): Values => ({
  created_at: readInstant(record.CreatedAt, record.created_at),
  updated_at: readInstant(record.UpdatedAt, record.updated_at),
});

/** A row with these fields; a required one that is unreadable is a fault. */
const build = (record: SourceRecord, required: Values, row: Values = {}): ReadDefinition => {
  const sourceId = readId(record.id);
  const faults = Object.entries(required).flatMap(([location, value]) =>
    value === undefined ? [{ location, message: 'is missing or unreadable', value: record[location] }] : [],
  );
  if (sourceId === undefined)
    faults.unshift({ location: 'id', message: 'must be a whole number below 2^53', value: record.id });
  return faults.length > 0 ? { faults } : { sourceId: sourceId!, row: { ...row, ...required, ...readTimes(record) } };
};

const among = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((one) => one === value);

/** A form. Its kind is that of the route which listed it. */
export const readForm = (form: SourceRecord): ReadDefinition =>
  build(form, {
    kind: among(formKinds, form.kind),
    label: readText(form.label),
    type: among(formTypes, form.type),
  });

/** The options of a form that has this id here. */
export const readOptions = (form: SourceRecord, formId: number): ReadDefinition[] =>
  getItems(form.refvalues).map((option, position) =>
    build(
      option,
      { label: readText(option.label ?? option.value) },
      { form_id: formId, position, value: readText(option.value) ?? null },
    ),
  );

export const readPriceGroup = (group: SourceRecord): ReadDefinition =>
  build(group, { name: readText(group.name) }, { hidden: readFlag(group.hidden) });

export const readPrice = (price: SourceRecord, more: Values = {}): ReadDefinition => {
  const currency = price.currency == null || price.currency === '' ? 'EUR' : price.currency;
  return build(
    price,
    {
      name: readText(price.name),
      amount: readId(price.amount ?? 0),
      currency: typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : undefined,
    },
    {
      ...more,
      allow_custom_amount: readFlag(price.allow_custom_amount),
      hidden: readFlag(price.hidden),
      kind: readText(price.kind) ?? null,
    },
  );
};

/** The prices of a price group that has this id here. */
export const readMembershipPrices = (group: SourceRecord, groupId: number): ReadDefinition[] =>
  getItems(group.membership_prices).map((price) =>
    readPrice(price, {
      membership_price_group_id: groupId,
      duration: readText(price.duration) ?? null,
      rolling_period: readText(price.rolling_period) ?? null,
    }),
  );

export const readTransactionStatus = (status: SourceRecord): ReadDefinition =>
  build(
    status,
    { name: readText(status.name) },
    {
      color: readText(status.color) ?? null,
      kind: readText(status.kind) ?? null,
      archived: readFlag(status.archived),
    },
  );

/** The contract names no action, only its id. */
export const readAction = (id: number): ReadDefinition => build({ id }, { name: `Action ${id}` });

/** A team: its row, its content, and the mails of its users who are not members here. */
type ReadTeam = { sourceId: number; row: Values; content: TeamContent; missing: string[] } | { faults: Fault[] };

/** The mail of a user summary, in lower case. */
export const readMail = (user: SourceRecord): string | undefined => readText(user.mail)?.toLowerCase();

/** Reads a team. Its users are the members of this space with the same mails. */
export const readTeam = (team: SourceRecord, members: ReadonlyMap<string, number>): ReadTeam => {
  const missing = new Set<string>();
  const readUsers = (list: unknown): { id: number }[] =>
    getItems(list).flatMap((user) => {
      const id = members.get(readMail(user) ?? '');
      if (id === undefined) missing.add(readMail(user) ?? `user ${user.id}`);
      return id === undefined ? [] : [{ id }];
    });
  const users = readUsers(team.users);
  const leaders = readUsers(team.leaders).filter(({ id }) => users.some((user) => user.id === id));
  const { id: _, created_at: __, updated_at: ___, address, ...fields } = team;
  // The second spelling has the same value.
  const { lattitude, ...parts } = isSourceRecord(address) ? address : {};
  const value = {
    ...fields,
    users,
    leaders,
    ...(isSourceRecord(address) && { address: { latitude: lattitude, ...parts } }),
  };
  const argument = legacySchema.getMutationType()!.getFields().createTeam!.args[0]!;
  const faults: Fault[] = [];
  const input = read({ argument, location: '', value }, faults, { parsed: true });
  if (faults.length > 0)
    return { faults: faults.map((fault) => ({ ...fault, location: fault.location.replace(/^\./, '') })) };
  const content = convertToTeamContent(input as never);
  const built = build(
    team,
    { name: content.name },
    { description: content.description, private: content.private, hide_users: content.hideUsers },
  );
  return 'faults' in built ? built : { ...built, content, missing: [...missing] };
};
