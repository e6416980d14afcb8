// Inputs that change only what they name: the columns that a change names, and which fields cannot be cleared.
import { z } from 'zod';
import { toSnakeCase } from '../src/input/snake-case.ts';

/** Holds these fields to a value: they may be left out, but not be null. */
export const refuseNullFields = (...fields: string[]) =>
  z.unknown().superRefine((input, check) => {
    for (const field of fields)
      if ((input as Record<string, unknown>)[field] === null)
        check.addIssue({ code: 'custom', path: [field], message: 'must not be null' });
  });

/** The columns that an input names, with their values: `{ subType: 'x' }` is `{ sub_type: 'x' }`. */
export const convertToColumns = (input: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).map(([field, value]) => [toSnakeCase(field), value]));
