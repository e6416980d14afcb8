// The route table, noun by noun. The order matters: of two patterns that match a path, the earlier one wins.
import { contactRoutes } from './contact.ts';
import type { Route } from './route.ts';
import { searchRoutes } from './search.ts';
import { formRoutes, settingsRoutes } from './settings.ts';
import { teamRoutes } from './team.ts';
import { userRoutes } from './user.ts';

export type { Envelope, Route, VariableSource } from './route.ts';

/** The routes by the name of their group in OpenAPI, each with what it is about. */
export const routeGroups: Record<string, { about: string; routes: readonly Route[] }> = {
  Contacts: { about: 'Contacts, and notes on them.', routes: contactRoutes },
  Search: { about: 'Search by conditions, its count, and exports.', routes: searchRoutes },
  Teams: { about: 'Teams of users.', routes: teamRoutes },
  Users: { about: 'Users, their roles, and invitations.', routes: userRoutes },
  Forms: { about: 'Questions to contacts, with their reference values.', routes: formRoutes },
  Settings: { about: 'Prices, and statuses of transactions.', routes: settingsRoutes },
};
export const routes: Route[] = Object.values(routeGroups).flatMap((group) => group.routes);

/** The wire's changes of each operation's records. Exports are made of records, not of JSON text. */
export const wires = new Map(
  routes.filter((route) => !route.exports).map(({ operation, shape = {} }) => [operation, shape]),
);
