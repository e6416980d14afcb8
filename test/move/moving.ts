// Ground for imports from a server: Muster itself over HTTP as the source, a space to fill, and what both show through REST.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Door, Json } from '../harness/app.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';
import { makeComparable } from './comparable.ts';

const servers: ReturnType<typeof createServer>[] = [];
cleanUpAfterFile(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Listens at a free port, and returns the address. */
export const listenLocally = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Serves an app over HTTP. `before` may answer a request in its place. */
export const serveApp = (
  door: Door,
  before: (request: Request) => Promise<Response | undefined> = async () => undefined,
) => listenLocally(getRequestListener(async (request) => (await before(request)) ?? door.app.fetch(request)));

/** An empty space, of which all members of space 1 are members. */
export const createSpace = async (door: Door): Promise<number> => {
  const [{ id }] = await door.sql(`insert into spaces (name) values ('moved') returning id`);
  const [role] = await door.sql(
    `insert into roles (group_id, name, type, position) values (?, 'Superadmin', 'superadmin', 0) returning id`,
    [id],
  );
  await door.sql(
    'insert into members (group_id, user_id, role_id) select ?, m.user_id, ? from members m where m.group_id = 1',
    [id, role.id],
  );
  return Number(id);
};

/** Makes all contacts of a space a day older: an import takes younger ones for those that the source creates while it is read. */
export const ageContacts = (door: Door, space: number): Promise<Json[]> =>
  door.sql(
    `update contacts set created_at = created_at - interval '1 day', lastchange = lastchange - interval '1 day' where group_id = ?`,
    [space],
  );

const kinds = ['consent', 'level_of_support', 'presence_status', 'custom_fields', 'survey', 'tasks'];

/** All contacts of a space, as contact search shows them, in the order of their ids. */
export const readContacts = async (door: Door, space: number): Promise<Json[]> => {
  const token = await door.token(space, 1);
  const all: Json[] = [];
  for (let page = 0; ; page++) {
    const search = { per_page: 1000, page, include_interactions: true };
    const { body } = await door.rest('POST', '/search', { data: { advanced_search: search } }, token);
    if (body.data.contacts.length === 0) return all;
    all.push(...body.data.contacts);
  }
};

/** Everything that the contract's REST shows of a space, without what cannot be equal in two spaces. */
export const readSpace = async (door: Door, space: number): Promise<Json> => {
  const token = await door.token(space, 1);
  const get = async (path: string): Promise<Json> => (await door.rest('GET', path, undefined, token)).body.data;
  const contacts = await readContacts(door, space);
  const forms: Json = {};
  for (const kind of kinds) forms[kind] = (await get(`/forms/${kind}`)).forms;
  const lists = ['membership_price_groups', 'donation_prices', 'transaction_statuses'];
  const settings: Json = {};
  for (const list of lists) settings[list] = await get(`/v1/${list}?limit=1000`);
  return makeComparable({ contacts, forms, settings, teams: (await get('/teams')).teams });
};

/** Contacts of a space whose search rows are not what they should be. */
export const listStaleRows = (door: Door, space: number): Promise<Json[]> =>
  door.sql(
    `select coalesce(s.contact_id, f.contact_id) from (select * from contact_search where group_id = ?) s
       full join search_rows(?, array(select id from contacts where group_id = ?)) f on f.contact_id = s.contact_id where s is distinct from f`,
    [space, space, space],
  );
