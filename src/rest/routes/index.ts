// The route table, noun by noun. The order matters: of two patterns that match a path, the earlier one wins.
import { contactRoutes } from './contact.ts';
import { formRoutes } from './form.ts';
import type { Route } from './route.ts';
import { searchRoutes } from './search.ts';
import { settingsRoutes } from './settings.ts';
import { teamRoutes } from './team.ts';
import { userRoutes } from './user.ts';

export type { Envelope, Route, VariableSource } from './route.ts';

export const routes: Route[] = [
  ...contactRoutes,
  ...searchRoutes,
  ...teamRoutes,
  ...userRoutes,
  ...formRoutes,
  ...settingsRoutes,
];

/** The wire's changes of each operation's records. Exports are made of records, not of JSON text. */
export const wires = new Map(
  routes.filter((route) => !route.exports).map(({ operation, shape = {} }) => [operation, shape]),
);
