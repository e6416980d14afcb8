// An update with the present values changes nothing: not the record, not its contact, and no record that contains it.
import { getNamedType, isEnumType, isInputObjectType, isNonNullType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { type Ids, prepareIds, rootFields } from '../requests/index.ts';
import { runMutation } from './writing.ts';

/** Updates that this table exempts. */
const excused = ['updateContact', 'replaceTeam', 'updateUser', 'updateSegment'];

/** The table that an update writes, and the name of its record in requests. */
const tables: Record<string, [table: string, of: keyof Ids]> = {
  updateAction: ['actions', 'actions'],
  updateApp: ['apps', 'apps'],
  updateCampaign: ['campaigns', 'campaigns'],
  updateDonation: ['donations', 'donations'],
  updateDonationPrice: ['donation_prices', 'donation_prices'],
  updateForm: ['forms', 'choices'],
  updateInteraction: ['interactions', 'interactions'],
  updateMembership: ['memberships', 'memberships'],
  updateMembershipPrice: ['membership_prices', 'membership_prices'],
  updateMembershipPriceGroup: ['membership_price_groups', 'membership_price_groups'],
  updateNote: ['notes', 'notes'],
  updateRole: ['roles', 'roles'],
  updateSanction: ['sanctions', 'sanctions'],
  updateTag: ['tags', 'tags'],
  updateTemplate: ['templates', 'templates'],
  updateTransaction: ['transactions', 'transactions'],
  updateTransactionStatus: ['transaction_statuses', 'transaction_statuses'],
  updateWebhook: ['webhooks', 'webhooks'],
};

/** Fields that a record stores in another form. */
const stored: Record<string, (row: Json) => unknown> = {
  events: ({ events }) => events.map((event: string) => event.replace('.', '_').toUpperCase()),
  includesValues: ({ with_values }) => with_values,
  isActive: ({ disabled_at }) => disabled_at === null,
};

const updates = rootFields.filter(
  ({ operation, field }) => operation === 'mutation' && /^(update|replace)/.test(field.name),
);

let door: Door;
let ids: Ids;
beforeAll(async () => {
  door = await openApp();
  ids = await prepareIds(door, 1);
  // The tag, the action and the form are in use.
  await door.sql('insert into contact_tags values (1, ?, ?) on conflict do nothing', [ids.contacts, ids.tags]);
  await door.sql('insert into contact_actions values (1, ?, ?) on conflict do nothing', [ids.contacts, ids.actions]);
  await door.sql('insert into answers (group_id, contact_id, form_id, form_ref_id) values (1, ?, ?, ?)', [
    ids.contacts,
    ids.choices,
    ids.choice_refs,
  ]);
  await door.sql('select refresh_search(1, array[?]::bigint[])', [ids.contacts]);
});

/** The input of an update with all values of a record; every field of the input is read. */
const inputOf = async (name: string, table: string, id: number): Promise<Json> => {
  const { type } = updates.find(({ field }) => field.name === name)!.field.args.find((arg) => arg.name === 'input')!;
  const input = getNamedType(type);
  if (!isInputObjectType(input)) throw new Error(`${name} has no input`);
  const [row] = await door.sql(`select * from ${table} where group_id = 1 and id = ?`, [id]);
  const sent: Json = {};
  for (const field of Object.values(input.getFields())) {
    const own = isNonNullType(field.type) ? field.type.ofType : field.type;
    const column = field.name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (field.name === 'options') {
      const refs = 'select id, label, value from form_refs where group_id = 1 and form_id = ? order by position, id';
      sent[field.name] = await door.sql(refs, [id]);
    } else if (stored[field.name]) {
      sent[field.name] = stored[field.name]!(row);
    } else {
      expect(row).toHaveProperty(column);
      const text = getNamedType(own).name === 'DateTime' && row[column] !== null;
      const value = text ? row[column].replace(' ', 'T').replace(/\+00$/, 'Z') : row[column];
      sent[field.name] = isEnumType(getNamedType(own)) ? value.toUpperCase() : value;
    }
  }
  return sent;
};

/** All state that an update could have changed. */
const state = async (table: string, id: number): Promise<Json> => [
  await door.sql(`select * from ${table} where group_id = 1 and id = ?`, [id]),
  await door.sql('select * from form_refs where group_id = 1 order by id'),
  await door.sql('select id, version, lastchange, updated_at, user_id from contacts where group_id = 1 order by id'),
];

it('the table covers every update', () => {
  expect([...Object.keys(tables), ...excused].sort()).toEqual(updates.map(({ field }) => field.name).sort());
});

describe.each(Object.entries(tables))('%s', (name, [table, of]) => {
  it('changes nothing with the present values, all at once or one at a time', async () => {
    const id = ids[of];
    const whole = await inputOf(name, table, id);
    const before = await state(table, id);
    for (const input of [whole, {}, ...Object.entries(whole).map(([field, value]) => ({ [field]: value }))]) {
      const answer = await runMutation(door, name, { id, ...input });
      expect(answer.id).toBe(id);
      if ('updatedAt' in answer)
        expect(Date.parse(answer.updatedAt)).toBe(
          Date.parse(before[0][0].updated_at.replace(' ', 'T').replace(/\+00$/, 'Z')),
        );
      expect(await state(table, id)).toEqual(before);
    }
  });

  it('changes something with another value', async () => {
    const id = ids[of];
    const whole = await inputOf(name, table, id);
    const text = ['name', 'label', 'content', 'title', 'status', 'codeCampaign'].find((field) => field in whole);
    const before = await state(table, id);
    await runMutation(door, name, { id, ...(text ? { [text]: `Another ${name}` } : { amount: 4321 }) });
    const after = await state(table, id);
    expect(after[0][0].updated_at > before[0][0].updated_at).toBe(true);
  });
});
