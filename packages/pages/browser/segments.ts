// Saved segments over the graph: listing, opening, saving, deleting.
import type { Api, Work } from './api.ts';
import type { Json } from './graph-query.ts';

export interface Segment {
  id: string;
  databaseId: number;
  name: string;
  description: string | null;
  version: number;
  query: Json;
}

const fields = 'id databaseId name description version query';

export type Listed = Pick<Segment, 'databaseId' | 'name'>;

export const listSegments = async ({ ask }: Pick<Work<object>, 'ask'>): Promise<Listed[]> => {
  type List = { segments: { nodes: Listed[] } };
  const document = '{ segments(first: 500, orderBy: { field: NAME }) { nodes { databaseId name } } }';
  return (await ask<List>(document, {})).segments.nodes;
};

export const readSegment = async (api: Api, id: string): Promise<Segment | null> => {
  const document = `query ($id: ID!) { segment(id: $id) { ${fields} } }`;
  return (await api.query<{ segment: Segment | null }>(document, { id: `Segment:${id}` })).segment;
};

type Payload = Record<'saved', { segment: Segment }>;

export const createSegment = async (api: Api, name: string, description: string, query: Json): Promise<Segment> => {
  const document = `mutation ($input: SegmentCreateInput!) { saved: createSegment(input: $input) { segment { ${fields} } } }`;
  const input = { name, query, ...(description && { description }) };
  return (await api.query<Payload>(document, { input })).saved.segment;
};

/** Throws an ApiProblem `precondition-failed` when somebody else has changed it since. */
export const updateSegment = async (api: Api, { id, version }: Segment, query: Json): Promise<Segment> => {
  const document = `mutation ($input: SegmentUpdateInput!) { saved: updateSegment(input: $input) { segment { ${fields} } } }`;
  return (await api.query<Payload>(document, { input: { id, query, expectedVersion: version } })).saved.segment;
};

export const deleteSegment = async (api: Api, { id }: Segment): Promise<void> => {
  const document = 'mutation ($input: SegmentDeleteInput!) { deleteSegment(input: $input) { deletedId } }';
  await api.query(document, { input: { id } });
};

/** The contract's tree of everybody in a saved segment. */
export const writeSegmentTree = ({ databaseId }: Segment): Json => ({
  $all: [{ $all: [{ $condition: { attr: 'segment', ope: 'any_of', value: [databaseId] } }] }],
});
