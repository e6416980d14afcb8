// A valid request for every operation on teams, users, roles and invitations, and on the caller.
import { grantablePermissions } from '../../src/permissions/permissions.ts';
import type { Fields, Requests } from './ids.ts';

export const teamFields: Fields = {
  team: ({ teams }) => ({ id: teams }),
  teams: () => ({}),
  user: ({ users }) => ({ id: users }),
  users: () => ({ first: 50 }),
  roles: () => ({}),
  role: ({ roles }) => ({ id: roles }),
  invitations: () => ({}),
  invitation: ({ invitations }) => ({ id: invitations }),
  auditLog: () => ({ first: 5 }),
  auditLine: ({ auditLines }) => ({ id: auditLines }),
  viewer: () => ({}),
  node: ({ contacts }) => ({ id: `Contact:${contacts}` }),
  nodes: ({ contacts, notes }) => ({ ids: [`Contact:${contacts}`, `Donation:${notes}`] }),
  rateLimit: () => ({}),
  createTeam: ({ users }) => ({ input: { name: 'a team', users: [{ id: users }], leaders: [{ id: users }] } }),
  replaceTeam: ({ teams, users }) => ({
    input: { id: teams, name: 'a team', users: [{ id: users }], leaders: [{ id: users }] },
  }),
  deleteTeam: ({ teams }) => ({ input: { id: teams } }),
  updateUser: ({ users }) => ({ input: { id: users, email: 'changed@example.org' } }),
  inviteUsers: ({ roles, teams }) => ({
    input: { invitations: [{ email: 'invited@example.org', roleId: roles, teamIds: [teams] }] },
  }),
  deleteInvitation: ({ invitations }) => ({ input: { id: invitations } }),
  acceptInvitation: ({ received }) => ({ input: { id: received } }),
  removeMember: ({ users }) => ({ input: { userId: users } }),
  changeMemberRole: ({ users, otherRoles }) => ({ input: { userId: users, roleId: otherRoles } }),
  createRole: () => ({ input: { name: 'a role', type: 'CUSTOM', permissions: [grantablePermissions[0]] } }),
  updateRole: ({ roles, turn }) => ({ input: { id: roles, name: `role ${turn}`, color: '#123456' } }),
  apps: () => ({}),
  app: ({ apps }) => ({ id: apps }),
  createApp: ({ turn }) => ({
    input: {
      name: `app ${turn}`,
      permissions: [grantablePermissions[0]],
      scope: 'ADMIN',
      share: 20,
      label: 'a token',
      expiresAt: '2100-01-01T00:00:00Z',
    },
  }),
  createAppToken: ({ apps }) => ({ input: { id: apps, label: 'a token', expiresAt: '2100-01-01T00:00:00Z' } }),
  updateApp: ({ apps, turn }) => ({
    input: { id: apps, name: `changed app ${turn}`, permissions: [grantablePermissions[1]], scope: 'WRITE', share: 30 },
  }),
  deleteApp: ({ apps }) => ({ input: { id: apps } }),
  spaceUsage: () => ({}),
  tokens: () => ({ ofSpace: true }),
  accessToken: ({ tokens }) => ({ id: tokens }),
  createToken: ({ turn }) => ({ input: { label: `token ${turn}`, scope: 'READ', expiresAt: '2100-01-01T00:00:00Z' } }),
  revokeToken: ({ tokens }) => ({ input: { id: tokens } }),
};

export const teamRequests: Requests = {
  CreateTeam: ({ users }) => ({
    path: {},
    body: { data: { team: { name: 'a team', users: [{ id: users }], leaders: [{ id: users }] } } },
  }),
  ReplaceTeam: ({ teams, users }) => ({
    path: {},
    body: { data: { team: { id: teams, name: 'a team', users: [{ id: users }], leaders: [{ id: users }] } } },
  }),
  Teams: () => ({ path: {} }),
  TeamById: ({ teams }) => ({ path: { id: teams } }),
  DeleteTeam: ({ teams }) => ({ path: { id: teams } }),
  Invitations: () => ({ path: {} }),
  InviteUsers: ({ roles, teams }) => ({
    path: {},
    body: { data: { invitations: [{ email: 'invited@example.org', role_id: roles, team_ids: [teams] }] } },
  }),
  DeleteInvitation: ({ invitations }) => ({ path: { id: invitations } }),
  Users: () => ({ path: {} }),
  UserById: ({ users }) => ({ path: { id: users } }),
  UpdateUser: ({ users }) => ({ path: { id: users }, body: { data: { mail: 'changed@example.org' } } }),
  Roles: () => ({ path: {} }),
};
