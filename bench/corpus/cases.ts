// The documents of the corpus as requests to Muster and to the yardstick, for the same records.
import { type OperationDefinitionNode, parse } from 'graphql';
import type pg from 'pg';
import { useClient } from '../harness/database.ts';
import { buildGetRequest, buildPostRequest, type Request } from '../harness/requests.ts';
import { readCorpus, readStatements } from './documents.ts';

/** Documents that no statement by hand answers, and why. */
export const withoutYardstick: Record<string, string> = {
  'quick-search':
    'it ranks by the words that the space has, and asks the planner for the best way to them, in several statements',
};

export interface Case {
  name: string;
  writes: boolean;
  /** Requests for the same records at the same place. */
  muster: Request[];
  yardstick: Request[];
}

/** Values of the variables of the corpus, as the yardstick takes them. Some contacts have no note, or no mail. */
type Draw = Record<'contact' | 'other' | 'note' | 'team' | 'mail' | 'query', string | null>;

/** The values as the graph takes them, where it takes others. */
const inGraph: Partial<Record<string, (value: string) => unknown>> = {
  contact: (id) => `Contact:${id}`,
  other: (id) => `Contact:${id}`,
  note: (id) => `Note:${id}`,
  team: (id) => `Team:${id}`,
  query: (country) => ({ address: { country: { equals: country } } }),
};

const tables =
  'notes interactions donations memberships transactions emails sanctions answers addresses contact_tags contact_actions'.split(
    ' ',
  );
/** Those with the most kinds of records first: the lists of the documents have something. */
const drawSql = `
  select cast(c.id as text) as contact, c.mail,
         (select cast(min(id) as text) from notes where group_id = 1 and contact_id = c.id and deleted_at is null) as note
    from contacts c where c.group_id = 1 and c.deleted_at is null
   order by ${tables.map((name) => `cast(exists (select from ${name} r where r.group_id = 1 and r.contact_id = c.id) as int)`).join(' + ')} desc, c.id
   limit 5000`;

const drawValues = async (client: pg.Client): Promise<Draw[]> => {
  const { rows } = await client.query<Pick<Draw, 'contact' | 'note' | 'mail'>>(drawSql);
  const { rows: teams } = await client.query<{ team: string }>(
    'select cast(id as text) as team from teams where group_id = 1 and deleted_at is null order by id',
  );
  return rows.map((row, place) => ({
    ...row,
    // Far away, so that requests at the same time do not wait for each other's contacts.
    other: rows[(place + Math.ceil(rows.length / 2)) % rows.length]!.contact,
    team: teams[place % teams.length]!.team,
    query: 'FR',
  }));
};

/** Requests of a document that reads, in turn. One that writes has as many as there are, since it changes nothing at a contact that it has changed. */
const readingRequests = 100;

/** The documents that have a yardstick and whose names contain this text. */
export const listCases = async (url: string, only: string): Promise<Case[]> => {
  const draws = await useClient(url, drawValues);
  const statements = readStatements();
  return [...readCorpus()].flatMap(([name, query]): Case[] => {
    if (!name.includes(only) || Object.hasOwn(withoutYardstick, name)) return [];
    if (!statements.has(name)) throw new Error(`${name} has no statement, nor a reason why it has none`);
    const operation = parse(query).definitions.find(
      (one): one is OperationDefinitionNode => one.kind === 'OperationDefinition',
    )!;
    const names = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value as keyof Draw);
    const writes = operation.operation === 'mutation';
    const given = draws
      .map((draw) => names.filter((key) => key in draw).map((key) => [key, draw[key]] as const))
      .filter((values): values is (readonly [keyof Draw, string])[] => values.every(([, value]) => value !== null))
      .slice(0, writes ? draws.length : readingRequests);
    return [
      {
        name,
        writes,
        muster: given.map((values) => {
          const variables = values.map(([key, value]) => [key, inGraph[key]?.(value) ?? value]);
          return buildPostRequest('/graphql', { query, variables: Object.fromEntries(variables) });
        }),
        yardstick: given.map((values) =>
          buildGetRequest(`/${name}?${new URLSearchParams(Object.fromEntries(values))}`),
        ),
      },
    ];
  });
};

/** What is written by this session does not enter the feed of changes. */
const unpublished = 'set muster.loads_spaces = on';

/** Prepares for the writes: they find something to change, and what they change is remembered. */
export const prepareWrites = (url: string): Promise<void> =>
  useClient(url, async (client) => {
    await client.query(`
      ${unpublished};
      update contacts set nationality = null where group_id = 1;
      create schema bench;
      create table bench.contacts as select id, version, lastchange, updated_at, user_id from contacts where group_id = 1;
      alter table bench.contacts add primary key (id)`);
  });

/** Undoes the writes of the documents, so that the next ones get the same ids and meet the same records. */
export const undoWrites = (url: string): Promise<void> =>
  useClient(url, async (client) => {
    await client.query(`
      ${unpublished};
      delete from notes where group_id = 1 and content = 'Called back';
      delete from interactions where group_id = 1 and title = 'A call';
      delete from tags where group_id = 1 and name = 'called';
      with changed as (
        update contacts c set nationality = null, version = b.version, lastchange = b.lastchange, updated_at = b.updated_at, user_id = b.user_id
          from bench.contacts b where c.group_id = 1 and c.id = b.id and c.version <> b.version returning c.id)
      select refresh_search(1, array(select id from changed));
      select setval(pg_get_serial_sequence(t, 'id'), coalesce(m.highest, 1), m.highest is not null)
        from (values ('notes', (select max(id) from notes)), ('interactions', (select max(id) from interactions)), ('tags', (select max(id) from tags))) m (t, highest)`);
  });
