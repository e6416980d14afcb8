// The requests that are measured on each server.
import type { Sent } from '../abuse/attacks.ts';
import { buildQueryRequest } from '../overload/flood.ts';

/** A caller of a space, and contacts of it. */
export interface Subject {
  bearer: string;
  ids: number[];
}

export interface Workload {
  name: string;
  requests: Sent[];
}

const readOne = ({ bearer }: Subject, id: number): Sent => ({
  method: 'GET',
  path: `/v1/contacts/${id}`,
  headers: { Authorization: `Bearer ${bearer}` },
});
const listFifty = ({ bearer }: Subject): Sent =>
  buildQueryRequest(
    bearer,
    '{ contacts(first: 50) { nodes { id firstName lastName email tags { name } notes { nodes { content } } } } }',
  );
const writeNote = ({ bearer }: Subject, id: number): Sent =>
  buildQueryRequest(
    bearer,
    `mutation { createNote(input: { contactId: "${id}", content: "measured" }) { note { id } } }`,
  );
const searchContacts = ({ bearer }: Subject, query: string): Sent =>
  buildQueryRequest(bearer, `{ searchContacts(query: ${query}, first: 50) { nodes { id lastName } } }`);

/** The workloads of the first space, and one of all the others. */
export const listWorkloads = ([large, ...others]: Subject[]): Workload[] => {
  const { ids } = large!;
  return [
    { name: 'single: a contact by id', requests: ids.map((id) => readOne(large!, id)) },
    { name: 'single, each of another space', requests: others.map((subject) => readOne(subject, subject.ids[0]!)) },
    { name: 'list50: a page of 50 with tags and notes', requests: [listFifty(large!)] },
    {
      name: 'search: the first 50 whose name begins with a letter',
      requests: [...'abcdefghijklmnoprstv'].map((letter) =>
        searchContacts(large!, `{ lastName: { startsWith: "${letter}" } }`),
      ),
    },
    { name: 'note: write a note', requests: ids.map((id) => writeNote(large!, id)) },
    {
      name: 'mix: 7 single, 2 list50, 1 note',
      requests: ids.map((id, place) =>
        place % 10 === 9 ? writeNote(large!, id) : place % 5 === 3 ? listFifty(large!) : readOne(large!, id),
      ),
    },
  ];
};
