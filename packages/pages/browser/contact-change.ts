// Changes of many contacts over the graph: of whom, what is chosen as input of the graph, what it would do, its course and its undoing.
import type { Api, ApiProblem } from './api.ts';
import type { Json, JsonObject } from './graph-query.ts';
import { type FormChoice, joinNames } from './lookups.ts';

export const changeKinds = ['addTag', 'removeTag', 'optOut', 'optIn', 'set', 'clear', 'answer', 'delete'] as const;

/** The fields that can be set, by their paths in the graph. */
export const settableFields = [
  'address.city',
  'address.postalCode',
  'address.country',
  'nationality',
  'gender',
  'birthCity',
  'birthCountry',
] as const;

/** The choices of the user, as they are typed. */
export interface Wish {
  kind: (typeof changeKinds)[number];
  text: string;
  field: string;
  form: FormChoice | undefined;
  option: string;
  /** The name of the change, by which histories of consent lead to it. */
  reason: string;
}

const setField = (path: string, value: Json): Json => ({
  set: path.split('.').reduceRight<Json>((below, field) => ({ [field]: below }), value),
});

/** The change as the graph takes it; undefined while something is missing. */
export const writeChange = ({ kind, text, field, form, option, reason }: Wish): Json | undefined => {
  switch (kind) {
    case 'addTag':
      return text.trim() ? { addTags: [text] } : undefined;
    case 'removeTag':
      return text.trim() ? { removeTags: [text] } : undefined;
    case 'optOut':
    case 'optIn':
      return reason.trim() ? setField('optedOut', kind === 'optOut') : undefined;
    case 'set':
      return text.trim() ? setField(field, text) : undefined;
    case 'clear':
      return setField(field, null);
    case 'answer': {
      const chosen = form?.options.find(({ value }) => value === option);
      const answer = form?.hasChoices ? chosen?.answer : text.trim();
      return chosen && answer
        ? { answers: [{ formId: form!.value, optionId: chosen.value, text: answer }] }
        : undefined;
    }
    case 'delete':
      return { delete: true };
  }
};

interface Counts extends Record<'total' | 'changed' | 'unchanged' | 'refused', number> {
  faults: { message: string }[];
}

export interface Preview extends Counts {
  examples: { contactId: string; name: string; values: { field: string; before: string; after: string }[] }[];
}

export interface Job extends Counts {
  id: string;
  state: 'RUNNING' | 'DONE' | 'CANCELLED' | 'UNDONE';
}

/** The contacts of a change, as the graph takes them: those who are ticked, or everybody whom a query finds. */
export type Target = { ids: string[] } | { query: JsonObject };

export interface Change {
  of: Target;
  change: Json;
  name: string | undefined;
}

/** The contacts of a change that are not there any more, as a problem tells. */
export const listDeletedContacts = ({ faults }: ApiProblem, target: Target): string[] => {
  const places = faults.map(({ location }) => /^input\.of\.ids\[(\d+)\]$/.exec(location)?.[1]);
  return 'ids' in target ? target.ids.filter((_, at) => places.includes(String(at))) : [];
};

const countFields = 'total changed unchanged refused faults { message }';
const jobFields = `id state ${countFields}`;
const changeDocument = `mutation ($input: ContactsChangeInput!) {
  sent: changeContacts(input: $input) { job { ${jobFields} } preview { ${countFields} examples { contactId values { field before after } } } }
}`;
/** People who are shown. */
const shown = 5;

type Sent = { sent: { job: Job; preview: Preview } };
const write = ({ of, change, name }: Change, more: { [field: string]: Json }) => ({
  input: { of, change, ...(name && { name }), ...more },
});

/** Tells what a change would do, with the names of the first people. */
export const previewChange = async (api: Api, change: Change): Promise<Preview> => {
  const { preview } = (await api.query<Sent>(changeDocument, write(change, { dryRun: true }))).sent;
  const examples = preview.examples.slice(0, shown);
  type People = { found: { nodes: { id: string; firstName: string | null; lastName: string | null }[] } };
  const document = `query ($ids: [ID!]!) { found: searchContacts(query: { id: { in: $ids } }, first: ${shown}) { nodes { id firstName lastName } } }`;
  const ids = examples.map(({ contactId }) => contactId);
  const { nodes } = ids.length > 0 ? (await api.query<People>(document, { ids })).found : { nodes: [] };
  const names = new Map(nodes.map(({ id, firstName, lastName }) => [id, joinNames(firstName, lastName)]));
  return { ...preview, examples: examples.map((one) => ({ ...one, name: names.get(one.contactId) ?? '' })) };
};

/** Begins a change, once however often it is sent with the same key. Throws an ApiProblem at `input.expectedCount` when there are more or fewer people by now. */
export const beginChange = async (api: Api, change: Change, expectedCount: number, key: string): Promise<Job> =>
  (await api.query<Sent>(changeDocument, write(change, { expectedCount }), undefined, key)).sent.job;

export const readChange = async (api: Api, id: string): Promise<Job> =>
  (await api.query<{ job: Job }>(`query ($id: ID!) { job: contactChange(id: $id) { ${jobFields} } }`, { id })).job;

export const cancelChange = async (api: Api, id: string): Promise<Job> => {
  const document = `mutation ($id: ID!) { sent: cancelContactChange(input: { id: $id }) { job { ${jobFields} } } }`;
  return (await api.query<Sent>(document, { id })).sent.job;
};

export const undoChange = async (api: Api, id: string): Promise<{ restored: number; left: number }> => {
  const document = 'mutation ($id: ID!) { undone: undoContactChange(input: { id: $id }) { restored left } }';
  return (await api.query<{ undone: { restored: number; left: number } }>(document, { id })).undone;
};

/** A key that no other request has. Pages without TLS have no `randomUUID`. */
export const createKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');
