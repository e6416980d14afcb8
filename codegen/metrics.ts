// Writes the page of the documentation that lists every metric.
import { metricRows } from '../src/telemetry/metrics.ts';
import { formatMarkdownTable, made } from './format.ts';

const largest = Object.values(metricRows).flatMap((row) =>
  'aggregator' in row && row.aggregator === 'max' ? [`\`${row.name}\``] : [],
);

export const writeMetricsPage = (): string => `# Metrics

${made}

\`/metrics\` has these when \`METRICS_PORT\` is set ([monitoring.md](monitoring.md)). Counts begin at the start of the process. With several workers a value is the sum of all of them,
or the largest one for ${largest.join(', ')}. No label has a text of a client, nor the id of a person or a space.

${formatMarkdownTable(
  ['Name', 'Type', 'Labels', 'Meaning'],
  Object.values(metricRows).map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ]),
)}

A histogram has three series for its name: \`_bucket\` (with the label \`le\`), \`_sum\` and \`_count\`. The metrics of Node and of the process itself are those of
[prom-client](https://github.com/siimon/prom-client#default-metrics): \`process_cpu_seconds_total\`, \`process_resident_memory_bytes\`, \`nodejs_heap_size_used_bytes\`, \`nodejs_gc_duration_seconds\` and others.
`;
