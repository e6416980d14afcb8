// Tests of writes share these: mutations by name, their faults, callers by role, and whether search rows equal their sources.

import type { Answer, Door, Json } from '../harness/app.ts';
import { makeDocument, rootFields } from '../requests/index.ts';

/** A mutation, with its full payload selected. */
export const sendMutation = (door: Door, name: string, input: Json, token?: string): Promise<Answer> =>
  door.graphql(makeDocument(rootFields.find(({ field }) => field.name === name)!, { input }), { input }, token);

const references = ['campaign', 'contact', 'donationPrice', 'membershipPrice', 'status', 'template', 'transaction'];

/** A record of the graph with what its input would say: ids of the records that it leads to, money as amount and currency, and plain lists. */
export const addInputFields = (record: Json): Json => {
  if (Array.isArray(record)) return record.map(addInputFields);
  if (typeof record !== 'object' || record === null) return record;
  const fields: Json = {};
  for (const [name, value] of Object.entries<Json>(record)) {
    const list = Array.isArray(value?.nodes) ? value.nodes : value;
    fields[name] = Array.isArray(list) ? addInputFields(list) : value;
    if (typeof record.count === 'number' && name === 'contacts') fields.contactIds = value.map(({ id }: Json) => id);
    if (value?.__typename === 'Money') Object.assign(fields, { amount: value.amount, currency: value.currency });
    if (value?.__typename === 'MembershipPriceGroup') fields.membershipPriceGroupId = value.id;
    if (references.includes(name)) fields[`${name}Id`] = value?.id ?? null;
  }
  return fields;
};

/** The record or the list of a payload that has nothing else; else the payload. */
export const takeRecord = ({ __typename, ...payload }: Json): Json => {
  const [value, ...others] = Object.values<Json>(payload);
  return others.length === 0 && typeof value === 'object' ? value : payload;
};

/** The result of a mutation, with the fields that its input would have; an error fails the test. */
export const runMutation = async (door: Door, name: string, input: Json, token?: string): Promise<Json> => {
  const { body } = await sendMutation(door, name, input, token);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return addInputFields(takeRecord(body.data[name]));
};

/** The refusal of a mutation: the code, the message and the faults with their places. */
export const fetchRefusal = async (door: Door, name: string, input: Json, token?: string): Promise<Json> => {
  const { body } = await sendMutation(door, name, input, token);
  const [{ message, extensions }] = body.errors ?? [{ message: 'not refused' }];
  return {
    code: extensions?.code,
    message,
    faults: extensions?.errors?.map(({ location, message: what }: Json) => `${location} ${what}`),
  };
};

/** A user of space 1 with this type of role there. */
export const findUserWithRole = async (door: Door, role: string): Promise<number> => {
  const [{ id }] = await door.sql(
    `select min(m.user_id) as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
      where m.group_id = 1 and r.type = ?`,
    [role],
  );
  return id;
};

/** The token of a user of space 1 with this type of role there. */
export const createRoleToken = async (door: Door, role: string): Promise<string> =>
  door.token(1, await findUserWithRole(door, role));

const contactsOfPart = 5000;

/** The search rows that differ from their sources: none, after every write. */
export const findWrongRows = async (door: Door, space = 1): Promise<Json[]> => {
  const ids = (await door.sql('select id from contacts where group_id = ? order by id', [space])).map(({ id }) => id);
  const found: Json[] = [];
  // A statement over very many contacts would meet its time limit.
  for (let first = 0; first === 0 || first < ids.length; first += contactsOfPart) {
    const isWithin = (id: string): string =>
      `${id} >= ${first && ids[first]} and ${id} < ${ids[first + contactsOfPart] ?? Number.MAX_SAFE_INTEGER}`;
    const contacts = `array(select id from contacts where group_id = ${space} and ${isWithin('id')})`;
    const differences = (table: string, derive: string): string => {
      const [kept, fresh] = [
        `select to_jsonb(r) from ${table} r where group_id = ${space} and ${isWithin('contact_id')}`,
        `select to_jsonb(r) from ${derive}(${space}, ${contacts}) r`,
      ];
      return `(${kept} except ${fresh}) union all (${fresh} except ${kept})`;
    };
    const rows = await door.sql(
      `${differences('contact_search', 'search_rows')} union all ${differences('contact_emails', 'email_rows')}`,
    );
    found.push(...rows);
  }
  return found;
};

/** The mark that a change leaves on a contact. */
export const markOf = async (door: Door, contact: number): Promise<Json> =>
  (await door.sql('select version, user_id, lastchange, updated_at from contacts where id = ?', [contact]))[0];
