// Leads the ids of merged contacts to their survivors in writes: one that does not find a contact is tried once more with the survivor's id.
import { OperationTypeNode } from 'graphql';
import type { Field, Step } from '../context.ts';
import { readMergeSurvivors } from '../data/contact/read.ts';
import { acceptsIdsOf, mapArgumentIds } from '../input/global-id.ts';
import { Problem } from '../problem.ts';

/** These mean the very contact: they take a person away, and the client may never have seen the survivor. */
const exactMutations: ReadonlySet<string> = new Set([
  'changeContacts',
  'deleteContact',
  'restoreContact',
  'mergeContacts',
  'erasePerson',
]);

const isMissing = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'not-found' || error.code === 'unprocessable');

/** A write that was refused has written nothing, since its transaction ended: so it can be tried again, and other writes cost no statement. */
export const planMergedContacts = (field: Field, root?: OperationTypeNode): Step | undefined => {
  const isLed = root === OperationTypeNode.MUTATION && !exactMutations.has(field.name);
  if (!isLed || !acceptsIdsOf(field, 'Contact')) return undefined;
  return (next) => async (source, args, context, info) => {
    try {
      return await next(source, args, context, info);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const ids = new Set<number>();
      mapArgumentIds(field, args, 'Contact', (id) => {
        ids.add(id);
        return id;
      });
      const survivors = await readMergeSurvivors(context.space, [...ids]);
      if (survivors.size === 0) throw error;
      const led = mapArgumentIds(field, args, 'Contact', (id) => survivors.get(id) ?? id);
      return next(source, led, context, info);
    }
  };
};
