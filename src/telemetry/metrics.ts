// The metrics of this process: a table of all of them, which the docs derive from, and what is measured only when somebody asks.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricObjectWithValues, Registry } from 'prom-client';

interface MetricRow {
  type: 'counter' | 'gauge' | 'histogram';
  /** As Prometheus knows it; units are seconds and bytes. */
  name: string;
  help: string;
  /** Each takes few values, all of them ours: no text of a client, no id of a person or a space. */
  labels: readonly string[];
  /** Upper bounds of a histogram, in seconds. */
  buckets?: number[];
  /** The function that makes one value of those of all workers; their sum by default. */
  aggregator?: 'sum' | 'max' | 'first';
}

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const shortBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

const define =
  <Type extends MetricRow['type']>(type: Type) =>
  <const Labels extends readonly string[] = readonly []>(
    name: string,
    help: string,
    labels?: Labels,
    more: Pick<MetricRow, 'buckets' | 'aggregator'> = {},
  ) => ({ type, name, help, labels: (labels ?? []) as Labels, ...more });
const counter = define('counter');
const gauge = define('gauge');
const histogram = define('histogram');

/** Every metric of ours. A new one is a row here; docs/metrics.md, the dashboard and the alerts are checked against this table. */
export const metricRows = {
  requests: histogram(
    'muster_request_duration_seconds',
    'Time from the headers of a request to its answer (of an export to the beginning of it). operation is the route of REST, or the root field of GraphQL (several, introspection, graphiql, unknown); status is 2xx to 5xx',
    ['door', 'operation', 'status'],
    { buckets: requestBuckets },
  ),
  requestsUnderWay: gauge('muster_requests_under_way', 'Requests that are not answered yet'),
  problems: counter(
    'muster_problems_total',
    'Refusals and errors by their code (docs/errors.md), for example rate-limited, unauthenticated, overloaded; those of GraphQL fields too',
    ['door', 'code'],
  ),
  admissionWaiting: gauge('muster_admission_waiting', 'Requests that wait for a slot of admission'),
  admissionSlots: gauge(
    'muster_admission_slots',
    'Slots of admission: used, allowed at this throughput, and freed by requests that wait for something else (away)',
    ['state'],
  ),
  clientConnections: gauge('muster_client_connections', 'Open connections of clients'),
  poolConnections: gauge(
    'muster_pool_connections',
    'Connections of a pool: used, free, and how many it may have (size)',
    ['server', 'pool', 'state'],
  ),
  poolWaiting: gauge('muster_pool_waiting', 'Statements and transactions that wait for a connection of a pool', [
    'server',
    'pool',
  ]),
  poolWait: histogram(
    'muster_pool_wait_seconds',
    'Time until a connection of a pool was there, those that did not come in time included',
    ['server', 'pool'],
    { buckets: shortBuckets },
  ),
  statements: histogram(
    'muster_statement_duration_seconds',
    'Time of a statement, from sending it to its last row',
    ['server', 'pool'],
    { buckets: shortBuckets },
  ),
  statementTimeouts: counter(
    'muster_statement_timeouts_total',
    'Statements without an answer in time: statement (over its limit), lock, no-answer (connection ended), no-connection',
    ['kind'],
  ),
  searches: histogram(
    'muster_search_duration_seconds',
    'Time of a search in the database, by its way: gather, short scan, bounded scan, unbounded scan, scan from the end, sort, count, quick',
    ['way'],
    { buckets: shortBuckets },
  ),
  jobsWaiting: gauge(
    'muster_jobs_waiting',
    'Pieces of work for a job that nobody does now, those that failed and are to be done again included; counted every 10 s by processes that run jobs, in the whole database',
    ['queue'],
    { aggregator: 'max' },
  ),
  deliveriesWaiting: gauge(
    'muster_webhook_deliveries_waiting',
    'Deliveries of webhooks that are due, those under way included, up to 10,000; counted every 10 s by processes that run jobs, in the whole database',
    [],
    { aggregator: 'max' },
  ),
  subscriptionsOpen: gauge('muster_subscriptions_open', 'Subscriptions under way'),
  replicaInUse: gauge(
    'muster_replica_in_use',
    '1 while reads go to the replica, 0 while it is behind or has failed; the sum of all workers; absent without a replica',
    ['server'],
  ),
  replicaBehind: gauge(
    'muster_replica_behind_seconds',
    'For how long the replica has not replayed a position that the primary had reached; absent without a replica',
    ['server'],
    { aggregator: 'max' },
  ),
  eventLoopDelay: gauge(
    'muster_event_loop_delay_seconds',
    'How late the event loop was since the last time it was asked: quantiles 0.5, 0.99 and 1, of the worker that was latest',
    ['quantile'],
    { aggregator: 'max' },
  ),
  logLinesDropped: counter('muster_log_lines_dropped_total', 'Lines of the log that could not be written'),
  embeddedRestarts: counter(
    'muster_embedded_restarts_total',
    'How often the embedded PostgreSQL died and was started again',
  ),
  workers: gauge('muster_workers', 'Worker processes that listen; 0 when one process does all'),
  workersEnded: counter('muster_workers_ended_total', 'Worker processes that ended by themselves'),
  buildInfo: gauge('muster_build_info', 'Always 1; the version of Muster and of Node', ['version', 'node'], {
    aggregator: 'first',
  }),
} satisfies Record<string, MetricRow>;

type Rows = typeof metricRows;
type LabelOf<Row extends MetricRow> = Row['labels'][number];
interface Instruments<Label extends string> {
  counter: Counter<Label>;
  gauge: Gauge<Label>;
  histogram: Histogram<Label>;
}
type Metrics = { readonly [Name in keyof Rows]: Instruments<LabelOf<Rows[Name]>>[Rows[Name]['type']] };

const registry = new Registry();

const instruments = { counter: Counter, gauge: Gauge, histogram: Histogram };
const create = ({ type, labels, ...row }: MetricRow): unknown =>
  new instruments[type]({ ...row, labelNames: [...labels], registers: [registry] } as never);

/** The counters, gauges and histograms, by the names of the table. */
export const metrics = Object.fromEntries(
  Object.entries(metricRows).map(([name, row]) => [name, create(row)]),
) as unknown as Metrics;

/** Since `start`, of `performance.now()`. */
export const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** Set gauges whenever the metrics are read. */
const collectors = new Set<() => void>();

/** Calls `collect` whenever the metrics are read, until the function that it returns is called. */
export const addCollector = (collect: () => void): (() => void) => {
  collectors.add(collect);
  return () => void collectors.delete(collect);
};

const nanoseconds = 1e9;
/** How often the event loop is looked at. Node measures the time between two looks, this interval included. */
const samplingMs = 10;
let isMeasuring = false;

/** Whether the metrics of this process are served: what costs a statement is measured only then. */
export const isMeasured = (): boolean => isMeasuring;

/** Begins to measure the process itself: its event loop, memory, CPU and collections. Call it where metrics are served. */
export const measureProcess = (version: string): void => {
  if (isMeasuring) return;
  isMeasuring = true;
  collectDefaultMetrics({ register: registry });
  // Averages over workers would hide the one that is blocked.
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith('nodejs_eventloop_lag')) registry.removeSingleMetric(name);
  metrics.buildInfo.set({ version, node: process.version }, 1);
  const delay = monitorEventLoopDelay({ resolution: samplingMs });
  delay.enable();
  addCollector(() => {
    for (const quantile of [0.5, 0.99, 1])
      metrics.eventLoopDelay.set(
        { quantile: String(quantile) },
        Math.max(0, delay.percentile(quantile * 100) / nanoseconds - samplingMs / 1000),
      );
    delay.reset();
  });
};

/** The values of all metrics of one process, which another process can add up. */
export type MetricSnapshot = MetricObjectWithValues<never>[];

export const readMetrics = async (): Promise<MetricSnapshot> => {
  for (const collect of collectors) collect();
  return (await registry.getMetricsAsJSON()) as unknown as MetricSnapshot;
};

/** The same in the text format of Prometheus. */
export const readMetricsText = (): Promise<string> => {
  for (const collect of collectors) collect();
  return registry.metrics();
};
