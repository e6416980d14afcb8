// A valid request for every operation on forms.
import { randomUUID } from 'node:crypto';
import { type Fields, openChoice, type Requests } from './ids.ts';

export const formFields: Fields = {
  form: ({ forms }) => ({ id: forms }),
  forms: () => ({}),
  formOption: ({ form_refs }) => ({ id: form_refs }),
  // No two forms of a kind have the same label.
  createForm: () => ({
    input: { label: `form ${randomUUID()}`, kind: 'SURVEY', type: 'RADIO', options: [{ label: 'yes' }] },
  }),
  updateForm: ({ choices, choice_refs }) => ({
    input: { id: choices, label: openChoice, options: [{ id: choice_refs, label: 'changed' }, { label: 'one more' }] },
  }),
  deleteForm: ({ freeForms }) => ({ input: { id: freeForms } }),
};

export const formRequests: Requests = {
  FormById: ({ forms }) => ({ path: { formId: forms } }),
  FormsByKind: () => ({ path: { type: 'survey' } }),
};
