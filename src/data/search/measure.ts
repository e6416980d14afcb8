// How long a search takes in the database, by its way: as a metric, and as a span of the trace.

import type { PageStrategy } from '../../search/page-plan.ts';
import { metrics, secondsSince } from '../../telemetry/metrics.ts';
import { traceSearch } from '../../telemetry/tracing.ts';

/** The ways of a search: four to a page by the search rows, two short ones before them, a count, and quick search. */
type SearchWay = PageStrategy | 'gather' | 'short scan' | 'count' | 'quick';

/** Runs the statements of a way. */
export const measureSearch = async <Result>(way: SearchWay, work: () => Promise<Result>): Promise<Result> => {
  const since = performance.now();
  try {
    return await traceSearch(way, work);
  } finally {
    metrics.searches.observe({ way }, secondsSince(since));
  }
};
