// Templates of mailings.
import { defineNoun } from '../noun/noun.ts';

export const templates = defineNoun('Template', {
  table: 'templates',
  of: 'space',
  called: 'the template',
  description: 'What campaigns are made from.',
  columns: { name: { kind: 'text', required: true, description: 'Name of the template.', isOrder: true } },
});
