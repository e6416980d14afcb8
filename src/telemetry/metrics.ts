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

/** Every metric of ours. A new one is a row here; docs/metrics.md, the dashboard and the alerts are checked against this table. */
export const metricRows = {
  requests: {
    type: 'histogram',
    name: 'muster_request_duration_seconds',
    help: 'Time from the headers of a request to its answer (of an export to the beginning of it). operation is the route of REST, or the root field of GraphQL (several, introspection, graphiql, unknown); status is 2xx to 5xx',
    labels: ['door', 'operation', 'status'],
    buckets: requestBuckets,
  },
  requestsUnderWay: {
    type: 'gauge',
    name: 'muster_requests_under_way',
    help: 'Requests that are not answered yet',
    labels: [],
  },
  problems: {
    type: 'counter',
    name: 'muster_problems_total',
    help: 'Refusals and errors by their code (docs/errors.md), for example rate-limited, unauthenticated, overloaded; those of GraphQL fields too',
    labels: ['door', 'code'],
  },
  admissionWaiting: {
    type: 'gauge',
    name: 'muster_admission_waiting',
    help: 'Requests that wait for a slot of admission',
    labels: [],
  },
  admissionSlots: {
    type: 'gauge',
    name: 'muster_admission_slots',
    help: 'Slots of admission: used, allowed at this throughput, and freed by requests that wait for something else (away)',
    labels: ['state'],
  },
  clientConnections: {
    type: 'gauge',
    name: 'muster_client_connections',
    help: 'Open connections of clients',
    labels: [],
  },
  poolConnections: {
    type: 'gauge',
    name: 'muster_pool_connections',
    help: 'Connections of a pool: used, free, and how many it may have (size)',
    labels: ['server', 'pool', 'state'],
  },
  poolWaiting: {
    type: 'gauge',
    name: 'muster_pool_waiting',
    help: 'Statements and transactions that wait for a connection of a pool',
    labels: ['server', 'pool'],
  },
  poolWait: {
    type: 'histogram',
    name: 'muster_pool_wait_seconds',
    help: 'Time until a connection of a pool was there, those that did not come in time included',
    labels: ['server', 'pool'],
    buckets: shortBuckets,
  },
  statements: {
    type: 'histogram',
    name: 'muster_statement_duration_seconds',
    help: 'Time of a statement, from sending it to its last row',
    labels: ['server', 'pool'],
    buckets: shortBuckets,
  },
  statementTimeouts: {
    type: 'counter',
    name: 'muster_statement_timeouts_total',
    help: 'Statements without an answer in time: statement (over its limit), lock, no-answer (connection ended), no-connection',
    labels: ['kind'],
  },
  searches: {
    type: 'histogram',
    name: 'muster_search_duration_seconds',
    help: 'Time of a search in the database, by its way: gather, short scan, bounded scan, unbounded scan, sort, count, quick',
    labels: ['way'],
    buckets: shortBuckets,
  },
  jobsWaiting: {
    type: 'gauge',
    name: 'muster_jobs_waiting',
    help: 'Pieces of work for a job that nobody does now, those that failed and are to be done again included; counted every 10 s by processes that run jobs, in the whole database',
    labels: ['queue'],
    aggregator: 'max',
  },
  deliveriesWaiting: {
    type: 'gauge',
    name: 'muster_webhook_deliveries_waiting',
    help: 'Deliveries of webhooks that are due, those under way included, up to 10,000; counted every 10 s by processes that run jobs, in the whole database',
    labels: [],
    aggregator: 'max',
  },
  subscriptionsOpen: {
    type: 'gauge',
    name: 'muster_subscriptions_open',
    help: 'Subscriptions under way',
    labels: [],
  },
  replicaInUse: {
    type: 'gauge',
    name: 'muster_replica_in_use',
    help: '1 while reads go to the replica, 0 while it is behind or has failed; the sum of all workers; absent without a replica',
    labels: ['server'],
  },
  replicaBehind: {
    type: 'gauge',
    name: 'muster_replica_behind_seconds',
    help: 'For how long the replica has not replayed a position that the primary had reached; absent without a replica',
    labels: ['server'],
    aggregator: 'max',
  },
  eventLoopDelay: {
    type: 'gauge',
    name: 'muster_event_loop_delay_seconds',
    help: 'How late the event loop was since the last time it was asked: quantiles 0.5, 0.99 and 1, of the worker that was latest',
    labels: ['quantile'],
    aggregator: 'max',
  },
  logLinesDropped: {
    type: 'counter',
    name: 'muster_log_lines_dropped_total',
    help: 'Lines of the log that could not be written',
    labels: [],
  },
  embeddedRestarts: {
    type: 'counter',
    name: 'muster_embedded_restarts_total',
    help: 'How often the embedded PostgreSQL died and was started again',
    labels: [],
  },
  workers: {
    type: 'gauge',
    name: 'muster_workers',
    help: 'Worker processes that listen; 0 when one process does all',
    labels: [],
  },
  workersEnded: {
    type: 'counter',
    name: 'muster_workers_ended_total',
    help: 'Worker processes that ended by themselves',
    labels: [],
  },
  buildInfo: {
    type: 'gauge',
    name: 'muster_build_info',
    help: 'Always 1; the version of Muster and of Node',
    labels: ['version', 'node'],
    aggregator: 'first',
  },
} as const satisfies Record<string, MetricRow>;

type Rows = typeof metricRows;
type LabelOf<Row extends MetricRow> = Row['labels'][number];
interface Instruments<Label extends string> {
  counter: Counter<Label>;
  gauge: Gauge<Label>;
  histogram: Histogram<Label>;
}
type Metrics = { readonly [Name in keyof Rows]: Instruments<LabelOf<Rows[Name]>>[Rows[Name]['type']] };

/** The registry of this process. */
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

const collect = (): void => {
  for (const one of collectors) one();
};

export const readMetrics = async (): Promise<MetricSnapshot> => {
  collect();
  return (await registry.getMetricsAsJSON()) as unknown as MetricSnapshot;
};

/** The same in the text format of Prometheus. */
export const readMetricsText = (): Promise<string> => {
  collect();
  return registry.metrics();
};
