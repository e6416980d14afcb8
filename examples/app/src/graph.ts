// The connection to the graph: requests that are retried, and a cache with one record per id.
import { AuthenticationError, createClient, createRetryingFetch } from '@muster/client';
import { type Cache, cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { Client, type CombinedError, fetchExchange, mapExchange, subscriptionExchange } from 'urql';
import type { ChangesSubscription, CreateNoteMutation, CreateNoteMutationVariables } from './generated/graphql.ts';
import { logOut, type Session } from './session.ts';

/** The code of a problem, such as `precondition-failed`; undefined when there was no answer. */
export const readCode = (error: CombinedError | undefined): string | undefined =>
  error?.graphQLErrors[0]?.extensions.code as string | undefined;

/** What to tell the user of an error: each fault of the input, or the message. */
export const describeError = (error: CombinedError): string => {
  if (error.graphQLErrors.length === 0) return 'There is no answer. Check the connection, then try again.';
  return error.graphQLErrors
    .flatMap(({ message, extensions }) => {
      const faults = extensions.errors as { location: string; message: string }[] | undefined;
      return faults?.map((fault) => `${fault.location.replace('input.', '')} ${fault.message}`) ?? [message];
    })
    .join('; ');
};

type Entity = Parameters<Cache['inspectFields']>[0];

/** Changes the lists that the cache has in a field, whatever their arguments. */
const changeLists = (cache: Cache, parent: Entity, field: string, change: (keys: string[]) => string[]): void => {
  for (const { fieldName, fieldKey } of cache.inspectFields(parent)) {
    const list = fieldName === field && cache.resolve(parent, fieldKey);
    if (list) cache.link(list as string, 'nodes', change(cache.resolve(list as string, 'nodes') as string[]));
  }
};

/** Shows a note at the top of its contact's list, without another request. */
const addNote = (cache: Cache, contactId: string, noteId: string): void => {
  const note = cache.keyOfEntity({ __typename: 'Note', id: noteId })!;
  const contact = { __typename: 'Contact', id: contactId };
  changeLists(cache, contact, 'notes', (keys) => (keys.includes(note) ? keys : [note, ...keys]));
};

/** Takes over what somebody has changed. The record in the event is in the cache by its id already; this adds and removes. */
const applyChange = ({ changes: change }: ChangesSubscription, cache: Cache): void => {
  const { type, operation, recordId, contactId } = change;
  const contact = contactId === null ? undefined : { __typename: 'Contact', id: contactId };
  const remove = (keys: string[]): string[] => keys.filter((key) => !key.endsWith(`:${recordId}`));
  if (type === 'CONTACT' && contact && operation === 'DELETED') {
    changeLists(cache, 'Query', 'contacts', remove);
    // Whatever else shows it asks again.
    cache.invalidate(contact);
  }
  if (type === 'NOTE' && contact && operation === 'DELETED') changeLists(cache, contact, 'notes', remove);
  if (type === 'NOTE' && contact && operation === 'CREATED') addNote(cache, contact.id, recordId);
};

/** Subscriptions over streams of the Muster client, which are opened again when they break, and go on after the last change. */
const createStreams = (session: Session) => {
  const client = createClient(session);
  const resume = (data: unknown) => ({ after: (data as ChangesSubscription).changes.cursor });
  return subscriptionExchange({
    forwardSubscription: ({ query, variables }) => ({
      subscribe: (sink) => {
        const stop = new AbortController();
        const follow = async (): Promise<void> => {
          for await (const data of client.subscribe(query!, variables as { after: string }, {
            signal: stop.signal,
            resume,
          }))
            sink.next({ data: data as object });
          sink.complete();
        };
        follow().catch((error) => {
          if (error instanceof AuthenticationError) logOut();
          else if (!stop.signal.aborted) sink.error(error);
        });
        return { unsubscribe: () => stop.abort() };
      },
    }),
  });
};

const createCache = () =>
  cacheExchange({
    // Types without an id belong to the record above them.
    keys: { Address: () => null, Change: () => null, ChangeList: () => null, Fault: () => null, Viewer: () => null },
    resolvers: {
      Query: { contacts: relayPagination(), segments: relayPagination() },
      Segment: { contacts: relayPagination() },
    },
    optimistic: {
      createNote: ({ input }: CreateNoteMutationVariables) => ({
        __typename: 'CreateNotePayload',
        note: {
          __typename: 'Note',
          id: `Note:sending-${Date.now()}`,
          content: input.content,
          createdAt: new Date().toISOString(),
          author: null,
          // The note makes a new version of the contact; which one, the answer says.
          contact: { __typename: 'Contact', id: input.contactId },
        },
      }),
    },
    updates: {
      Mutation: {
        createNote: ({ createNote }: CreateNoteMutation, _, cache) => {
          if (createNote) addNote(cache, createNote.note.contact.id, createNote.note.id);
        },
      },
      Subscription: { changes: (result: ChangesSubscription, _, cache) => applyChange(result, cache) },
    },
  });

/** A client for one session. Its cache goes with it. */
export const createGraph = (session: Session): Client =>
  new Client({
    url: session.url,
    fetch: createRetryingFetch() as typeof fetch,
    fetchOptions: { headers: { Authorization: `Bearer ${session.token}` } },
    preferGetMethod: false,
    exchanges: [
      mapExchange({ onError: (error) => void (readCode(error) === 'unauthenticated' && logOut()) }),
      createCache(),
      createStreams(session),
      fetchExchange,
    ],
  });
