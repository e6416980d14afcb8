// Creates records whose every field can be changed, and lists how each field that a stored operation selects changes.
import { type DocumentNode, Kind as Node, type OperationDefinitionNode, parse, type SelectionSetNode } from 'graphql';
import { operations } from '../../src/rest/routes/operations.ts';
import { runMutation } from '../graphql/writing.ts';
import type { Door, Json } from '../harness/app.ts';

/** A field at the end of a selection: its place in the graph and in the response. */
export interface Leaf {
  path: string;
  wire: string[];
}

const selections = (document: DocumentNode, set: SelectionSetNode, path: string[], wire: string[]): Leaf[] =>
  set.selections.flatMap((selection): Leaf[] => {
    if (selection.kind === Node.FRAGMENT_SPREAD) {
      const fragment = document.definitions.find(
        (one) => one.kind === Node.FRAGMENT_DEFINITION && one.name.value === selection.name.value,
      );
      return selections(document, (fragment as { selectionSet: SelectionSetNode }).selectionSet, path, wire);
    }
    if (selection.kind !== Node.FIELD) throw new Error('inline fragments are not walked');
    const name = selection.name.value;
    const [inner, outer] = [
      [...path, name],
      [...wire, selection.alias?.value ?? name],
    ];
    if (selection.selectionSet) return selections(document, selection.selectionSet, inner, outer);
    return name === 'version' ? [] : [{ path: inner.join('.'), wire: outer }];
  });

/** The selection of a stored operation on its one record. */
export const listSelectedFields = (operation: 'ContactById' | 'ContactAsFound' | 'TeamById'): Leaf[] => {
  const document = parse(operations[operation]);
  const [query] = document.definitions as [OperationDefinitionNode];
  const [root] = query.selectionSet.selections;
  if (root?.kind !== Node.FIELD) throw new Error(`${operation} selects no field`);
  return selections(document, root.selectionSet!, [], []);
};

/** The values of a response at a place, in all items of the lists on the way. */
export const readValueAt = (reply: Json, wire: readonly string[]): Json =>
  wire.reduce((value, key) => {
    if (Array.isArray(value)) return value.flat().map((one) => readValueAt(one, [key]));
    // Some objects of the graph are one value on the wire.
    return typeof value === 'object' ? value?.[key] : value;
  }, reply);

/** A contact, or a team, with its children. */
export interface Ground {
  id: number;
  [of: string]: number;
}

export type Change = (ground: Ground) => Promise<unknown>;
export interface Kind {
  make(door: Door): Promise<Ground>;
  /** The responses that contain it, by stored operation. */
  replies: Record<string, (ground: Ground) => string>;
  record(body: Json): Json;
  /** By graph field, how it changes, or why nothing changes it. */
  fields: Record<string, Change | string>;
  /** Other changes that affect the response, by the field they affect. */
  more: Record<string, [field: string | null, change: Change]>;
  /** Changes that do not affect the response, so nothing moves. */
  unseen: Record<string, Change>;
}

export const mapFields = (names: string[], make: (name: string) => Change | string): Kind['fields'] =>
  Object.fromEntries(names.map((name) => [name.replace('*', ''), make(name.slice(name.lastIndexOf('.') + 1))]));
export const addPrefix = (prefix: string, fields: Kind['fields']): Kind['fields'] =>
  Object.fromEntries(Object.entries(fields).map(([name, change]) => [`${prefix}.${name}`, change]));
export const key = 'is the key of the record, which never changes';
export const born = 'is when the record was made, which never changes';

export const addressTexts = [
  'addition',
  'building',
  'city',
  'country',
  'county',
  'door',
  'floor',
  'houseNumber',
  'location',
  'pollingStation',
  'postalCode',
  'state',
  'street',
];

let turn = 0;
const fresh = (what: string): string => `${what} ${++turn}`;

/** A new contact with something in every field. */
export const createShownContact = async (door: Door): Promise<Ground> => {
  const form = (kind: string): Promise<Json> =>
    runMutation(door, 'createForm', { label: fresh('Form'), kind, type: 'TEXT' });
  const [asked, custom] = [await form('SURVEY'), await form('CUSTOM_FIELDS')];
  const tag = await runMutation(door, 'createTag', { name: fresh('shown tag'), color: 'red' });
  const action = await runMutation(door, 'createAction', { name: fresh('Action') });
  const answer = ({ id, options: [option] }: Json): Json => ({
    formId: id,
    optionId: option.id,
    text: 'yes',
    answeredAt: '2026-01-01T00:00:00Z',
    surveyId: id,
  });
  const { id } = await runMutation(door, 'createContact', {
    lastName: fresh('Shown'),
    address: { city: 'Lyon' },
    tags: [{ name: tag.name }],
    actionIds: [action.id],
    answers: [answer(asked)],
    customFields: [answer(custom)],
  });
  const older = await runMutation(door, 'createNote', { contactId: id, content: 'older' });
  const note = await runMutation(door, 'createNote', { contactId: id, content: 'shown', pinned: true });
  return {
    id,
    form: asked.id,
    ref: asked.options[0].id,
    custom: custom.id,
    customRef: custom.options[0].id,
    tag: tag.id,
    action: action.id,
    note: note.id,
    older: older.id,
  };
};

/** A new team whose one user, a leader, belongs to no other space. */
export const createShownTeam = async (door: Door): Promise<Ground> => {
  const [{ user, role }] = await door.sql(
    `with account as (insert into users (mail, firstname) values (?, 'Ada') returning id),
     own as (insert into roles (group_id, name, type, color) values (1, 'Own role', 'user', 'red') returning id),
     member as (insert into members (group_id, user_id, role_id) select 1, account.id, own.id from account, own)
     select account.id as user, own.id as role from account, own`,
    [`shown.${++turn}@example.org`],
  );
  const [{ id: otherRole }] = await door.sql(`select min(id) as id from roles where group_id = 1 and type = 'manager'`);
  const { id } = await runMutation(door, 'createTeam', buildTeamInput(user));
  return { id, user, role, otherRole };
};

/** The input of a whole team, with one change in it. */
export const buildTeamInput = (user: number, change: Json = {}): Json => ({
  name: 'Shown',
  users: [{ id: user }],
  leaders: [{ id: user }],
  address: { city: 'Lyon' },
  ...change,
});
