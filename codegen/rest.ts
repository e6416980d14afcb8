// The page of the REST door: its rules, a client in TypeScript, and the route table.
import { legacySchema } from '../schema/index.ts';
import { limits } from '../src/limits/limits.ts';
import { formatMarkdownTable, made } from './format.ts';

/** The text of docs/rest.md. The imports wait until the stored operations are written. */
export const writeRestPage = async (): Promise<string> => {
  const [{ routes }, { compileStoredOperations }] = await Promise.all([
    import('../src/rest/routes/index.ts'),
    import('../src/rest/stored.ts'),
  ]);
  const stored = compileStoredOperations(legacySchema);
  const rows = routes.map((route) => [
    `\`${route.method} ${route.path.replaceAll('#}', '}')}\``,
    route.summary,
    route.status ?? 200,
    route.cost ?? stored[route.operation].cost,
    (route.aliases ?? []).map((alias) => `\`${alias.replaceAll('#}', '}')}\``).join(', '),
  ]);
  return `# REST routes

${made}

Every route needs \`Authorization: Bearer <ACCESS_TOKEN>\`, except [\`POST /join\`](#joining). [openapi.json](../openapi.json) describes requests and replies in OpenAPI 3.1. The server has it at
\`/openapi.json\`, and shows it at \`/docs\`, where each request can be tried. Neither needs an access token. \`DOCS=false\` switches the page off.
Files of contacts have [paths of their own](importing.md#from-a-browser-or-over-http), outside the contract.

Every write of these routes accepts \`Idempotency-Key\`: 1 to 255 visible ASCII characters that do not begin with \`erased:\`, chosen by the client, for one user in one space. The write runs once. A client that repeats it
within 24 hours gets the same answer, byte for byte, with \`Idempotency-Replayed: true\`. The answer is
409 while the first request is running, 422 for another request with the same key, 403 when the token or role may do less than the one that got the answer, and 410 (\`answer-erased\`) when the write was done but its answer was erased with the data of a person. Refusals are not stored, so the client can try again. GraphQL mutations accept the header too.

\`ETag\` is the version of a contact or a team. The role of the caller decides what a team shows of its users, so keep replies for each token. \`If-None-Match\` avoids reading an unchanged record (304). With \`If-Match\` a record
is read, changed or deleted only if it has one of these versions. Otherwise the answer is 412: somebody else has changed it since. Records without an \`ETag\` are matched by \`*\` alone. \`If-None-Match: *\` on an upsert only creates.

Bodies may be sent in gzip (\`Content-Encoding\`), and long answers come in gzip or brotli for \`Accept-Encoding\`. HEAD is GET without a body.

Clients may send back whole records. Unknown fields are ignored, and unchanged values change nothing: no version, no \`UpdatedAt\`. If a record has one value under two names
(\`birthcity\` and \`birth_city\`), the one that differs from the stored value counts. If both differ from it and from each other, the answer is 400. A body without any known field is 400.

A blank text is no value. \`POST /contacts/upsert\` ignores it, also in place of a list or an address; any other write reads it as null. \`null\` clears a field. An upsert adds to lists (\`tags\`, \`action_ids\`, \`formdatas\`);
a PATCH replaces them. An upsert adds an answer to a form of checkboxes, whether it says \`{form_id, form_ref_id}\` or \`{id, value}\`; it replaces the answer to any other form. \`notes\` without an id are added once. New values are checked: a mail must be a mail address, a phone needs a digit, coordinates must be on earth, and an answer to a numeric form or
a date form must be a number or a date. Values that are stored already may be sent back.

${formatMarkdownTable(['Route', 'Does', 'Status', 'Cost', 'Also at'], rows)}

## Making a client

Generators of clients read \`/openapi.json\`. In TypeScript, [openapi-typescript](https://openapi-ts.dev) makes types of it, and openapi-fetch uses them:

\`\`\`sh
npx openapi-typescript "$MUSTER/openapi.json" -o muster.d.ts
\`\`\`

\`\`\`ts
import createClient from 'openapi-fetch';
import type { components, paths } from './muster.d.ts';

const muster = createClient<paths>({
  baseUrl: process.env.MUSTER!,
  headers: { Authorization: \`Bearer \${process.env.TOKEN}\` },
});

const query: components['schemas']['SearchQuery'] = {
  $all: [
    { $all: [{ $condition: { attr: 'birthdate', ope: 'range', from: 'now-35y', to: 'now-18y' } }] },
    { $at_least_one: [{ $condition: { attr: 'mail', ope: 'ext' } }, { $condition: { attr: 'mobile', ope: 'ext' } }] },
  ],
};
const found = await muster.POST('/search', { body: { data: { advanced_search: { per_page: 5, query } } } });
if (found.error) throw new Error(found.error.detail);
for (const { id, surname } of found.data.data.contacts) console.log(id, surname);

const created = await muster.POST('/contacts', { body: { data: { contact: { firstname: 'Ana', surname: 'Costa' } } } });
if (created.error) throw new Error(created.error.detail);
console.log('created', created.data.data.contact.id);
\`\`\`

The compiler refuses an attribute with an operator that it does not permit. Replies leave out fields without a value. A path with and without \`/v1\` is one operation with two ids: \`search\` and \`searchV1\`.
\`GET /forms/{formIdOrType}\` has two meanings: a number reads one form, a word lists the forms of that kind. The document describes every form of input that the server reads, except [two](design/request.md#rest-points-that-the-contract-leaves-open).

## Joining

\`POST /join\` with \`{"secret": "msi_…", "firstName": "Ana", "lastName": "Costa"}\` accepts an invitation without an access token. The secret is the one that \`inviteUsers\` answered with; the names may be left out.
The answer is 201 with an access token, its space and the new user: \`{"status": "success", "data": {"token", "space": {"id", "name"}, "user": {"id", "email", "firstName", "lastName"}}}\`. The token is shown only
here. A secret works once. A secret that does not work gets 404, whether it is unknown, used, renewed, withdrawn or expired. When the mail has an account already, the answer is 409 and nothing changes:
its owner accepts with their own access token (\`acceptInvitation\`). An address may send ${limits.connection.badTokens} refused requests a minute. The route costs no point of the space.
\`Idempotency-Key\` has no effect here, since answers with a token are not stored.
`;
};
