// Writes the page that compares the two doors: each root field of the graph with its routes, and the reason where it has none.
import { Kind, parse } from 'graphql';
import { legacySchema, schema } from '../schema/index.ts';
import { type PermissionName, permissionNames, permissions } from '../src/permissions/permissions.ts';
import { type Route, routes } from '../src/rest/routes/index.ts';
import { operations } from '../src/rest/routes/operations.ts';
import { formatMarkdownTable, made } from './format.ts';

type Graph = typeof schema;

const listRootFields = (of: Graph): string[] =>
  [of.getQueryType(), of.getMutationType(), of.getSubscriptionType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );

/** The root fields that the stored operation of a route runs. */
const listRouteFields = ({ operation }: Route): string[] =>
  parse(operations[operation]).definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? definition.selectionSet.selections.map((selection) => (selection as { name: { value: string } }).name.value)
      : [],
  );

/** Lists by limit and offset are fields for stored operations alone: `teamsPage` stands for `teams`, `formList` for `forms`. */
const findPublicField = (field: string, known: readonly string[]): string => {
  const base = field.replace(/(Page|List)$/, '');
  const found = [field, `${base}s`, base].find((name) => known.includes(name));
  if (!found) throw new Error(`No field of the graph stands for ${field}: name it in codegen/parity.ts`);
  return found;
};

/** Why fields have no route. Fields that are in none of these are not in the contract. */
const reasons: readonly [reason: string, fields: readonly string[]][] = [
  [
    '`POST /search` runs `searchContactsByTree`, the same search in the notation of the contract.',
    ['contacts', 'searchContacts', 'searchAttributes', 'explainSearch', 'contactFacets'],
  ],
  ['Ids of the graph and caches need these. REST has a path for each kind of record.', ['node', 'nodes']],
  ['Every answer of REST has what is left in its headers `X-Ratelimit-…`.', ['rateLimit']],
  [
    'Without an account, `POST /join` accepts an invitation. With one, it needs a token, and so GraphQL.',
    ['acceptInvitation'],
  ],
  ['The routes read all forms of a kind, or one of them, with their options.', ['formOption']],
  ['REST replies have them within the contact.', ['answer', 'answers', 'tag', 'tags', 'action', 'actions']],
  ['REST sends one contact at a time; `muster import` sends files.', ['upsertContacts', 'importContacts']],
];
const findReason = (field: string): string => reasons.find(([, fields]) => fields.includes(field))?.[0] ?? '';

const findPermission = (field: string): PermissionName =>
  permissionNames.find((name) => permissions[name].operations.includes(field))!;

const formatRoute = ({ method, path }: Route): string => `\`${method} ${path.replaceAll('#}', '}')}\``;
const quote = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

export const writeParityPage = (): string => {
  const known = listRootFields(schema);
  const unknown = reasons.flatMap(([, fields]) => fields).filter((field) => !known.includes(field));
  if (unknown.length > 0) throw new Error(`codegen/parity.ts has reasons for fields that do not exist: ${unknown}`);
  const forRest = listRootFields(legacySchema).filter((field) => !known.includes(field));
  const routesOf = new Map<string, Route[]>();
  for (const route of routes)
    for (const field of listRouteFields(route).map((name) => findPublicField(name, known)))
      routesOf.set(field, [...(routesOf.get(field) ?? []), route]);
  const both = known.filter((field) => routesOf.has(field));
  const holes = known.filter((field) => !routesOf.has(field));
  const holeRows = permissionNames.flatMap((permission) => {
    const fields = holes.filter((field) => findPermission(field) === permission);
    const told = [...new Set(fields.map(findReason))];
    return told.map((reason) => [
      `\`${permission}\``,
      quote(fields.filter((field) => findReason(field) === reason)),
      reason,
    ]);
  });
  return `# GraphQL and REST compared

${made}

Both doors lead to one graph: each REST route runs a stored GraphQL operation, so rules, permissions and limits are the same. GraphQL has ${known.length} root fields. ${both.length} of them have a REST
route, ${holes.length} have none. REST's paths are those of the contract, which existing clients use; they grow only when the contract does. New work is in GraphQL first.

## In both

${formatMarkdownTable(
  ['GraphQL', 'REST', 'Stored operation', 'Permission'],
  both.map((field) => {
    const of = routesOf.get(field)!;
    return [
      `\`${field}\``,
      of.map(formatRoute).join(', '),
      quote(of.map(({ operation }) => operation)),
      `\`${findPermission(field)}\``,
    ];
  }),
)}

Lists by \`limit\` and \`offset\` belong to REST alone (${quote(forRest)}). In GraphQL the same lists are connections with cursors.

## In GraphQL alone

The contract, which fixes the paths of REST, has no route for these. Some have a further reason, or another way.

${formatMarkdownTable(['Permission', 'Root fields', 'In REST'], holeRows)}

## In REST alone

${formatMarkdownTable(
  ['Route', 'In place of it'],
  [
    [
      '`POST /join`',
      'Nothing: it is the only path that works without a token, and GraphQL has no field without one. `acceptInvitation` is for people with an account.',
    ],
    ...routes
      .filter((route) => route.exports)
      .map((route) => [
        `${formatRoute(route)} as a stream`,
        'GraphQL pages through `searchContacts` by cursors; a stream of any size is a file, which JSON of one answer is not.',
      ]),
    ['`ETag`, `If-None-Match`, `If-Match`', '`version` on the record, and `expectedVersion` on its mutations.'],
  ],
)}
`;
};
