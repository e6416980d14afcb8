// Routes of teams (spec §2.4, §4.2–§4.4).
import { team, teams } from './output.ts';
import { id, inputId, type Route, slice } from './route.ts';

export const teamRoutes: Route[] = [
  {
    method: 'POST',
    path: '/teams',
    operation: 'CreateTeam',
    variables: { input: { body: 'data.team' } },
    envelope: 'data',
    etag: 'team',
    shape: team,
    summary: 'Create a team',
    example: { body: { data: { team: { name: 'Welcome desk', users: [{ id: 1 }], leaders: [{ id: 1 }] } } } },
  },
  {
    method: 'PATCH',
    path: '/teams',
    operation: 'ReplaceTeam',
    variables: { 'input.id': { body: 'data.team.id' }, input: { body: 'data.team' } },
    envelope: 'data',
    etag: 'team',
    shape: team,
    summary: 'Replace a team',
    example: { body: { data: { team: { id: 1, name: 'Welcome desk', users: [{ id: 1 }] } } } },
  },
  {
    method: 'GET',
    path: '/teams',
    operation: 'Teams',
    variables: slice,
    envelope: 'inner',
    shape: teams,
    summary: 'The teams of the space',
    example: { query: { limit: 10 } },
  },
  {
    method: 'GET',
    path: '/teams/{id}',
    operation: 'TeamById',
    variables: id,
    envelope: 'data',
    etag: 'team',
    shape: team,
    summary: 'A team',
    example: { path: { id: 1 } },
  },
  {
    method: 'DELETE',
    path: '/teams/{id}',
    operation: 'DeleteTeam',
    variables: inputId,
    envelope: 'data',
    summary: 'Delete a team',
    example: { path: { id: 2 } },
  },
];
