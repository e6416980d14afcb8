// Steps: a write together with what the model says of it, a refusal or a change; and what is drawn for every kind of step.
import type { Json } from '../harness/app.ts';
import type { Chance } from '../search/random.ts';
import type { Call, Ground } from './ground.ts';
import { type Hung, type Model, Refused, type Relation } from './model.ts';

export interface Step {
  call: Call;
  /** The status of the refusal that is due. */
  refused?: number;
  /** Takes the reply to a write that is not refused into the model, and throws when it is not as it must be. */
  apply?: (data: Json) => void;
}

export interface Play {
  model: Model;
  ground: Ground;
  draw: Chance;
  by: number;
  /** An id of another space. */
  foreign: number;
}

export const tryStep = (call: Call, judge: () => (data: Json) => void): Step => {
  try {
    return { call, apply: judge() };
  } catch (error) {
    if (error instanceof Refused) return { call, refused: error.status };
    throw error;
  }
};

/** A mutation; one that needs a manager is refused to others before all else. */
export const planMutation = (
  { by, ground }: Play,
  { name, input, managers = false }: { name: string; input: Json; managers?: boolean },
  judge: () => (data: Json) => void,
): Step =>
  tryStep({ door: 'graphql', by, name, input }, () => {
    if (managers && by === ground.plain) throw new Refused(403);
    return judge();
  });

/** Mostly a contact that lives; now and then one that is deleted, merged away, of another space or of none. */
export const pickContact = ({ model, draw, foreign }: Play): number => {
  const living = model.living();
  const gone = [...model.persons.values()].filter(({ deleted }) => deleted);
  const merged = gone.filter(({ mergedInto }) => mergedInto !== null);
  if (merged.length > 0 && draw.odds(0.06)) return draw.pick(merged).id;
  if (gone.length > 0 && draw.odds(0.06)) return draw.pick(gone).id;
  if (living.length === 0 || draw.odds(0.04)) return draw.pick([foreign, 987_654_321, 0]);
  return draw.pick(living).id;
};

/** Mostly a record that lives; now and then one that does not. */
export const pickRecord = ({ model, draw }: Play, relation: Relation): number => {
  const all = [...model.hung[relation].values()];
  const living = all.filter(({ deleted, contact }) => !deleted && model.persons.get(contact)?.deleted === false);
  if (living.length > 0 && draw.odds(0.85)) return draw.pick(living).id;
  return all.length > 0 && draw.odds(0.7) ? draw.pick(all).id : 987_654_321;
};

/** Some contacts, each once. */
export const pickContacts = (play: Play): number[] => [
  ...new Set(Array.from({ length: 1 + play.draw.whole(3) }, () => pickContact(play))),
];

/** Whether the record was not as it is to be: a write that says nothing new changes nothing. */
export const setFields = (record: Hung, fields: Json, at: number): boolean => {
  if (Object.entries(fields).every(([name, value]) => record.fields[name] === value)) return false;
  Object.assign(record.fields, fields);
  record.at = at;
  return true;
};

export const checkSame = (one: Json, other: Json, what: string): void => {
  if (JSON.stringify(one) !== JSON.stringify(other))
    throw new Error(`${what}: ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`);
};
