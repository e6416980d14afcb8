// Reply fields whose values differ between the graph and the legacy wire (spec §2).

import type { JsonKind } from '../../data/noun/json-sql.ts';
import { JsonText } from '../../plan/json-text.ts';

/** A change of value, the JSON Schema of its result, and the SQL that does the same, if there is one. */
interface Quirk {
  (value: never): unknown;
  schema: object;
  kind?: JsonKind;
  /** Whether it may leave out a value that is not null. */
  leavesOut?: boolean;
}

/** Per field of a reply: a change of its value, or the shape of the object below it. Lists are shaped item by item. */
export interface Shape {
  [field: string]: Shape | Quirk | typeof orNull | typeof besideRecord;
}

/** Marks a field that is sent as null when it has no value; other fields are left out. */
export const orNull = 'or null';

/** Marks a field that is selected beside the record, and is not part of the reply. */
export const besideRecord = 'apart';

/** Whether the reply may lack a field although it has a value. */
export const isLeftOut = (change: Shape[string] | undefined): boolean =>
  typeof change === 'function' && change.leavesOut === true;

const quirk = <Value>(
  schema: object,
  change: (value: Value) => unknown,
  more: Pick<Quirk, 'kind' | 'leavesOut'> = {},
): Quirk => Object.assign(change, { schema, ...more });

/** A day as the date-time of its midnight, since spec §2 has date-times for birthdates. */
const startOfDay = quirk({ type: 'string', format: 'date-time' }, (day: string) => `${day}T00:00:00Z`, {
  kind: 'startOfDay',
});
const asText = quirk({ type: 'string' }, (value: number) => String(value), { kind: 'numberAsText' });
/** Spec §2.3 has integers where addresses store text: a text is sent as an integer only when nothing is lost (`75001`, but not `01000` or `12 bis`). */
const integerIfExact = quirk(
  { type: ['integer', 'string'] },
  (text: string) => (/^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text),
  { kind: 'integerIfExact' },
);
const onlyTrue = quirk({ const: true }, (flag: boolean) => flag || undefined, { kind: 'onlyTrue', leavesOut: true });
const onlyFilled = quirk(
  { type: 'array', minItems: 1, items: { enum: ['black_list', 'consents'] } },
  (list: unknown[]) => (list.length > 0 ? list : undefined),
  { leavesOut: true },
);
const listOfOne = quirk({ type: 'array', items: { type: 'integer' } }, (id: number) => [id]);
const nameOf = quirk({ type: 'string' }, ({ name }: { name: string }) => name);

/** Spec §2.2. */
export const contactById: Shape = {
  contact: { etag: besideRecord, birthdate: startOfDay, address: { latitude: asText, longitude: asText } },
};

/** Spec §2.3. */
const exported: Shape = {
  birthdate: startOfDay,
  address: {
    housenumber: integerIfExact,
    postalcode: integerIfExact,
    citycode: integerIfExact,
    floor: integerIfExact,
    invalid: orNull,
  },
};
const found: Shape = { ...exported, phone_invalid: onlyTrue, mobile_invalid: onlyTrue };
export const contactAsFound: Shape = { contact: { etag: besideRecord, ...found } };
export const contactsAsFound: Shape = { found: { contacts: found } };
/** An export sends every flag, true or false. */
export const contactsExported: Shape = { found: { contacts: exported } };

export const upserted: Shape = { not_followed: onlyFilled };

/** Spec §2.4: users in a team name their role, and have a list of spaces. */
const teamUser: Shape = { birthdate: startOfDay, role: nameOf, group_id: listOfOne };
const oneTeam: Shape = { users: teamUser, leaders: teamUser };
export const team: Shape = { team: oneTeam };
export const teams: Shape = { teams: { teams: oneTeam } };

/** Spec §2.5. */
const oneUser: Shape = { birthdate: startOfDay, role: nameOf, selected_group_id: listOfOne };
export const user: Shape = { User: oneUser, users: { users: oneUser } };

/**
 * Changes a value to its wire shape, in place: a page has thousands of objects, and nothing else refers to them. A field without
 * a value becomes undefined, which JSON leaves out.
 */
export const reshapeReply = (value: unknown, shape?: Shape[string]): unknown => {
  if (typeof shape === 'function') return shape(value as never);
  if (typeof value !== 'object' || value === null || value instanceof JsonText) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = reshapeReply(value[index], shape);
    return value;
  }
  const below = typeof shape === 'object' ? shape : undefined;
  const fields = value as Record<string, unknown>;
  for (const field in fields) {
    const inner = fields[field];
    const changed = below?.[field];
    if (inner === null) {
      if (changed !== orNull) fields[field] = undefined;
    } else if (changed === besideRecord) fields[field] = undefined;
    else if (changed || typeof inner === 'object') fields[field] = reshapeReply(inner, changed);
  }
  return value;
};
