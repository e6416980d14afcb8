// Changes of every field that responses contain of a team and of its users.
import { expect } from 'vitest';
import { runMutation } from '../graphql/writing.ts';
import type { Door, Json } from '../harness/app.ts';
import {
  addPrefix,
  addressTexts,
  born,
  buildTeamInput,
  type Change,
  createShownTeam,
  type Kind,
  key,
  mapFields,
} from './shown-ground.ts';

export const defineTeamKind = (at: { door: Door }): Kind => {
  /** Changes that only the operator of the server can make. */
  const operator =
    (sql: string, of: string): Change =>
    (ground) =>
      at.door.sql(sql, [ground[of]]);
  const editUser =
    (input: Json): Change =>
    async ({ user }) => {
      const [{ mail }] = await at.door.sql('select mail from users where id = ?', [user]);
      await runMutation(at.door, 'updateUser', { id: user, email: mail, ...input });
    };
  const replace =
    (change: Json): Change =>
    ({ id, user }) =>
      runMutation(at.door, 'replaceTeam', { id, ...buildTeamInput(user!, change) });
  const removeMember: Change = ({ user }) => runMutation(at.door, 'removeMember', { userId: user });
  const linkContact: Change = ({ user }) =>
    runMutation(at.door, 'createContact', { lastName: 'Member', accountId: user });
  const userFields: Kind['fields'] = {
    databaseId: removeMember,
    groupId: removeMember,
    createdAt: born,
    ...mapFields(['firstName', 'lastName', 'phone', 'address', 'city', 'postalCode'], (name) =>
      editUser({ [name]: '0600000000' }),
    ),
    email: async ({ user }) => runMutation(at.door, 'updateUser', { id: user, email: `new.${user}@example.org` }),
    avatar: editUser({ avatar: 'https://example.org/a.png' }),
    birthDate: editUser({ birthDate: '1980-02-29' }),
    location: editUser({ location: '45.75,4.85' }),
    updatedAt: editUser({ firstName: 'Eve' }),
    ...mapFields(['locale', 'status', 'twoFactorMethod'], (name) =>
      operator(
        `update users set ${name === 'twoFactorMethod' ? 'two_factor_method' : name} = 'x' where id = ?`,
        'user',
      ),
    ),
    twoFactorEnabled: operator('update users set two_factor_enable = true where id = ?', 'user'),
    ...addPrefix('role', {
      databaseId: async ({ user, otherRole }) =>
        at.door.sql('update members set role_id = ? where group_id = 1 and user_id = ?', [otherRole, user]),
      name: operator(`update roles set name = 'Renamed' where group_id = 1 and id = ?`, 'role'),
      color: operator(`update roles set color = 'blue' where group_id = 1 and id = ?`, 'role'),
      type: operator(`update roles set type = 'custom' where group_id = 1 and id = ?`, 'role'),
      position: operator('update roles set position = 77 where group_id = 1 and id = ?', 'role'),
      mobile: operator('update roles set mobile = false where group_id = 1 and id = ?', 'role'),
      web: operator('update roles set web = false where group_id = 1 and id = ?', 'role'),
    }),
    'contacts.databaseId': linkContact,
  };

  return {
    make: createShownTeam,
    replies: { TeamById: ({ id }) => `/teams/${id}` },
    record: (body) => body.data.team,
    fields: {
      databaseId: key,
      createdAt: born,
      name: replace({ name: 'Renamed' }),
      description: replace({ description: 'x' }),
      private: replace({ private: true }),
      hideUsers: replace({ hideUsers: true }),
      updatedAt: replace({ name: 'New' }),
      ...addPrefix('address', {
        ...mapFields([...addressTexts, 'cityCode', 'details', 'buildingType'], (name) =>
          replace({ address: { [name]: 'x' } }),
        ),
        legacyLatitude: replace({ address: { latitude: 1.5 } }),
        legacyLongitude: replace({ address: { longitude: 1.5 } }),
        databaseId: async (ground) => {
          await replace({ address: null })(ground);
          await replace({ address: { city: 'Elsewhere' } })(ground);
        },
        score: replace({ address: { score: 1.5 } }),
        invalid: replace({ address: { invalid: true } }),
      }),
      ...addPrefix('users', userFields),
      ...addPrefix('leaders', userFields),
    },
    more: {
      'a leader who stops leading': ['leaders', replace({ leaders: [] })],
      'a user who joins another space, after which only they see their address': [
        null,
        async (ground) => {
          const address = async (): Promise<Json> => {
            const { headers, body } = await at.door.rest('GET', `/teams/${ground.id}`);
            return [body.data.team.users[0].address, headers.get('etag')];
          };
          await editUser({ address: '1 rue' })(ground);
          const [shown, tag] = await address();
          await at.door.sql(
            'insert into members (group_id, user_id, role_id) select 2, ?, min(id) from roles where group_id = 2',
            [ground.user],
          );
          const [hidden, moved] = await address();
          expect([shown, hidden]).toEqual(['1 rue', undefined]);
          expect(moved).not.toBe(tag);
        },
      ],
      'the deleted contact of a user': [
        'updatedAt',
        async (ground) => {
          const { id } = (await linkContact(ground)) as Json;
          const linked = (await at.door.rest('GET', `/teams/${ground.id}`)).headers.get('etag');
          await runMutation(at.door, 'deleteContact', { id });
          expect((await at.door.rest('GET', `/teams/${ground.id}`)).headers.get('etag')).not.toBe(linked);
        },
      ],
    },
    unseen: {
      'a user without a team': async () => {
        const { user } = await createShownTeam(at.door);
        await editUser({ firstName: 'Nobody' })({ id: 0, user: user! });
      },
      'what a user confirms': operator('update users set mail_confirmed = not mail_confirmed where id = ?', 'user'),
    },
  };
};
