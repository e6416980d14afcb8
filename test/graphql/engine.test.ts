// The engine alone: Yoga runs what it is given, and parses and validates nothing itself.
import { GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createGraphqlEngine, type RequestContext } from '../../src/graphql/engine.ts';
import type { Execute } from '../../src/graphql/execute.ts';
import { Problem } from '../../src/problem.ts';

const runInEngine = createGraphqlEngine();
const failures: unknown[] = [];
const exchange = { instance: 'urn:uuid:1', failed: (error: unknown) => void failures.push(error) };

/** Runs a document whose text and fields nobody knows, so that reading either would fail. */
const run = (execute: Execute, { errors = [] as GraphQLError[], operation = 'query' } = {}) => {
  const measured = { errors, valid: { document: parse(`${operation} { nobody }`), execute } };
  return runInEngine(
    { query: 'no document', operationName: null, variables: { a: 1 } },
    new Request('http://muster.test/graphql', { method: 'POST' }),
    { exchange, measured } as unknown as RequestContext,
  );
};

describe('a document', () => {
  it('is executed as it was measured, with its variables and its context', async () => {
    const seen: unknown[] = [];
    const result = await run(async (given, variables) => {
      seen.push((given as RequestContext).exchange.instance, variables);
      return { data: { nobody: 1 } };
    });
    expect(result).toEqual({ data: { nobody: 1 } });
    expect(seen).toEqual(['urn:uuid:1', { a: 1 }]);
  });

  it('with errors is answered by them, and not executed', async () => {
    const errors = [new GraphQLError('first'), new GraphQLError('second')];
    const result = await run(() => Promise.reject(new Error('executed')), { errors });
    expect(result).toEqual({ errors });
  });

  it('that subscribes yields its events unchanged', async () => {
    async function* produceEvents() {
      yield { data: { nobody: 1 } };
      throw new Error('the source is gone');
    }
    const { events } = await run(async () => ({ data: null, events: produceEvents() }), { operation: 'subscription' });
    expect((await events!.next()).value).toEqual({ data: { nobody: 1 } });
    await expect(events!.next()).rejects.toThrow('the source is gone');
  });
});

describe('an execution that fails', () => {
  it('with a problem throws it, with its headers', async () => {
    const problem = new Problem('too-many-large-operations', 'wait', { headers: { 'Retry-After': '1' } });
    await expect(run(() => Promise.reject(problem))).rejects.toBe(problem);
  });

  it('in a resolver shows no cause, which is reported', async () => {
    const cause = new Error('column secret does not exist');
    const result = await run(async () => ({
      data: { nobody: null },
      errors: [new GraphQLError(cause.message, { path: ['nobody'], originalError: cause })],
    }));
    expect(JSON.stringify(result)).not.toContain('secret');
    expect(result.errors![0]!.extensions).toMatchObject({ code: 'internal', instance: 'urn:uuid:1' });
    expect(failures).toEqual([cause]);
  });
});
