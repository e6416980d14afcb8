// Routes of teams (spec §2.4, §4.2–§4.4).
import { team, teams } from './output.ts';
import { defineRestRoute, id, inputId, type Route, slice } from './route.ts';

export const teamRoutes: Route[] = [
  defineRestRoute('POST', '/teams', 'CreateTeam', 'Create a team', {
    variables: { input: { body: 'data.team' } },
    envelope: 'data',
    etag: 'team',
    shape: team,
    example: { body: { data: { team: { name: 'Welcome desk', users: [{ id: 1 }], leaders: [{ id: 1 }] } } } },
  }),
  defineRestRoute('PATCH', '/teams', 'ReplaceTeam', 'Replace a team', {
    variables: { 'input.id': { body: 'data.team.id' }, input: { body: 'data.team' } },
    envelope: 'data',
    etag: 'team',
    shape: team,
    example: { body: { data: { team: { id: 1, name: 'Welcome desk', users: [{ id: 1 }] } } } },
  }),
  defineRestRoute('GET', '/teams', 'Teams', 'The teams of the space', {
    variables: slice,
    envelope: 'inner',
    shape: teams,
    example: { query: { limit: 10 } },
  }),
  defineRestRoute('GET', '/teams/{id}', 'TeamById', 'A team', {
    variables: id,
    envelope: 'data',
    etag: 'team',
    shape: team,
    example: { path: { id: 1 } },
  }),
  defineRestRoute('DELETE', '/teams/{id}', 'DeleteTeam', 'Delete a team', {
    variables: inputId,
    envelope: 'data',
    example: { path: { id: 2 } },
  }),
];
