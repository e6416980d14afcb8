// Changes of value between the graph and the wire: what a few fields of a reply look like to legacy clients (spec §2).

/** Per field of a reply: a change of its value, or the shape of what stands below it. Lists are shaped item by item. */
export interface Shape {
  [field: string]: Shape | ((value: never) => unknown) | typeof orNull;
}

/** Marks a field that is sent as null when it has no value; any other is left out. */
const orNull = 'or null';

/** A day as the date-time at which it begins: spec §2 has date-times for birthdates. */
const startOfDay = (day: string): string => `${day}T00:00:00Z`;
const asText = (value: number): string => String(value);
/** Spec §2.3 has integers where addresses hold text: sent as one exactly when nothing is lost by it (`75001`, but `01000`, `12 bis`). */
const integerIfExact = (text: string): string | number => (/^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text);
const list = (value: unknown): unknown[] => [value];
const nameOf = ({ name }: { name: string }): string => name;

/** Spec §2.2. */
export const contactById: Shape = {
  contact: { birthdate: startOfDay, address: { latitude: asText, longitude: asText } },
};

/** Spec §2.3. */
export const contactAsFound: Shape = {
  contact: {
    birthdate: startOfDay,
    address: {
      housenumber: integerIfExact,
      postalcode: integerIfExact,
      citycode: integerIfExact,
      floor: integerIfExact,
      invalid: orNull,
    },
  },
};

/** Spec §2.4: users in a team name their role, and have a list of spaces. */
const teamUser: Shape = { birthdate: startOfDay, role: nameOf, group_id: list };
const oneTeam: Shape = { users: teamUser, leaders: teamUser };
export const team: Shape = { team: oneTeam, teams: oneTeam };

/** Spec §2.5. */
const oneUser: Shape = { birthdate: startOfDay, role: nameOf, selected_group_id: list };
export const user: Shape = { User: oneUser, users: { users: oneUser } };

/** The value in its wire shape, without the fields that have no value. */
export const reshape = (value: unknown, shape?: Shape[string]): unknown => {
  if (typeof shape === 'function') return (shape as (value: unknown) => unknown)(value);
  if (Array.isArray(value)) return value.map((item) => reshape(item, shape));
  if (typeof value !== 'object' || value === null) return value;
  const shaped: Record<string, unknown> = {};
  const below = typeof shape === 'object' ? shape : undefined;
  for (const [field, inner] of Object.entries(value)) {
    if (inner !== null) shaped[field] = reshape(inner, below?.[field]);
    else if (below?.[field] === orNull) shaped[field] = null;
  }
  return shaped;
};
