// Runs each mutation of a document in a transaction of its own, with its lines in the audit log: each shows records as they are after it, and a failed one writes nothing.
import { OperationTypeNode } from 'graphql';
import type { Context, Field, Step } from '../context.ts';
import { type AuditAction, type AuditedRecords, addAuditLines } from '../data/noun/audit.ts';
import { Problem } from '../problem.ts';

/** How a mutation gets into the audit log: by what its result and its input say, or by the data verb itself, where that has its own transactions. */
export type MutationAudit = ((result: never, input: never) => AuditedRecords | undefined) | 'by-verb';

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    audit?: MutationAudit;
  }
}

/** Adds the paths below a value: those of the items of a list are one path. */
const addPaths = (value: unknown, path: string, found: Set<string>): void => {
  if (Array.isArray(value)) {
    const records = value.filter((item) => typeof item === 'object' && item !== null);
    if (records.length === 0) found.add(path);
    for (const record of records) addPaths(record, path, found);
  } else if (typeof value === 'object' && value !== null) {
    const sent = Object.entries(value).filter(([, inner]) => inner !== undefined);
    if (sent.length === 0 && path) found.add(path);
    for (const [name, inner] of sent) addPaths(inner, path ? `${path}.${name}` : name, found);
  } else if (path) found.add(path);
};

/** The paths of the fields that were sent, such as `address.city`, in their order, without their values; the id of the record itself is left out. */
const listSentFields = (input: unknown): string[] => {
  const found = new Set<string>();
  addPaths(input, '', found);
  found.delete('id');
  return [...found];
};

const describeAction = (name: string, input: unknown, { caller, requestId }: Context): AuditAction => ({
  operation: name,
  userId: caller.userId,
  tokenId: caller.tokenId,
  requestId,
  fields: listSentFields(input),
});

/** In milliseconds: a mutation that waited this long for a database that is away is the last one that its document tries. */
const longWait = 500;

/**
 * Runs a mutation unless one before it has waited in vain for the database: each would wait as long, and the client for the sum. A connection that was
 * refused or reset at once costs no time, so the next mutation is tried.
 */
const runWhileAvailable = async <Result>(context: Context, run: () => Promise<Result>): Promise<Result> => {
  if (context.isDatabaseAway)
    throw new Problem(
      'unavailable',
      'The database did not answer a mutation before this one in the document; nothing was done for this one',
      { headers: { 'Retry-After': '1' } },
    );
  const since = performance.now();
  try {
    return await run();
  } catch (error) {
    if (error instanceof Problem && error.code === 'unavailable' && performance.now() - since > longWait)
      context.isDatabaseAway = true;
    throw error;
  }
};

/**
 * Runs a mutation with empty loaders, in a transaction that data verbs join, and writes its audit lines there. A deadlock begins it anew: nothing of it
 * was stored or shown, and it compares again what it compared. When mutations share a transaction, it is a savepoint. Mutations run one after the other, each with its whole selection.
 */
export const planIsolation = ({ name, extensions: { audit } }: Field, root?: OperationTypeNode): Step | undefined => {
  if (root !== OperationTypeNode.MUTATION) return undefined;
  if (!audit) throw new Error(`The mutation ${name} does not say what the audit log has of it: use defineMutation`);
  return (next) => (source, args, context, info) => {
    const { shared, space } = context;
    const { input } = args as { input: unknown };
    const action = describeAction(name, input, context);
    // The context is changed in place, since it identifies the request to the loaders.
    const begin = (): void => {
      context.writes = (context.writes ?? 0) + 1;
      context.action = action;
    };
    const isJoined = audit !== 'by-verb';
    return runWhileAvailable(context, async () => {
      // A verb with its own transactions compares no version.
      if (!isJoined) context.precondition?.finish();
      if (!isJoined && !shared) {
        begin();
        return next(source, args, context, info);
      }
      return space.transaction(
        async (own) => {
          begin();
          context.space = own;
          try {
            const result = await next(source, args, context, info);
            context.precondition?.finish();
            const written = isJoined && audit(result as never, input as never);
            if (written) await addAuditLines(own, action, written);
            if (shared) shared.done++;
            return result;
          } catch (error) {
            shared?.failures.push(error);
            throw error;
          } finally {
            context.space = space;
          }
        },
        { joins: isJoined, repeats: true },
      );
    });
  };
};
