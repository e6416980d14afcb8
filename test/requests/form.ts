// A valid request for every operation on forms.
import type { Fields, Requests } from './ids.ts';

export const formFields: Fields = {
  form: ({ forms }) => ({ id: forms }),
  forms: () => ({}),
  createForm: () => ({ input: { label: 'a form', kind: 'survey', type: 'radio', refvalues: [{ label: 'yes' }] } }),
  updateForm: ({ freeForms, form_refs }) => ({
    id: freeForms,
    input: { label: 'a changed form', refvalues: [{ id: form_refs, label: 'changed' }] },
  }),
  deleteForm: ({ freeForms }) => ({ id: freeForms }),
};

export const formRequests: Requests = {
  FormById: ({ forms }) => ({ path: { formId: forms } }),
  FormsByKind: () => ({ path: { type: 'survey' } }),
};
