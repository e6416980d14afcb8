// The space that the caller's token acts in.
import { readSpace, type SpaceRow } from '../../src/data/access/space.ts';
import { builder } from '../graph/builder.ts';
import { defineNodeFields, Node, registerNode } from '../graph/node.ts';

export const Space = builder.objectRef<SpaceRow>('Space').implement({
  interfaces: [Node],
  description: 'The data of one organisation, and its members. No space sees another.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Space'),
    name: t.exposeString('name', { description: 'Name of the organisation.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the space was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the space was last changed.' }),
  }),
});

registerNode(
  Space,
  {
    read: async ({ space }, ids) =>
      ids.includes(space.id) ? [await readSpace(space)].flatMap((row) => row ?? []) : [],
  },
  { hasField: true },
);
