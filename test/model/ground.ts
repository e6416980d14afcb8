// The ground that random writes stand on: a space of its own with two users, forms, actions, prices and campaigns; and how a write is sent.
import { type GraphQLInputType, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import type { Door, Json } from '../harness/app.ts';
import { rootFields } from '../requests/index.ts';
import { selectFields, translateArgument, translateResult } from './graph-names.ts';

export interface Form {
  id: number;
  kind: string;
  label: string;
  type: string;
  refs: { id: number; label: string; value: string | null }[];
}

export interface Ground {
  door: Door;
  space: number;
  /** A superadmin, and a user who may not do what managers do. */
  boss: number;
  plain: number;
  forms: Form[];
  actions: number[];
  campaigns: number[];
  status: number;
  donationPrice: number;
  membershipPrice: number;
}

/** One write: by which door, as whom. */
export type Call = { by: number } & (
  | { door: 'graphql'; name: string; input: Json }
  | { door: 'rest'; method: string; path: string; body?: Json; ifMatch?: number }
);

export interface Reply {
  status: number;
  /** GraphQL: the value of the root field, in the contract's names. REST: the body. */
  data: Json;
}

/** What is selected of the payloads of mutations; where a payload is one record or one list, what is selected of that. */
const upserted = 'contact { id: databaseId } outcome';
const changed = `{ ${selectFields('TagContactsPayload', ['contactIds'])} }`;
const selections: Record<string, string> = {
  upsertContact: `{ ${upserted} }`,
  upsertContacts: `{ ${upserted} problem { code } }`,
  mergeContacts: '{ contact { id: databaseId } conflicts { contactId field kept dropped } moved { relation count } }',
  tagContacts: changed,
  untagContacts: changed,
  linkAction: changed,
  unlinkAction: changed,
  recordEmailEvents: '{ changed }',
  createPayment: `{ id: databaseId donations { nodes { ${selectFields('Donation', ['id', 'contactId', 'amount'])} } }
    memberships { nodes { ${selectFields('Membership', ['id', 'contactId', 'amount', 'startDate'])} } } }`,
  createForm: '{ id: databaseId refs: options { id: databaseId label value } }',
};

const documents = new Map<string, string>();

const findMutation = (name: string) => rootFields.find(({ field }) => field.name === name)!.field;
const getInputType = (name: string): GraphQLInputType => findMutation(name).args[0]!.type;

/** The only field of a payload, if that is a record or a list of records. */
const findRecordField = (name: string): string | undefined => {
  const payload = getNamedType(findMutation(name).type) as GraphQLObjectType;
  const [field, ...others] = Object.values(payload.getFields());
  return others.length === 0 && isObjectType(getNamedType(field!.type)) ? field!.name : undefined;
};

const documentOf = (name: string): string => {
  if (!documents.has(name)) {
    const record = findRecordField(name);
    const selection = selections[name] ?? '{ id: databaseId }';
    const payload = record ? `{ ${record} ${selection} }` : selection;
    documents.set(name, `mutation ($input: ${getInputType(name)}) { ${name}(input: $input) ${payload} }`);
  }
  return documents.get(name)!;
};

export const sendCall = async ({ door, space }: Pick<Ground, 'door' | 'space'>, call: Call): Promise<Reply> => {
  const token = await door.token(space, call.by);
  if (call.door === 'rest') {
    const headers: Record<string, string> = call.ifMatch === undefined ? {} : { 'If-Match': `"${call.ifMatch}"` };
    const { status, body } = await door.rest(call.method, call.path, call.body, token, headers);
    return { status, data: body };
  }
  const input = translateArgument(getInputType(call.name), call.input);
  const { body } = await door.graphql(documentOf(call.name), { input }, token);
  if (body.errors) return { status: body.errors[0].extensions?.status ?? 400, data: body };
  const payload = body.data[call.name];
  const record = findRecordField(call.name);
  return { status: 200, data: translateResult(record ? payload[record] : payload) };
};

const forms = [
  {
    kind: 'consent',
    label: 'Newsletter',
    type: 'radio',
    options: [
      { label: 'Yes', value: 'y' },
      { label: 'No', value: 'n' },
    ],
  },
  { kind: 'level_of_support', label: 'Support', type: 'select', options: [{ label: 'High' }, { label: 'Low' }] },
  {
    kind: 'survey',
    label: 'Colours',
    type: 'checkbox',
    options: [{ label: 'Red' }, { label: 'Green' }, { label: 'Blue' }],
  },
  { kind: 'survey', label: 'Wish', type: 'text' },
  { kind: 'custom_fields', label: 'Shoe', type: 'numeric' },
  { kind: 'custom_fields', label: 'Diet', type: 'radio', options: [{ label: 'Meat' }, { label: 'Fish' }] },
];

/** A new space of this number, of which nobody is in another one; further users may do all. */
export const createGround = async (door: Door, space: number): Promise<Ground> => {
  const user = async (name: string, type: string): Promise<number> => {
    const [{ id }] = await door.sql('insert into users (mail) values (?) returning id', [
      `${name}.${space}@model.test`,
    ]);
    const [role] = await door.sql('insert into roles (group_id, name, type) values (?, ?, ?) returning id', [
      space,
      type,
      type,
    ]);
    await door.sql('insert into members (group_id, user_id, role_id) values (?, ?, ?)', [space, id, role.id]);
    return id;
  };
  await door.sql('insert into spaces (id, name) values (?, ?)', [space, `Model ${space}`]);
  const [boss, plain] = [await user('boss', 'superadmin'), await user('plain', 'user')];
  const made = async (name: string, input: Json): Promise<Json> => {
    const { status, data } = await sendCall({ door, space }, { door: 'graphql', by: boss, name, input });
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(data)}`);
    return data;
  };
  const madeForms: Form[] = [];
  for (const form of forms) {
    const { kind, label, type } = form;
    madeForms.push({ kind, label, type, ...(await made('createForm', form)) });
  }
  const group = await made('createMembershipPriceGroup', { name: 'group' });
  return {
    door,
    space,
    boss,
    plain,
    forms: madeForms,
    actions: [(await made('createAction', { name: 'A' })).id, (await made('createAction', { name: 'B' })).id],
    campaigns: [(await made('createCampaign', { name: 'C' })).id, (await made('createCampaign', { name: 'D' })).id],
    status: (await made('createTransactionStatus', { name: 'paid' })).id,
    donationPrice: (await made('createDonationPrice', { name: 'small', amount: 500 })).id,
    membershipPrice: (
      await made('createMembershipPrice', { name: 'year', amount: 2000, membershipPriceGroupId: group.id })
    ).id,
  };
};
