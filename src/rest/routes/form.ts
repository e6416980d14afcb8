// Routes of forms.
import type { Route } from './route.ts';

export const formRoutes: Route[] = [
  {
    method: 'GET',
    path: '/forms/{formId#}',
    aliases: ['/v1/forms/{formId#}'],
    operation: 'FormById',
    variables: { id: { path: 'formId' } },
    envelope: 'data',
    summary: 'A form',
    example: { path: { formId: 1 } },
  },
  {
    method: 'GET',
    path: '/forms/{type}',
    aliases: ['/v1/forms/{type}', '/v1/forms/type/{type}', '/forms/type/{type}'],
    operation: 'FormsByKind',
    variables: { kind: { path: 'type' } },
    unknownIsMissing: true,
    envelope: 'data',
    summary: 'The forms of one kind',
    example: { path: { type: 'survey' } },
  },
];
