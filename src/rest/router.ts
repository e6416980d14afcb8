// Finds the row of the route table for a method and a path.
import { createMethodProblem, Problem } from '../problem.ts';
import { type Route, routes } from './routes/index.ts';

const compile = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern.replace(/\{(\w+)(#?)\}/g, (_, name, digits) => `(?<${name}>${digits ? '\\d+' : '[^/]+'})`)}/?$`,
  );

/** In the order of the table: of two patterns that match, the earlier one wins. */
const table = routes.flatMap((route) =>
  [route.path, ...(route.aliases ?? [])].map((pattern) => ({ route, pattern, form: compile(pattern) })),
);

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** The rows of the table for a path, with the texts of its parameters. */
function* findRows(path: string) {
  let first: string | undefined;
  for (const { route, pattern, form } of table) {
    const found = form.exec(path);
    if (!found) continue;
    // A literal segment is not a parameter's value: once /users/invitation matches, /users/{id} does not.
    if (first !== undefined && shapeOf(pattern) !== shapeOf(first)) return;
    first ??= pattern;
    yield { route, pattern, groups: found.groups ?? {} };
  }
}

/** The methods of a path's routes; none for an unknown path. */
export const listMethods = (path: string): Route['method'][] => [
  ...new Set([...findRows(path)].map(({ route }) => route.method)),
];

/** The route, the pattern that matched, which the log may show, and the parameters. Throws 404 for an unknown path, 405 with `Allow` for a method that its routes lack. */
export const matchRoute = (method: string, path: string) => {
  for (const { route, pattern, groups } of findRows(path)) {
    if (route.method !== method) continue;
    const parameters: Record<string, string> = Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decode(value)]),
    );
    return { route, pattern, parameters };
  }
  const methods = listMethods(path);
  if (methods.length === 0) throw new Problem('not-found', 'There is no such path');
  throw createMethodProblem(method, methods);
};

const shapeOf = (pattern: string): string => pattern.replace(/\{\w+/g, '{');
