// The attributes that the page offers, as the server tells them.
import { type Attributes, selectEditable } from '../../packages/pages/browser/model.ts';
import type { Door } from '../harness/app.ts';

export const readEditableAttributes = async (door: Door): Promise<Attributes> => {
  const { body } = await door.graphql(
    '{ searchAttributes { name path kind ofRecords recordType description operators { name field negates takes } } }',
  );
  return selectEditable(body.data.searchAttributes);
};
