// Random writes of contacts themselves, by both doors: create, change, upsert, delete, restore, merge, tag, link.
import type { Json } from '../harness/app.ts';
import { foldText } from '../search/oracle-text.ts';
import { checkRecord, planCreation, planDeletion, planRestoration, planUpdate, planUpsert } from './contacts.ts';
import { drawContent, drawRecord, drawStrangeId, tagNames, translateToWire } from './draws.ts';
import { planMerge } from './merging.ts';
import { type Model, Refused } from './model.ts';
import { checkSame, type Play, pickContact, pickContacts, planMutation, type Step, tryStep } from './steps.ts';

/** Over REST, a refusal of the arguments comes before that of the role. So those without the role use the graph. */
const goesByGraph = ({ draw, by, ground }: Play, odds: number): boolean => by === ground.plain || draw.odds(odds);

const idIn = (data: Json): number => data.data?.contact.id ?? data.id ?? data.contact?.id;

const createContact = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const input = drawContent(draw, ground);
  const judge = () => {
    const apply = planCreation(model, by, input);
    return (data: Json) => apply(idIn(data));
  };
  if (goesByGraph(play, 0.5)) return planMutation(play, { name: 'createContact', input, managers: true }, judge);
  const body = translateToWire(draw, input);
  return tryStep({ door: 'rest', by, method: 'POST', path: '/contacts', body: { data: { contact: body } } }, judge);
};

const updateContact = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const id = pickContact(play);
  const input = drawContent(draw, ground);
  const version = model.persons.get(id)?.version ?? 1;
  const expected = draw.odds(0.4) ? version - (draw.odds(0.3) ? 1 : 0) : undefined;
  const judge = () => planUpdate(model, by, id, input, expected);
  if (goesByGraph(play, 0.5)) {
    const sent = { id, ...input, ...(expected !== undefined && { expectedVersion: expected }) };
    return planMutation(play, { name: 'updateContact', input: sent, managers: true }, judge);
  }
  const path = draw.pick([`/contacts/${id}`, `/v1/contacts/${id}/`]);
  const ifMatch = expected === undefined ? {} : { ifMatch: expected };
  return tryStep({ door: 'rest', by, method: 'PATCH', path, body: translateToWire(draw, input), ...ifMatch }, judge);
};

const deleteContact = (play: Play): Step => {
  const { model, by } = play;
  const id = pickContact(play);
  const judge = () => planDeletion(model, by, id);
  if (goesByGraph(play, 0.5))
    return planMutation(play, { name: 'deleteContact', input: { id }, managers: true }, judge);
  return tryStep({ door: 'rest', by, method: 'DELETE', path: `/contacts/${id}` }, judge);
};

const restoreContact = (play: Play): Step => {
  const { model, draw, by } = play;
  const gone = [...model.persons.values()].filter(({ deleted }) => deleted);
  const id = gone.length > 0 && draw.odds(0.9) ? draw.pick(gone).id : pickContact(play);
  return planMutation(play, { name: 'restoreContact', input: { id }, managers: true }, () =>
    planRestoration(model, by, id),
  );
};

/** Takes what an upsert answered into the model. */
const upserted = (model: Model, by: number, sent: Json) => {
  const { meant, apply } = planUpsert(model, by, sent);
  return ({ contact, outcome }: Json): void => {
    checkSame(outcome, meant === undefined ? 'created' : 'updated', `outcome of ${contact.id}`);
    if (meant !== undefined) checkSame(contact.id, meant, 'whom the record means');
    else if (model.persons.has(contact.id)) throw new Error(`created ${contact.id}, which is there`);
    apply(contact.id);
  };
};

const upsertContact = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const sent = drawRecord(draw, ground, pickContact(play));
  const judge = () => upserted(model, by, sent);
  if (goesByGraph(play, 0.4)) return planMutation(play, { name: 'upsertContact', input: sent, managers: true }, judge);
  const body = { kind: 'contact', data: translateToWire(draw, sent) };
  return tryStep({ door: 'rest', by, method: 'POST', path: '/contacts/upsert', body }, () => {
    const apply = judge();
    return ({ data }: Json) => apply(data);
  });
};

const codes: Record<number, string> = { 400: 'invalid-request', 422: 'unprocessable', 409: 'conflict' };

/** A batch is its records one after the other, each for itself. */
const upsertContacts = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const inputs = Array.from({ length: 1 + draw.whole(8) }, () => drawRecord(draw, ground, pickContact(play)));
  return planMutation(play, { name: 'upsertContacts', input: { contacts: inputs }, managers: true }, () => {
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
          checkSame(result.problem?.code, codes[error.status], `record ${index}`);
        }
      }
      // Of a tag that several records make, any of them may say the colour: it is learned when it is read.
      for (const name of [...model.tags.keys()]) if (!known.has(name)) model.tags.set(name, undefined);
    };
  });
};

export const mergeContacts = (play: Play): Step => {
  const { model, draw, by } = play;
  const survivorId = pickContact(play);
  const ids = pickContacts(play).filter((id) => id !== survivorId || draw.odds(0.2));
  if (ids.length === 0) ids.push(pickContact(play));
  const dryRun = draw.odds(0.25);
  return planMutation(play, { name: 'mergeContacts', input: { survivorId, ids, dryRun }, managers: true }, () => {
    const { conflicts, moved, apply } = planMerge(model, by, survivorId, ids);
    return (data: Json) => {
      const key = ({ contactId, field, kept, dropped }: Json): string => [contactId, field, kept, dropped].join('\n');
      checkSame(data.conflicts.map(key).sort(), conflicts.map(key).sort(), 'conflicts');
      const counts = Object.entries(moved).sort();
      checkSame(data.moved.map(({ relation, count }: Json) => [relation, count]).sort(), counts, 'what moves');
      if (!dryRun) apply();
    };
  });
};

/** Puts tags on contacts or takes them off; those that were as wanted are not changed. */
const tagging = (play: Play): Step => {
  const { model, draw, by } = play;
  const on = draw.odds(0.6);
  const contactIds = pickContacts(play);
  const tags = draw.some([...tagNames, 'new'], 1 + draw.whole(2));
  return planMutation(
    play,
    { name: on ? 'tagContacts' : 'untagContacts', input: { contactIds, tags }, managers: true },
    () => {
      const persons = [...new Set(contactIds.map((id) => model.held(id, 422)))];
      return (data: Json) => {
        const meant = on ? tags.map((tag) => model.meanTag(tag, null)) : tags;
        const same = (one: string) => tags.some((tag) => foldText(tag) === foldText(one));
        const changed = persons.filter((person) =>
          on ? meant.some((tag) => !person.tags.has(tag)) : [...person.tags].some(same),
        );
        for (const person of changed) {
          if (on) for (const tag of meant) person.tags.add(tag);
          else for (const tag of [...person.tags].filter(same)) person.tags.delete(tag);
          model.touch(person.id, by);
        }
        checkSame(
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
  const contactIds = pickContacts(play);
  const actionId = drawStrangeId(draw, draw.pick(ground.actions));
  return planMutation(
    play,
    { name: on ? 'linkAction' : 'unlinkAction', input: { actionId, contactIds }, managers: true },
    () => {
      if (!ground.actions.includes(actionId)) throw new Refused(404);
      const persons = [...new Set(contactIds.map((id) => model.held(id, 422)))];
      return (data: Json) => {
        const changed = persons.filter(({ actions }) => actions.has(actionId) !== on);
        for (const { id, actions } of changed) {
          on ? actions.add(actionId) : actions.delete(actionId);
          model.touch(id, by);
        }
        checkSame(
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
