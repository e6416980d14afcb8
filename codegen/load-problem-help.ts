// Why the problems of load, limits and faults of the server occur, and what to do about them.
import type { ProblemHelp } from './problem-example.ts';

export const loadProblemHelp = {
  'rate-limited': {
    causes: ['The clients of the space together spend tokens faster than the bucket is refilled.'],
    remedies: [
      'Wait for the seconds of `Retry-After`, then send the request again.',
      'Ask for more in one document, cache by `ETag`, and page in larger steps. `rateLimit` tells what is left.',
      'An operator may raise `BUCKET_CAPACITY` and `BUCKET_REFILL`.',
    ],
    retry: 'yes',
  },
  'too-many-bad-tokens': {
    causes: ['A client at this address keeps sending a token that is revoked or wrong, or somebody guesses tokens.'],
    remedies: [
      'Correct the token of the client, and wait for the seconds of `Retry-After`.',
      'When all clients seem to have the address of a proxy, set `TRUSTED_PROXIES`: [Behind a proxy](../operations.md#behind-a-proxy).',
    ],
    retry: 'yes',
  },
  'too-many-searches': {
    causes: ['The space runs as many searches at once as it may (`SEARCHES_PER_SPACE`), and as many are waiting.'],
    remedies: [
      'Send searches one after the other, and again after the seconds of `Retry-After`.',
      'Look with `explainSearch` why searches take long.',
    ],
    retry: 'yes',
  },
  'too-many-exports': {
    causes: ['The space has as many exports under way as it may.'],
    remedies: ['Wait until one is done. An operator can export with `muster export`, which does not count.'],
    retry: 'yes',
  },
  'too-many-large-operations': {
    causes: ['Several clients ask for more than 1,000 records in one document at the same time.'],
    remedies: ['Ask for pages of at most 1,000 records, or send again after the seconds of `Retry-After`.'],
    retry: 'yes',
  },
  'too-many-subscriptions': {
    causes: [
      'The token, the space or the server has as many event streams open as it may have.',
      'A client opens a new stream at every change of its page and does not close the old one.',
    ],
    remedies: [
      'Close streams that are no longer read: one `changes` subscription can carry several types.',
      'Wait for `Retry-After` seconds, then open the stream again.',
    ],
    retry: 'yes',
  },
  'changes-gone': {
    causes: [
      'The client was away for longer than changes are kept (`RETENTION_CHANGE_DAYS`).',
      'The database was restored from a backup, so that positions come again with other changes.',
    ],
    remedies: [
      'Take a new cursor with `changes(first: 0) { cursor }`, then read all records again, then follow the feed from that cursor.',
    ],
    retry: 'after a change',
  },
  'answer-erased': {
    causes: [
      'A write is repeated under its `Idempotency-Key`. In the meantime a person of the space was erased, and with them all stored answers of the space, since any of them may show the person.',
    ],
    remedies: [
      'Do not send the write under a new key: it was done. Read the records that it was about.',
      'A GraphQL document may have done a part of its mutations, as it does without a key: read what is stored.',
    ],
    retry: 'no',
  },
  'answer-too-large': {
    causes: [
      'The records that were asked for are together larger than [an answer may be](../limits.md#requests-and-answers).',
    ],
    remedies: ['Select fewer fields or a smaller page, or export the records.'],
    retry: 'after a change',
  },
  internal: {
    causes: ['A fault of Muster, or of its database. It is no fault of the request.'],
    remedies: [
      'Give the `instance` of the answer to the operator: the log has the cause under this id.',
      'A write may not have happened. Repeat it with its idempotency key, so that it happens once.',
    ],
    retry: 'yes',
  },
  overloaded: {
    causes: [
      'More requests arrive than the server can answer in time. It refuses some at once, so that others are answered.',
    ],
    remedies: [
      'Send again after the seconds of `Retry-After`, with longer pauses each time.',
      'An operator sees in [How far one machine goes](../operations.md#how-far-one-machine-goes) what helps.',
    ],
    retry: 'yes',
  },
  unavailable: {
    causes: [
      'The database is starting, cannot be reached, or has no connection or disk left.',
      'The keys of the identity provider could not be fetched yet.',
      'The connection to the database was lost while a change was being stored. Then the problem has `"outcome": "unknown"`, on REST paths in its body and in GraphQL in `extensions`: the change may have been made.',
    ],
    remedies: [
      'Without `outcome`: nothing was done. Send again after the seconds of `Retry-After`.',
      'With `outcome`, after a request with an `Idempotency-Key`: send the same request again under the same key. What was done already is answered again, and not done twice.',
      'With `outcome`, after a request without a key: there is no `Retry-After`, since a repetition may do it twice. Read what is stored before you decide. Send [a key](../graphql.md#writing) with every write, so that this question does not arise.',
      'As an operator, look at `/health/ready`, the log, and the log of PostgreSQL.',
    ],
    retry: 'yes',
  },
  timeout: {
    causes: ['A statement took longer than it may, because it reads very much, or waits for a lock of another write.'],
    remedies: [
      'Send again after the seconds of `Retry-After`, or ask for less at once.',
      '`explainSearch` tells which condition is slow.',
    ],
    retry: 'yes',
  },
} satisfies Record<string, ProblemHelp>;
