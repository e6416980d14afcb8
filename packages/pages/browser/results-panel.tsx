// The results beside the builder: how many people there are, and charts of who they are.
import { Button, Notice } from './controls.tsx';
import { FaultText, ProblemText } from './problem-text.tsx';
import { useTexts } from './texts.ts';
import { type FacetName, type Facets, facetNames, type Results } from './use-results.ts';

export const CountPanel = ({ results, retry }: { results: Results; retry(): void }) => {
  const t = useTexts();
  const { found, isCounting, problem, faults } = results;
  // Others may have come since everybody was counted.
  const percent = found?.total ? (100 * found.total) / Math.max(results.everybody, found.total) : 0;
  const share = percent > 0 && percent < 0.1 ? `< ${t.number(0.1)} %` : `${t.number(Math.round(percent * 10) / 10)} %`;
  return (
    <section id="results" class={`card count${isCounting ? ' stale' : ''}`} aria-label={t.segment}>
      <p class="total" role="status" aria-live="polite" data-counting={isCounting}>
        {problem && faults.size > 0 ? (
          <span class="sr-only">{t.faulty}</span>
        ) : found ? (
          <>
            <strong>{(found.isExact ? t.number : t.moreThan)(found.total)}</strong> {t.people(found.total)}
          </>
        ) : (
          !problem && t.counting
        )}
      </p>
      {found?.isExact && (
        <p class="quiet">
          <svg class="share wide" height="8" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect class="track" width="100" height="8" />
            <rect class="fill" width={percent} height="8" />
          </svg>
          {t.share(share)}
        </p>
      )}
      {problem && (
        <Notice retry={faults.size === 0 && problem.retryAfter === undefined ? retry : undefined}>
          {faults.size === 0 ? <ProblemText problem={problem} isRepeated /> : t.faulty}
          {faults.get('')?.map((message) => (
            <span key={message}>
              {' '}
              <FaultText message={message} />
            </span>
          ))}
        </Notice>
      )}
    </section>
  );
};

interface ChartProps {
  by: FacetName;
  facets: Facets;
  /** Narrows the segment to a value, where that is one condition. */
  narrow: ((value: string) => void) | undefined;
}

/** A table of values with a bar each: it is read as text, and needs no legend. */
const Chart = ({ by, facets, narrow }: ChartProps) => {
  const t = useTexts();
  const { values, withoutValue, distinctValues } = facets;
  const most = Math.max(1, ...values.map(({ count }) => count));
  const label = (value: string): string =>
    by === 'AGE' ? t.ageGroup(value) : by === 'MONTH_OF_LAST_CHANGE' ? t.month(value) : value;
  return (
    <table class="chart">
      <caption>{t.charted[by]}</caption>
      <tbody>
        {values.map(({ value, count }) => (
          <tr key={value}>
            <th scope="row">
              {narrow ? (
                <Button
                  text={label(value)}
                  class="plain"
                  aria-label={t.narrowTo(value)}
                  title={t.narrowTo(value)}
                  onClick={() => narrow(value)}
                />
              ) : (
                label(value)
              )}
            </th>
            <td class="bar">
              <svg height="12" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
                <rect class="fill" width={(100 * count) / most} height="12" rx="1" />
              </svg>
            </td>
            <td class="number">{t.number(count)}</td>
          </tr>
        ))}
      </tbody>
      {(distinctValues > values.length || withoutValue > 0) && (
        <tfoot>
          <tr>
            <td colSpan={3}>
              {[
                distinctValues > values.length && t.others(distinctValues - values.length),
                withoutValue > 0 && `${t.without[by]}${t.colon}${t.number(withoutValue)}`,
              ]
                .filter(Boolean)
                .join(' · ')}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
};

interface ChartsPanelProps {
  facets: Results['facets'];
  isStale: boolean;
  narrow(by: FacetName, value: string): void;
}

/** Charts whose values are one condition each. */
const narrowing: readonly FacetName[] = ['CITY', 'TAG'];

export const ChartsPanel = ({ facets, isStale, narrow }: ChartsPanelProps) => {
  const t = useTexts();
  if (!facets.AGE?.total) return null;
  return (
    <section class={`card charts${isStale ? ' stale' : ''}`}>
      <h2>{t.charts}</h2>
      <div class="chart-grid">
        {facetNames.map((by) => {
          const one = facets[by];
          if (!one) return null;
          return (
            <Chart
              key={by}
              by={by}
              facets={one}
              narrow={narrowing.includes(by) ? (value) => narrow(by, value) : undefined}
            />
          );
        })}
      </div>
    </section>
  );
};
