// Random writes of contacts themselves, by both doors: create, change, upsert, delete, restore, merge, tag, link.
import type { Json } from '../harness/app.ts';
import { checkRecord, create, remove, restore, update, upsert } from './contacts.ts';
import { content, record, strange, tagNames, wire } from './draws.ts';
import { merge } from './merging.ts';
import { type Model, Refused } from './model.ts';
import { anyContact, anyContacts, mutation, type Play, type Step, same, step } from './steps.ts';

/** Over REST, a refusal of the arguments comes before that of the role. So those without the role use the graph. */
const goesByGraph = ({ draw, by, ground }: Play, odds: number): boolean => by === ground.plain || draw.odds(odds);

const idIn = (data: Json): number => data.data?.contact.id ?? data.id ?? data.contact?.id;

const createContact = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const input = content(draw, ground);
  const judge = () => {
    const apply = create(model, by, input);
    return (data: Json) => apply(idIn(data));
  };
  if (goesByGraph(play, 0.5)) return mutation(play, { name: 'createContact', input, managers: true }, judge);
  const body = wire(draw, input);
  return step({ door: 'rest', by, method: 'POST', path: '/contacts', body: { data: { contact: body } } }, judge);
};

const updateContact = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const id = anyContact(play);
  const input = content(draw, ground);
  const version = model.persons.get(id)?.version ?? 1;
  const expected = draw.odds(0.4) ? version - (draw.odds(0.3) ? 1 : 0) : undefined;
  const judge = () => update(model, by, id, input, expected);
  if (goesByGraph(play, 0.5)) {
    const sent = { id, ...input, ...(expected !== undefined && { expectedVersion: expected }) };
    return mutation(play, { name: 'updateContact', input: sent, managers: true }, judge);
  }
  const path = draw.pick([`/contacts/${id}`, `/v1/contacts/${id}/`]);
  const ifMatch = expected === undefined ? {} : { ifMatch: expected };
  return step({ door: 'rest', by, method: 'PATCH', path, body: wire(draw, input), ...ifMatch }, judge);
};

const deleteContact = (play: Play): Step => {
  const { model, by } = play;
  const id = anyContact(play);
  const judge = () => remove(model, by, id);
  if (goesByGraph(play, 0.5)) return mutation(play, { name: 'deleteContact', input: { id }, managers: true }, judge);
  return step({ door: 'rest', by, method: 'DELETE', path: `/contacts/${id}` }, judge);
};

const restoreContact = (play: Play): Step => {
  const { model, draw, by } = play;
  const gone = [...model.persons.values()].filter(({ deleted }) => deleted);
  const id = gone.length > 0 && draw.odds(0.9) ? draw.pick(gone).id : anyContact(play);
  return mutation(play, { name: 'restoreContact', input: { id }, managers: true }, () => restore(model, by, id));
};

/** Takes what an upsert answered into the model. */
const upserted = (model: Model, by: number, sent: Json) => {
  const { meant, apply } = upsert(model, by, sent);
  return ({ contact, outcome }: Json): void => {
    same(outcome, meant === undefined ? 'created' : 'updated', `outcome of ${contact.id}`);
    if (meant !== undefined) same(contact.id, meant, 'whom the record means');
    else if (model.persons.has(contact.id)) throw new Error(`created ${contact.id}, which is there`);
    apply(contact.id);
  };
};

/** The id that a record may name; now and then that of a contact which was merged away. */
const namedId = (play: Play): number => {
  const merged = [...play.model.persons.values()].filter(({ mergedInto }) => mergedInto !== null);
  return merged.length > 0 && play.draw.odds(0.15) ? play.draw.pick(merged).id : anyContact(play);
};

const upsertContact = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const sent = record(draw, ground, namedId(play));
  const judge = () => upserted(model, by, sent);
  if (goesByGraph(play, 0.4)) return mutation(play, { name: 'upsertContact', input: sent, managers: true }, judge);
  const body = { kind: 'contact', data: wire(draw, sent) };
  return step({ door: 'rest', by, method: 'POST', path: '/contacts/upsert', body }, () => {
    const apply = judge();
    return ({ data }: Json) => apply(data);
  });
};

const codes: Record<number, string> = { 400: 'invalid-request', 422: 'unprocessable', 409: 'conflict' };

/** A batch is its records one after the other, each for itself. */
const upsertContacts = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const inputs = Array.from({ length: 1 + draw.whole(8) }, () => record(draw, ground, namedId(play)));
  return mutation(play, { name: 'upsertContacts', input: { contacts: inputs }, managers: true }, () => {
    for (const input of inputs) checkRecord(input);
    return (results: Json[]) => {
      const known = new Set(model.tags.keys());
      for (const [index, result] of results.entries()) {
        try {
          const apply = upserted(model, by, inputs[index]);
          if (result.problem) throw new Error(`record ${index}: ${JSON.stringify(result.problem)}`);
          apply(result);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          same(result.problem?.code, codes[error.status], `record ${index}`);
        }
      }
      // Of a tag that several records make, any of them may say the colour: it is learned when it is read.
      for (const name of [...model.tags.keys()]) if (!known.has(name)) model.tags.set(name, undefined);
    };
  });
};

export const mergeContacts = (play: Play): Step => {
  const { model, draw, by } = play;
  const survivorId = anyContact(play);
  const ids = anyContacts(play).filter((id) => id !== survivorId || draw.odds(0.2));
  if (ids.length === 0) ids.push(anyContact(play));
  const dryRun = draw.odds(0.25);
  return mutation(play, { name: 'mergeContacts', input: { survivorId, ids, dryRun }, managers: true }, () => {
    const { conflicts, moved, apply } = merge(model, by, survivorId, ids);
    return (data: Json) => {
      const key = ({ contactId, field, kept, dropped }: Json): string => [contactId, field, kept, dropped].join('\n');
      same(data.conflicts.map(key).sort(), conflicts.map(key).sort(), 'conflicts');
      const counts = Object.entries(moved).sort();
      same(data.moved.map(({ relation, count }: Json) => [relation, count]).sort(), counts, 'what moves');
      if (!dryRun) apply();
    };
  });
};

/** Puts tags on contacts or takes them off; those that were as wanted are not changed. */
const tagging = (play: Play): Step => {
  const { model, draw, by } = play;
  const on = draw.odds(0.6);
  const contactIds = anyContacts(play);
  const tags = draw.some([...tagNames, 'new'], 1 + draw.whole(2));
  return mutation(
    play,
    { name: on ? 'tagContacts' : 'untagContacts', input: { contactIds, tags }, managers: true },
    () => {
      const persons = contactIds.map((id) => model.held(id, 422));
      return (data: Json) => {
        const changed = persons.filter((person) => tags.some((tag) => person.tags.has(tag) !== on));
        for (const person of changed) {
          for (const tag of tags) on ? person.tags.add(tag) : person.tags.delete(tag);
          model.touch(person.id, by);
        }
        if (on) for (const tag of tags) if (!model.tags.has(tag)) model.tags.set(tag, null);
        same(
          data.contactIds,
          changed.map(({ id }) => id).sort((one, other) => one - other),
          'who was changed',
        );
      };
    },
  );
};

const linking = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const on = draw.odds(0.6);
  const contactIds = anyContacts(play);
  const actionId = strange(draw, draw.pick(ground.actions));
  return mutation(
    play,
    { name: on ? 'linkAction' : 'unlinkAction', input: { actionId, contactIds }, managers: true },
    () => {
      if (!ground.actions.includes(actionId)) throw new Refused(404);
      const persons = contactIds.map((id) => model.held(id, 422));
      return (data: Json) => {
        const changed = persons.filter(({ actions }) => actions.has(actionId) !== on);
        for (const { id, actions } of changed) {
          on ? actions.add(actionId) : actions.delete(actionId);
          model.touch(id, by);
        }
        same(
          data.contactIds,
          changed.map(({ id }) => id).sort((one, other) => one - other),
          'who was changed',
        );
      };
    },
  );
};

/** Each kind of step, and how often it comes. */
export const contactSteps: [weight: number, draw: (play: Play) => Step][] = [
  [5, createContact],
  [10, updateContact],
  [4, deleteContact],
  [3, restoreContact],
  [14, upsertContact],
  [7, upsertContacts],
  [5, mergeContacts],
  [4, tagging],
  [3, linking],
];
