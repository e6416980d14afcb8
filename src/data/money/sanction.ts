// Sanctions against contacts, with their period.
import { defineNoun } from '../noun/noun.ts';

export const sanctions = defineNoun('Sanction', {
  table: 'sanctions',
  of: 'contact',
  description: 'A measure against a contact, from an instant until another.',
  columns: {
    status: { kind: 'code', description: 'What the sanction is.', isGroup: true },
    start_date: {
      kind: 'instant',
      description: 'From when; null when it has always been.',
      input: 'From when.',
      isOrder: true,
    },
    end_date: {
      kind: 'instant',
      description: 'Until when; null when it does not end.',
      input: 'Until when, not before it starts.',
      isOrder: true,
    },
  },
  rules: [{ holds: 'end_date >= start_date', column: 'end_date', message: 'must not be before startDate' }],
  indexed: ['id'],
});
