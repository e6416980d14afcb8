// Follows the changes of the space while the app is open: the cache takes them over, and new contacts are counted.
import { useState } from 'react';
import { useQuery, useSubscription } from 'urql';
import { Changes, FeedEnd } from './documents.ts';
import type { ChangesSubscription } from './generated/graphql.ts';

const countCreated = (count = 0, { changes: { type, operation } }: ChangesSubscription): number =>
  type === 'CONTACT' && operation === 'CREATED' ? count + 1 : count;

export interface LiveChanges {
  /** How many contacts were created since the app was opened, or since `reset`. */
  created: number;
  reset(): void;
}

export const useLiveChanges = (): LiveChanges => {
  const [known, setKnown] = useState(0);
  // A place to begin at, so that nothing is missed if the first connection breaks.
  const [{ data: end }] = useQuery({ query: FeedEnd, requestPolicy: 'network-only' });
  const after = end?.changes.cursor ?? '';
  const [{ data = 0 }] = useSubscription({ query: Changes, variables: { after }, pause: after === '' }, countCreated);
  return { created: data - known, reset: () => setKnown(data) };
};
