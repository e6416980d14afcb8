// The reader of scopes itself: what it must let pass, and what it must not, however it is hidden.
import { describe, expect, it } from 'vitest';
import { checkScope } from './scoped.ts';

const space = 7_654_321;
const catalogue = {
  tables: new Set(['contacts', 'tags', 'contact_tags', 'notes', 'teams', 'members', 'answers', 'forms']),
  functions: new Set(['refresh_search']),
};
/** `$1` is the space, `$2` something else, `$3` another space. */
const read = (sql: string): string[] => checkScope({ sql, bindings: [space, 42, 7] }, space, catalogue);

describe('keeps to the space', () => {
  it.each([
    'select * from contacts where group_id = $1 and id = $2',
    'select * from contacts c where (c.id = $2 and (c.group_id = cast($1 as bigint)))',
    'select * from contacts c where $1 = c.group_id',
    'select t.name from contact_tags ct join tags t on t.group_id = ct.group_id and t.id = ct.tag_id where ct.group_id = $1',
    'select c.id from contacts c left join answers a on a.group_id = c.group_id left join forms f on f.group_id = a.group_id where c.group_id = $1',
    'select c.id from contacts c right join answers a on c.group_id = a.group_id where a.group_id = $1',
    'select id from contacts c where group_id = $1 and exists (select from answers a where a.group_id = c.group_id and a.contact_id = c.id)',
    'select counted.total from (select count(*) as total from contacts where group_id = $1) counted left join lateral (select id from contacts where group_id = $1 limit $2) page on true',
    'select a.id from (select * from contacts s where s.group_id = $1 limit 5) s join answers a on a.group_id = s.group_id',
    '(select id from contacts where group_id = $1) union all (select id from notes where group_id = $1)',
    'with touched as (update contacts set lastchange = now() where group_id = $1 and id = $2 returning group_id, id) insert into notes (group_id, contact_id) select group_id, id from touched returning id',
    'insert into teams (name, group_id) values ($2, $1), ($2, $1)',
    'insert into members (group_id, user_id) select $1, unnest($2::bigint[]) on conflict (group_id, user_id) do update set role_id = $2',
    'insert into notes (group_id, id) select c.group_id, c.id from contacts c where c.group_id = $1',
    'delete from notes n using contacts c where n.group_id = c.group_id and c.group_id = $1',
    'update users u set mail = $2 from members m where m.group_id = $1 and m.user_id = u.id',
    'explain (format json) select from contacts s where s.group_id = $1',
    'select refresh_search($1, array(select id from contacts where group_id = $1))',
    'select user_id from enter_gate($2, $2, $2, $2, $2)',
    'with contacts as (select id from tags where group_id = $1) select id from contacts',
    'BEGIN;',
  ])('%s', (sql) => {
    expect(read(sql)).toEqual([]);
  });
});

describe('strays', () => {
  it.each([
    ['no group_id', 'select * from contacts where id = $2'],
    ['no condition at all', 'select * from contacts'],
    ['one of two', 'select * from contacts where group_id = $1 or id = $2'],
    ['denied', 'select * from contacts where not (group_id = $1)'],
    ['a literal', 'select * from contacts where group_id = 7654321'],
    ['another value', 'select * from contacts where group_id = $2'],
    ['another space', 'select * from contacts where group_id = $3'],
    ['no equality', 'select * from contacts where group_id >= $1'],
    ['any of a list', 'select * from contacts where group_id = any($1)'],
    ['in a list', 'select * from contacts where group_id in ($1, $3)'],
    ['maybe', 'select * from contacts where coalesce(group_id = $1, true)'],
    ['by itself', 'select * from contacts c where c.group_id = c.group_id'],
    ['two by each other', 'select * from contacts c join answers a on a.group_id = c.group_id'],
    ['a join by id alone', 'select * from contacts c join answers a on a.contact_id = c.id where c.group_id = $1'],
    ['the kept side', 'select * from contacts c left join answers a on c.group_id = $1 and a.group_id = c.group_id'],
    ['both kept sides', 'select * from contacts c full join answers a on c.group_id = $1 and a.group_id = $1'],
    ['a subquery', 'select * from contacts where group_id = $1 and id in (select contact_id from answers)'],
    ['what is selected', 'select (select count(*) from tags) from contacts where group_id = $1'],
    [
      'an outer column',
      'select id from contacts c where group_id = $1 and exists (select from answers a where c.group_id = $1)',
    ],
    ['a sibling subquery', 'select from (select * from answers) a join contacts c on c.group_id = $1'],
    [
      'a lateral',
      'select from contacts c cross join lateral (select from answers a where a.contact_id = c.id) x where c.group_id = $1',
    ],
    ['one arm', '(select id from contacts where group_id = $1) union all (select id from notes)'],
    [
      'held to one arm',
      'select from (select group_id from contacts where group_id = $1 union select 7) g join notes n on n.group_id = g.group_id',
    ],
    [
      'a renamed column',
      'select from (select id as group_id from contacts where group_id = $1) g join notes n on n.group_id = g.group_id',
    ],
    ['a common table', 'with c as (select * from contacts) select * from c where group_id = $1'],
    [
      'a function by another name',
      'select from contacts s where group_id = $1 and exists (select from unnest($2) s join notes n on n.group_id = s.group_id)',
    ],
    [
      'columns that change places',
      'select from (select id, group_id from contacts where group_id = $1 union select group_id, id from contacts where group_id = $1) g join notes n on n.group_id = g.group_id',
    ],
    ['a name of another level', 'with contacts as (select 1 as id) delete from contacts where id = $2'],
    ['the order', 'select id from contacts where group_id = $1 order by (select max(id) from notes)'],
    ['an update', 'update contacts set surname = $2 where id = $2'],
    ['a move', 'update contacts set group_id = $3 where group_id = $1'],
    ['a deletion', 'delete from notes n using contacts c where n.contact_id = c.id and c.group_id = $1'],
    ['an insert without', 'insert into notes (contact_id) values ($2)'],
    ['an insert without columns', 'insert into notes select * from notes where group_id = $1'],
    ['an insert elsewhere', 'insert into notes (group_id, contact_id) values ($1, $2), ($3, $2)'],
    ['an insert from elsewhere', 'insert into notes (group_id) select c.group_id from contacts c'],
    [
      'a conflict elsewhere',
      'insert into notes (group_id, id) values ($1, $2) on conflict (id) do update set content = $2',
    ],
    ['a call', 'select refresh_search($3, array[1])'],
    ['a second statement', 'select 1; delete from contacts'],
    ['a truncation', 'truncate contacts'],
  ])('by %s', (_, sql) => {
    expect(read(sql)).not.toEqual([]);
    expect(read(sql).join()).not.toMatch('does not parse');
  });

  it('when it is no statement at all', () => {
    expect(read(`select * from contacts where group_id = $1 and surname = 'O'Brien'`).join()).toMatch('does not parse');
  });
});
