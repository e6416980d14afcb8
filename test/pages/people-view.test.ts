// The view of the list of people: how a link holds it, what the server is asked for each of its heads, and what a click on a head does.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  columnNames,
  getOrder,
  type HeadName,
  readView,
  sortBy,
  usualView,
  type View,
  writeViewParameters,
} from '../../packages/pages/browser/people-view.ts';
import { writePeopleDocument } from '../../packages/pages/browser/use-people.ts';
import { type Door, openApp } from '../harness/app.ts';

const { columns: usual } = usualView;

it.each([
  ['', usualView, []],
  ['columns=', { columns: [], sort: undefined, text: '' }, []],
  ['columns=tags,email,email', { columns: ['email', 'tags'], sort: undefined, text: '' }, []],
  ['columns=email,password,', { columns: ['email'], sort: undefined, text: '' }, ['password']],
  ['columns=constructor', { columns: [], sort: undefined, text: '' }, ['constructor']],
  ['order=name', { columns: usual, sort: { by: 'name', isDescending: false }, text: '' }, []],
  ['order=-email', { columns: usual, sort: { by: 'email', isDescending: true }, text: '' }, []],
  ['order=phone', usualView, ['phone']],
  ['order=-', usualView, []],
  ['order=--email', usualView, ['-email']],
  ['order=EMAIL', usualView, ['EMAIL']],
  ['text=L%C3%A9a+%26', { columns: usual, sort: undefined, text: 'Léa &' }, []],
] as [string, View, string[]][])('a link with %j shows %j, and tells of %j', (text, view, unknown) => {
  expect(readView(new URLSearchParams(text))).toEqual({ view, unknown });
});

it.each([
  [usualView, ''],
  [{ ...usualView, text: '  ' }, ''],
  [{ ...usualView, text: ' Léa ' }, 'text=L%C3%A9a'],
  [{ ...usualView, columns: [] }, 'columns='],
  [
    { columns: ['email', 'createdAt'], sort: { by: 'email', isDescending: true }, text: '' },
    'columns=email%2CcreatedAt&order=-email',
  ],
] as [View, string][])('the view %j is %j in a link, which brings it back', (view, text) => {
  const parameters = new URLSearchParams();
  writeViewParameters(view, parameters);
  expect(parameters.toString()).toBe(text);
  expect(readView(parameters)).toEqual({ view: { ...view, text: view.text.trim() }, unknown: [] });
});

it('a head sorts up, down, and no more', () => {
  const up = sortBy('email', { by: 'name', isDescending: true });
  expect([up, sortBy('email', up), sortBy('email', sortBy('email', up))]).toEqual([
    { by: 'email', isDescending: false },
    { by: 'email', isDescending: true },
    undefined,
  ]);
});

describe('the document', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openApp();
  });

  it.each([
    'name',
    ...columnNames,
  ] as HeadName[])('is answered with the column %s, in its order if it has one', async (name) => {
    const document = writePeopleDocument({ ...usualView, columns: name === 'name' ? [] : [name] });
    const order = getOrder(name);
    const variables = { counts: true, last: 2, ...(order && { orderBy: { field: order, direction: 'DESC' } }) };
    const { body } = await door.graphql(document, variables);
    expect(body.errors).toBeUndefined();
    expect(body.data.searchContacts.nodes).toHaveLength(2);
  });
});
