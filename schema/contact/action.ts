// Actions of a space, which contacts take part in.
import { actions, deleteAction } from '../../src/data/contact/action.ts';
import { defineNounList } from '../graph/noun.ts';

export const { type: Action } = defineNounList(actions, {
  remove: deleteAction,
  alsoDeletes: 'It is no longer shown on contacts, nor found by searches.',
});
