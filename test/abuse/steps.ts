// Steps of random sequences: requests by people and an app of space 1, with ids and mails of space 2 and of people in both among the arguments.
import fc from 'fast-check';
import type { Answer, Door, Json } from '../harness/app.ts';
import { type Ids, makeDocument, rootFields } from '../requests/index.ts';
import { type People, roles } from './people.ts';

/** Callers with an account, and all. */
export const people = [...roles, 'both'] as const;
export const callers = [...people, 'app'] as const;

/** One request; an id of `last` is that of the invitation that the sequence sent last. */
export type Step = { by: (typeof callers)[number] } & (
  | { field: string; input: Json }
  | { method: string; path: string; body?: Json }
);

/** The values from which arguments are drawn. */
export interface Pools {
  people: People & { app: number };
  appToken: string;
  /** Users: those of the sequence with the app, those of space 2, and a missing one. */
  users: number[];
  /** Mails of the same users, of people whom space 2 invited, and of nobody. */
  mails: string[];
  /** A mail that space 2 has invited and that has no account. */
  expected: string;
  own: Ids;
  foreign: Ids;
}

const missing = 987_654_321;

const person = 'address city postalCode location birthDate twoFactorEnabled twoFactorMethod';
const readings = [
  `viewer { user { id email firstName ${person} } invitations { id spaceName roleName } }`,
  `users(first: 1000) { items: nodes { id email firstName ${person} role { name } contacts { id } } }`,
  `teams { items: nodes { name users { id firstName ${person} } leaders { id firstName } } }`,
  'invitations { nodes { id email acceptedBy { id } role { name } } }',
  'roles { id name permissions }',
  'tokens(ofSpace: true) { id label prefix user { id email } app { id name } }',
  'apps { id name tokens { id label } }',
  'spaceUsage { user { email } appName }',
  'viewer { app { id name } space { name } }',
];

const roleTypes = roles.map((type) => type.toUpperCase());

/** A step of any kind. Steps on people are more frequent, mostly with arguments that pass the first checks: faults lie deep. */
const steps = ({ people, users, mails, expected, own, foreign }: Pools, alone?: Step['by']): fc.Arbitrary<Step> => {
  const self = alone ? Array<number>(users.length).fill(people[alone]) : [];
  const user = fc.constantFrom(...users, ...self);
  const mail = fc.constantFrom(...mails);
  const idOf = (noun: keyof Ids) => fc.constantFrom(own[noun], own[noun], own[noun], foreign[noun], missing);
  // Callers with higher roles are more frequent: most steps of the others are refused at once.
  const by = alone ? fc.constant(alone) : fc.constantFrom(...callers, 'superadmin', 'admin', 'admin');
  const graph = (field: string, input: fc.Arbitrary<Json>): fc.Arbitrary<Step> =>
    fc.record({ by, field: fc.constant(field), input });
  const withId = (name: string, id: fc.Arbitrary<number>, fields: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
    fc.tuple(id, fields).map(([value, others]) => ({ ...others, [name]: value }));
  const rest = (method: string, path: fc.Arbitrary<string>, body?: fc.Arbitrary<Json>): fc.Arbitrary<Step> =>
    fc.record({ by, method: fc.constant(method), path, ...(body && { body }) });
  const at = (path: string, id: fc.Arbitrary<number>): fc.Arbitrary<string> => id.map((one) => `${path}/${one}`);
  const optional = <Value>(value: fc.Arbitrary<Value>) =>
    fc.oneof(fc.constant(undefined), fc.constant(undefined), value);

  const offer = {
    email: mail,
    roleId: optional(idOf('roles')),
    teamIds: optional(fc.array(idOf('teams'), { maxLength: 2 })),
  };
  const offers = fc.array(fc.record(offer), { minLength: 1, maxLength: 2 });
  const profile = fc.record({
    email: fc.oneof(mail, fc.constantFrom('free@example.org', expected)),
    firstName: optional(fc.constant('Walked')),
    city: optional(fc.constant('Nowhere')),
    birthDate: optional(fc.constant('1999-09-09')),
    selectedGroupId: optional(optional(fc.constantFrom(1, 2))),
    updateToken: fc.constant(true),
  });
  const references = fc.array(user, { maxLength: 3 }).map((ids) => ids.map((id) => ({ id })));
  const team = references.map((members) => ({ name: 'Walked', users: members, leaders: members.slice(0, 1) }));
  const app = fc.record({
    name: fc.constantFrom('Walked', 'Walking'),
    permissions: fc.constantFrom(['contacts.read'], ['people.read', 'invitations.read'], ['apps'], ['members.write']),
    scope: fc.constant('ADMIN'),
  });
  const contact = fc.record({ lastName: fc.constant('Walked'), accountId: optional(user) });

  const any = fc.oneof(
    { weight: 4, arbitrary: graph('inviteUsers', fc.record({ invitations: offers })) },
    {
      weight: 2,
      arbitrary: rest(
        'POST',
        fc.constant('/users/invitation'),
        mail.map((email) => ({ data: { invitations: [{ email }] } })),
      ),
    },
    {
      weight: 4,
      arbitrary: graph(
        'acceptInvitation',
        fc.record({ id: fc.oneof(fc.constant('last'), idOf('received'), fc.constant(foreign.invitations)) }),
      ),
    },
    { weight: 1, arbitrary: graph('deleteInvitation', fc.record({ id: idOf('invitations') })) },
    { weight: 4, arbitrary: graph('updateUser', withId('id', user, profile)) },
    {
      weight: 4,
      arbitrary: rest(
        'PATCH',
        at('/users', user),
        profile.map(({ email, firstName, city, birthDate, selectedGroupId, updateToken }) => ({
          data: {
            mail: email,
            firstname: firstName,
            city,
            birthdate: birthDate,
            selected_group_id: selectedGroupId,
            UpdateToken: updateToken,
          },
        })),
      ),
    },
    { weight: 3, arbitrary: graph('removeMember', fc.record({ userId: user })) },
    { weight: 3, arbitrary: rest('POST', fc.constant('/join')) },
    { weight: 3, arbitrary: graph('changeMemberRole', withId('userId', user, fc.record({ roleId: idOf('roles') }))) },
    {
      weight: 2,
      arbitrary: graph('createRole', fc.record({ name: fc.constant('Walked'), type: fc.constantFrom(...roleTypes) })),
    },
    {
      weight: 2,
      arbitrary: graph('updateRole', withId('id', idOf('roles'), fc.record({ type: fc.constantFrom(...roleTypes) }))),
    },
    {
      weight: 1,
      arbitrary: graph('createToken', fc.record({ label: fc.constant('Walked'), scope: fc.constant('ADMIN') })),
    },
    { weight: 2, arbitrary: graph('revokeToken', fc.record({ id: idOf('tokens') })) },
    { weight: 2, arbitrary: graph('createApp', app) },
    { weight: 2, arbitrary: graph('updateApp', withId('id', idOf('apps'), app)) },
    { weight: 1, arbitrary: graph('createAppToken', fc.record({ id: idOf('apps'), label: fc.constant('Walked') })) },
    { weight: 1, arbitrary: graph('deleteApp', fc.record({ id: idOf('apps') })) },
    { weight: 2, arbitrary: graph('createTeam', team) },
    { weight: 2, arbitrary: graph('replaceTeam', withId('id', idOf('teams'), team)) },
    {
      weight: 2,
      arbitrary: rest(
        'POST',
        fc.constant('/teams'),
        team.map((one) => ({ data: { team: one } })),
      ),
    },
    { weight: 1, arbitrary: graph('deleteTeam', fc.record({ id: fc.constantFrom(foreign.teams, missing) })) },
    { weight: 1, arbitrary: graph('createContact', contact) },
    { weight: 1, arbitrary: graph('updateContact', withId('id', idOf('contacts'), contact)) },
    { weight: 1, arbitrary: graph('deleteContact', fc.record({ id: fc.constantFrom(foreign.contacts, missing) })) },
    {
      weight: 1,
      arbitrary: graph('createNote', withId('contactId', idOf('contacts'), fc.constant({ content: 'Walked' }))),
    },
    {
      weight: 1,
      arbitrary: graph(
        'tagContacts',
        fc.record({ contactIds: idOf('contacts').map((id) => [id]), tags: fc.constant(['Walked']) }),
      ),
    },
    { weight: 1, arbitrary: rest('GET', at('/contacts', idOf('contacts'))) },
    { weight: 2, arbitrary: rest('GET', at('/users', user)) },
    { weight: 1, arbitrary: rest('GET', at('/teams', idOf('teams'))) },
    { weight: 2, arbitrary: rest('GET', fc.constantFrom('/users', '/teams', '/users/invitation', '/roles')) },
    {
      weight: 3,
      arbitrary: fc.record({ by, field: fc.constantFrom(...readings), input: fc.constant({}) }) as fc.Arbitrary<Step>,
    },
  );
  // A user of both spaces may switch to the other and write there, so such a step is no step of space 1.
  const switchesSpace = (step: Step): boolean => /"selected(GroupId|_group_id)":2/.test(JSON.stringify(step));
  return any.filter((step) => step.by !== 'both' || !switchesSpace(step));
};

/** Sequences of several people, and as many of one person, who often acts on themselves. */
export const generateSequences = (pools: Pools, length: number): fc.Arbitrary<Step[]> => {
  const sequence = (alone?: Step['by']) => fc.array(steps(pools, alone), { minLength: 2, maxLength: length });
  return fc.oneof(
    { weight: callers.length, arbitrary: sequence() },
    ...callers.map((one) => ({ weight: 1, arbitrary: sequence(one) })),
  );
};

/** Sends a step. `last` is the invitation that was sent last, if any, and the secret that was told last. */
export const sendStep = async (
  door: Door,
  { people, appToken }: Pools,
  step: Step,
  last: { id: number; secret: string },
): Promise<Answer> => {
  const token = step.by === 'app' ? appToken : await door.token(1, people[step.by]);
  if ('path' in step && step.path === '/join')
    return door.rest('POST', '/join', { secret: last.secret || 'none', firstName: 'Walked' }, null);
  if ('method' in step) return door.rest(step.method, step.path, step.body, token);
  const root = rootFields.find(({ field }) => field.name === step.field);
  if (!root) return door.graphql(`{ ${step.field} }`, {}, token);
  const input = step.input.id === 'last' ? { ...step.input, id: last.id } : step.input;
  return door.graphql(makeDocument(root, { input }), { input }, token);
};
