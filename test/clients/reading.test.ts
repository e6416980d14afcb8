// What the TypeScript client reads: all pages of a list, searches in both notations, and the change feed.
import { describe, expect, it } from 'vitest';
import {
  allOf,
  anyOf,
  type Change,
  CountContactsDocument,
  CreateNoteDocument,
  followChanges,
  InvalidRequestError,
  ListChangesDocument,
  ListContactsDocument,
  ListTagsDocument,
  type MusterClient,
  not,
  QueryTreeError,
  type Search,
  SearchContactsDocument,
  UpdateContactDocument,
  where,
} from '../../clients/typescript/src/index.ts';
import type { Json } from '../harness/app.ts';
import { expectRejection, shareServer } from './shared-server.ts';

const shared = shareServer();

describe('pages', () => {
  it('are requested when they are wanted, and yield every record once', async () => {
    const client = shared.open();
    const all = (await shared.server.sql('select id from contacts where group_id = 1 and deleted_at is null')).map(
      ({ id }) => `Contact:${id}`,
    );
    const found: string[] = [];
    for await (const { id } of client.iterate(ListContactsDocument, {}, ({ contacts }) => contacts)) found.push(id);
    expect(found.toSorted()).toEqual(all.sort());
    expect(shared.sent).toHaveLength(Math.ceil(all.length / 200));
    shared.sent.length = 0;
    const pages = client.iterate(ListContactsDocument, { first: 2 }, ({ contacts }) => contacts);
    for (const requests of [1, 1, 2]) {
      expect((await pages.next()).done).toBe(false);
      expect(shared.sent).toHaveLength(requests);
    }
    await pages.return();
    expect([shared.sent.length, (await pages.next()).done]).toEqual([2, true]);
  });

  it('come from edges too, and end with the signal', async () => {
    const document = `query ($first: Int, $after: String) { tags(first: $first, after: $after) { edges { node { name } } pageInfo { hasNextPage endCursor } } }`;
    const names: string[] = [];
    const stop = new AbortController();
    const read = async (options: Parameters<MusterClient['iterate']>[3]): Promise<void> => {
      for await (const { name } of shared
        .open()
        .iterate(document, {}, (data: Json) => data.tags, options) as AsyncIterable<Json>)
        if (names.push(name) === 3) stop.abort(new Error('enough'));
    };
    await expect(read({ pageSize: 2, signal: stop.signal })).rejects.toThrow('enough');
    expect(names).toHaveLength(4);
    const cursorless = `query ($first: Int) { tags(first: $first) { nodes { name } pageInfo { hasNextPage } } }`;
    const broken = shared.open().iterate(cursorless, { first: 1 } as Json, (data: Json) => data.tags);
    await broken.next();
    await expect(broken.next()).rejects.toThrow('no cursor');
    await expect(
      shared
        .open()
        .iterate(ListTagsDocument, { first: 0 }, ({ tags }) => tags)
        .next(),
    ).rejects.toThrow(RangeError);
  });
});

describe('a search', () => {
  const searchByRest = async (query: unknown): Promise<Json> => {
    const headers = { ...shared.server.headers, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ data: { advanced_search: { per_page: 1000, query } } });
    const response = await fetch(new URL('/search', shared.server.url), { method: 'POST', headers, body });
    return response.json();
  };

  const searches: Record<string, (form: number, options: number[]) => Search> = {
    'one condition': () => where(({ gender }) => gender.equals('F')),
    'conditions that must all hold': () =>
      where(({ address, birthDate }) => address.city.exists().and(birthDate.lte('now-18y'))),
    'two levels': () =>
      where(({ gender, tags, donations, birthDate }) =>
        allOf(
          gender.notEquals('M'),
          anyOf(tags.exists(), donations.total.gte(10_050)),
          birthDate.between('1940-01-01', new Date()),
        ),
      ),
    'the other way round': () =>
      where(({ memberships, email, mobile, lastChangedAt }) =>
        anyOf(
          allOf(memberships.year.gte(2025), email.exists(false)),
          mobile.contains('06'),
          lastChangedAt.gte('now-1y/M'),
        ),
      ),
    'lists, ids and parts of the year': () =>
      where(({ tags, lastChangedById, birthDate }) =>
        anyOf(
          tags.in(['Sympathisant', 'Bénévole']),
          lastChangedById.equals('User:1'),
          birthDate.inPeriod('12-15', '01-15'),
        ),
      ),
    'nested groups of one kind': () =>
      where(({ firstName, lastName }) =>
        firstName.startsWith('A').or(lastName.startsWith('B').or(lastName.startsWith('C'))),
      ),
    'a query of the graph': () =>
      where({ address: { city: { equals: 'Lyon' } } }).or(where({ gender: { equals: 'F' } })),
    'answers by value': (form) => where(({ answer }) => answer(`Form:${form}`).exists()),
    'answers by options': (form, options) => where(({ answer }) => answer(form, options)),
  };

  it.each(Object.entries(searches))('finds the same contacts in both notations: %s', async (_, write) => {
    const [{ form_id: form, form_ref_id: option }] = await shared.server.sql(
      'select form_id, form_ref_id from answers where group_id = 1 limit 1',
    );
    const search = write(Number(form), [Number(option)]);
    const found: number[] = [];
    const variables = { query: search.toGraphql(), first: 1000 };
    for await (const { databaseId } of shared
      .open()
      .iterate(SearchContactsDocument, variables, (data) => data.searchContacts))
      found.push(databaseId);
    const { data } = await searchByRest(search.toRest());
    expect(found.length).toBeGreaterThan(0);
    expect(data.contacts.map(({ id }: Json) => id)).toEqual(found);
    const { searchContacts: rest } = await shared
      .open()
      .request(CountContactsDocument, { query: not(search).toGraphql() });
    const [{ count }] = await shared.server.sql(
      'select count(*) from contacts where group_id = 1 and deleted_at is null',
    );
    expect(rest.totalCount).toBe(Number(count) - found.length);
  });

  it('that the contract cannot say is refused with the place', () => {
    const city = where(({ address }) => address.city.equals('Lyon'));
    const name = where(({ lastName }) => lastName.equals('Dupont'));
    const deep = city.and(city.or(name.and(city)));
    const nobody = where({ donations: { none: { amount: { gte: 100 } } } });
    for (const [search, place] of [
      [city.not(), 'query.not'],
      [
        where({ address: { near: { postalCode: '69001', km: 5 } } }),
        'query.address.near is not written for REST by this client',
      ],
      [city.and(nobody), 'query.and[1].donations.none is not written for REST by this client'],
      [deep, 'query.and[1].or[1].and'],
    ] as const) {
      expect(() => search.toRest()).toThrow(QueryTreeError);
      expect(() => search.toRest()).toThrow(place);
    }
    expect(city.not().not().toGraphql()).toEqual(city.toGraphql());
    expect(JSON.stringify(city)).toBe('{"address":{"city":{"equals":"Lyon"}}}');
    expect(where(({ donations }) => donations.total.gte(-5)).toRest()).toEqual({
      $all: [{ $all: [{ $condition: { attr: 'donations.sum_amount', ope: 'gte', value: '-0.05' } }] }],
    });
  });

  it('is a type error when it is wrong, and the server refuses what no compiler saw', async () => {
    const query = { birthDate: { contains: '1990' } } as Json;
    const error = await expectRejection(shared.open().request(SearchContactsDocument, { query }));
    expect(error).toBeInstanceOf(InvalidRequestError);
  });
});

describe('changes', () => {
  it('are followed from a cursor, each once, also by a program that is started again', async () => {
    const client = shared.open();
    const stop = new AbortController();
    const seen: Change[] = [];
    const { id } = await shared.createContact('Followed');
    const follow = async (after?: string, count = 2): Promise<void> => {
      for await (const change of followChanges(client, {
        after,
        filter: { contactIds: [id] },
        signal: stop.signal,
      })) {
        seen.push(change);
        if (--count === 0) return;
      }
    };
    const start = (await client.request(ListChangesDocument, {})).changes.cursor;
    const first = follow(start);
    await client.request(CreateNoteDocument, { input: { contactId: id, content: 'seen' } });
    await client.request(UpdateContactDocument, { input: { id, firstName: 'Fay' } });
    await first;
    await client.request(UpdateContactDocument, { input: { id, firstName: 'Faye' } });
    await follow(seen.at(-1)!.cursor, 1);
    expect(seen).toMatchObject([
      { type: 'NOTE', operation: 'CREATED', contactId: id },
      { type: 'CONTACT', operation: 'UPDATED', recordId: id, fields: ['firstName'] },
      { type: 'CONTACT', operation: 'UPDATED', recordId: id, fields: ['firstName'] },
    ]);
    const waiting = follow(seen.at(-1)!.cursor);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
