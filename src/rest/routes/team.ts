// Routes of teams (spec §2.4, §4.2–§4.4).
import { team, teams } from '../output.ts';
import { expectedVersion, id, inputId, type Route, slice } from './route.ts';

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
  },
  {
    method: 'PATCH',
    path: '/teams',
    operation: 'ReplaceTeam',
    variables: { 'input.id': { body: 'data.team.id' }, input: { body: 'data.team' }, ...expectedVersion },
    envelope: 'data',
    etag: 'team',
    shape: team,
    summary: 'Replace a team',
  },
  {
    method: 'GET',
    path: '/teams',
    operation: 'Teams',
    variables: slice,
    envelope: 'inner',
    shape: teams,
    summary: 'The teams of the space',
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
  },
  {
    method: 'DELETE',
    path: '/teams/{id}',
    operation: 'DeleteTeam',
    variables: inputId,
    envelope: 'data',
    summary: 'Delete a team',
  },
];
