// What an operator sees of a running server: metrics of all workers on a port of their own, traces by an SDK, and an id for every request.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { metricRows } from '../../src/telemetry/metrics.ts';
import { createDatabase } from '../harness/app.ts';
import { runStatement } from '../harness/databases.ts';
import { createToken, programFolder, type Serving, spawnServer } from '../harness/serving.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 60_000 });

const spansFile = join(programFolder, 'spans.ndjson');
/** What an operator writes, with an exporter to a file. */
const tracing = `
import { appendFileSync } from 'node:fs';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { name, kind, attributes, links, status, parentSpanContext } = span;
      const parent = parentSpanContext?.spanId;
      const shown = { name, kind, attributes, status, parent, ...span.spanContext(), pid: process.pid };
      appendFileSync(${JSON.stringify(spansFile)}, JSON.stringify({ ...shown, links: links.map(({ context }) => context.spanId) }) + '\\n');
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
`;

interface ReadSpan {
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  links: string[];
  parent?: string;
  spanId: string;
  traceId: string;
  pid: number;
}
const readSpans = (): ReadSpan[] =>
  readFileSync(spansFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The value of a sample by its name and a part of its labels. */
const findValue = (text: string, name: string, labels = ''): number | undefined => {
  const line = text
    .split('\n')
    .find((one) => one.startsWith(name) && /[ {]/.test(one[name.length]!) && one.includes(labels));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
};

/** Two deliveries that are due, one that is to be tried later, one of a webhook that is disabled; and the job of the first two, which waits after a failure. */
const waitingWork = `
insert into webhooks (group_id, id, name, url, events, secret, user_id, position, disabled_at)
values (1, 1, 'on', 'https://example.org', '{}', 'x', 1, 0, null), (1, 2, 'off', 'https://example.org', '{}', 'x', 1, 0, now());
insert into webhook_deliveries (group_id, webhook_id, event, next_attempt_at)
select 1, webhook, 'webhook.tested', now() + pause
  from (values (1, interval '0'), (1, interval '0'), (1, interval '1 hour'), (2, interval '0')) d (webhook, pause);
insert into job_leases (name, key, until, failures) values ('deliver-webhook', '1/1', now() + interval '1 hour', 1)`;
/** Until the next request, which sets its time to now, the bucket gets no token. */
const emptyBucket = `update rate_buckets set tokens = 0, refilled_at = now() + interval '1 minute' where group_id = 1`;

const search = `{ searchContacts(first: 2, query: { lastName: { equals: "Martin" } }) { nodes { id } } }`;

describe('two workers', () => {
  let server: Serving;
  let token: string;
  let metricsUrl: string;
  const readMetrics = async (): Promise<string> => (await fetch(metricsUrl)).text();
  const graphql = (query: string, headers: Record<string, string> = {}) =>
    server.ask(token, 'POST', '/graphql', { query }, headers);

  // Tests end their servers: everything is asked of one, in one test, and looked at from several sides.
  beforeAll(async () => {
    writeFileSync(join(programFolder, 'tracing.mjs'), tracing);
    writeFileSync(spansFile, '');
  });

  it('are one in the metrics, also after one has died, and make the spans that an SDK exports', async () => {
    const databaseUrl = await createDatabase();
    token = await createToken(databaseUrl);
    await runStatement(databaseUrl, waitingWork);
    server = await spawnServer({
      DATABASE_URL: databaseUrl,
      METRICS_PORT: '0',
      WORKERS: '2',
      NODE_OPTIONS: `--import ${join(programFolder, 'tracing.mjs')}`,
    });
    metricsUrl = server.logged().find(({ msg }) => msg === 'metrics').url;
    // The public port has no metrics.
    expect((await server.ask(token, 'GET', '/metrics')).status).toBe(404);
    expect((await fetch(metricsUrl.replace('/metrics', '/'))).status).toBe(404);
    expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(405);

    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const sent = { traceparent, tracestate: 'vendor=1', 'X-Request-Id': 'traced-1' };
    const answer = await graphql(search, sent);
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([200, 'traced-1']);
    expect(answer.body.errors).toBeUndefined();
    expect((await graphql('{ viewer { __typename } notes(first: 1) { nodes { id } } }')).body).not.toHaveProperty(
      'errors',
    );
    await graphql('{ noSuchField }');
    await Promise.all(Array.from({ length: 30 }, () => server.ask(token, 'GET', '/users/1')));
    expect((await server.ask('mst_wrong', 'GET', '/users/1')).status).toBe(401);
    await runStatement(databaseUrl, emptyBucket);
    expect((await server.ask(token, 'GET', '/users/1')).status).toBe(429);
    await waitUntil('waiting work is counted', async () =>
      findValue(await readMetrics(), 'muster_webhook_deliveries_waiting'),
    );
    const ready = await fetch(`${server.url}/health/ready`);
    expect(ready.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);

    const first = await readMetrics();
    expect(first).toMatch(/^# HELP muster_request_duration_seconds /m);
    const count = 'muster_request_duration_seconds_count';
    expect(findValue(first, count, 'door="rest",operation="GET /users/{id}",status="2xx"')).toBe(30);
    expect(findValue(first, count, 'door="graphql",operation="searchContacts",status="2xx"')).toBe(1);
    expect(findValue(first, count, 'operation="several"')).toBe(1);
    expect(findValue(first, count, 'door="other",operation="/health/ready"')).toBe(1);
    expect(findValue(first, 'muster_problems_total', 'door="rest",code="unauthenticated"')).toBe(1);
    expect(findValue(first, 'muster_problems_total', 'door="graphql",code="invalid-document"')).toBe(1);
    expect(findValue(first, 'muster_problems_total', 'door="rest",code="rate-limited"')).toBe(1);
    expect(findValue(first, 'muster_webhook_deliveries_waiting')).toBe(2);
    expect(findValue(first, 'muster_jobs_waiting', 'queue="deliver-webhook"')).toBe(1);
    expect(findValue(first, 'muster_jobs_waiting', 'queue="publish-changes"')).toBe(0);
    expect(findValue(first, 'muster_pool_wait_seconds_count', 'server="primary",pool="readers"')).toBeGreaterThan(5);
    expect(findValue(first, 'muster_pool_connections', 'pool="readers",state="size"')).toBe(6);
    expect(findValue(first, 'muster_search_duration_seconds_count', 'way=')).toBeGreaterThan(0);
    expect(findValue(first, 'muster_event_loop_delay_seconds', 'quantile="1"')).toBeGreaterThan(0);
    expect(findValue(first, 'muster_workers')).toBe(2);
    expect(findValue(first, 'muster_build_info', `node="${process.version}"`)).toBe(1);
    expect(findValue(first, 'process_resident_memory_bytes')).toBeGreaterThan(50_000_000);
    // No label has a text of a client, nor the id of a space or a person.
    const labels = [...first.matchAll(/^muster_\w+\{(.*)\}/gm)].flatMap(([, all]) =>
      [...all!.matchAll(/(\w+)="/g)].map(([, name]) => name),
    );
    const known = new Set([...Object.values(metricRows).flatMap((row) => [...row.labels] as string[]), 'le']);
    expect([...new Set(labels)].filter((name) => !known.has(name!))).toEqual([]);

    const worker = server
      .logged()
      .find(({ route, requestId }) => route === 'POST /graphql' && requestId === 'traced-1');
    expect(worker.trace).toBe('0af7651916cd43dd8448eb211c80319c');
    const spans = readSpans();
    const traced = spans.filter(({ traceId }) => traceId === '0af7651916cd43dd8448eb211c80319c');
    const request = traced.find(({ kind }) => kind === 1)!;
    expect(request).toMatchObject({
      name: 'POST /graphql searchContacts',
      parent: 'b7ad6b7169203331',
      attributes: { 'http.route': '/graphql', 'http.response.status_code': 200, 'muster.operation': 'searchContacts' },
    });
    const statements = traced.filter(({ kind }) => kind === 2);
    expect(statements.map(({ name }) => name)).toContain('gate');
    expect(statements.map(({ attributes }) => attributes['muster.pool'])).toContain('index-scans');
    const gather = traced.find(({ name }) => name === 'search gather')!;
    expect(gather.parent).toBe(request.spanId);
    expect(statements.find(({ name }) => name === 'search.gather')!.parent).toBe(gather.spanId);
    // Statements that requests share link to the requests that came after the first one.
    expect(spans.some(({ name, links }) => name === 'gate' && links.length > 0)).toBe(true);
    expect(spans.find(({ attributes }) => attributes['muster.problem'] === 'unauthenticated')).toMatchObject({
      name: 'GET /users/{id}',
      attributes: { 'http.response.status_code': 401 },
    });
    expect(JSON.stringify(spans)).not.toContain('/users/1');

    process.kill(spans[0]!.pid, 'SIGKILL');
    await waitUntil('a worker ended', () => server.logged().some(({ msg }) => msg === 'worker ended'));
    await waitUntil('two listen again', async () => {
      await server.ask(token, 'GET', '/users/1');
      return findValue(await readMetrics(), 'muster_workers') === 2;
    });
    const second = await readMetrics();
    expect(findValue(second, 'muster_workers_ended_total')).toBe(1);
    expect(findValue(second, count, 'door="rest",operation="GET /users/{id}",status="2xx"')).toBeGreaterThan(30);
    expect(findValue(second, count, 'operation="several"')).toBe(1);
  });
});

describe('one process', () => {
  it('gives every answer and every line of the log an id, and has no metrics without a port', async () => {
    const databaseUrl = await createDatabase();
    const server = await spawnServer({ DATABASE_URL: databaseUrl, BUCKET_CAPACITY: '7', BUCKET_REFILL: '0.001' });
    const token = await createToken(databaseUrl);
    expect(server.logged().some(({ msg }) => msg === 'metrics')).toBe(false);
    const { port } = new URL(server.url);
    const ask = async (raw: string): Promise<string> => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(raw);
      return text(socket).catch(() => '');
    };
    const header = `Authorization: Bearer ${token}\r\nX-Request-Id: mine-1\r\nConnection: close\r\n`;
    const body = JSON.stringify({
      data: {
        advanced_search: { query: { $all: [{ $all: [{ $condition: { attr: 'gender', ope: 'eql', value: 'F' } }] }] } },
      },
    });
    const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const requests: [name: string, raw: string, status: number, id?: string][] = [
      [
        'a document that is refused',
        `GET /graphql?query={a{b}c{d}} HTTP/1.1\r\nHost: x\r\n${header}Accept: application/graphql-response+json\r\n\r\n`,
        400,
        'mine-1',
      ],
      ['an unknown path', `GET /nothing HTTP/1.1\r\nHost: x\r\n${header}\r\n`, 404, 'mine-1'],
      ['an export', `POST /export HTTP/1.1\r\nHost: x\r\n${header}${json}\r\n${body}`, 200, 'mine-1'],
      ['a refusal by the bucket', `POST /export HTTP/1.1\r\nHost: x\r\n${header}${json}\r\n${body}`, 429, 'mine-1'],
      ['health', `GET /health/live HTTP/1.1\r\nHost: x\r\n${header}\r\n`, 200, 'mine-1'],
      ['no Host', `GET /users/1 HTTP/1.1\r\n${header}\r\n`, 400, 'mine-1'],
      [
        'an id that could break a line',
        'GET /nothing HTTP/1.1\r\nHost: x\r\nX-Request-Id: a b\r\nConnection: close\r\n\r\n',
        404,
      ],
      ['a target that cannot be read', 'GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
      ['no HTTP', 'HELLO\r\n\r\n', 400],
      [
        'a body that breaks off',
        `POST /export HTTP/1.1\r\nHost: x\r\n${header}Transfer-Encoding: chunked\r\n\r\nno length`,
        400,
        'mine-1',
      ],
      ['an Expect that is unknown', `GET /nothing HTTP/1.1\r\nHost: x\r\n${header}Expect: tea\r\n\r\n`, 404, 'mine-1'],
      ['headers that are too long', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ];
    for (const [name, raw, status, id] of requests) {
      const answer = await ask(raw);
      expect([name, Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])]).toEqual([name, status]);
      if (status >= 400)
        expect([name, /\r\ncontent-type: \S+json/i.test(answer), answer]).toEqual([
          name,
          true,
          expect.stringMatching(/\r\n\r\n[^{]*\{.*"status":\d+.*\}/),
        ]);
      const got = /^x-request-id: (\S+)\r$/im.exec(answer)?.[1];
      if (id) expect([name, got]).toEqual([name, id]);
      else expect([name, got]).toEqual([name, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      await waitUntil(`${name} is in the log`, () =>
        server.logged().some((line) => (line.requestId ?? line.id) === got && line.status === status),
      );
    }
    expect(server.logged().filter(({ msg, id }) => msg === 'request' && !id)).toEqual([]);
  });
});
