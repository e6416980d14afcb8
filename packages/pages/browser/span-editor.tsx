// The editor of a span of time that is not among those offered first: one of the calendar, or a number of days, weeks, months or years.
import { calendarSpans, firstSpans, readCountedSpan, saySpan, spanUnits, writeCountedSpan } from './span.ts';
import { useLanguage, useTexts } from './texts.ts';

interface SpanEditorProps {
  value: string;
  describedBy: string | undefined;
  onChange(value: string): void;
}

const rarer = calendarSpans.filter((one) => !firstSpans.includes(one));

export const SpanEditor = ({ value, describedBy, onChange }: SpanEditorProps) => {
  const [t, language] = [useTexts(), useLanguage()];
  const counted = readCountedSpan(value);
  const choose = (chosen: string): void =>
    onChange(
      chosen === 'last' || chosen === 'next'
        ? writeCountedSpan({ count: 6, unit: 'month', ...counted, side: chosen })
        : chosen,
    );
  const fault = { 'aria-invalid': describedBy ? true : undefined, 'aria-describedby': describedBy };
  return (
    // biome-ignore lint/a11y/useSemanticElements: it stands within a line
    <span class="date" role="group" aria-label={t.span}>
      <select
        aria-label={t.span}
        value={counted?.side ?? value}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        {...fault}
      >
        <option value="last">{t.spanLast}</option>
        <option value="next">{t.spanNext}</option>
        {rarer.map((one) => (
          <option key={one} value={one}>
            {saySpan(one, language)}
          </option>
        ))}
      </select>
      {counted && (
        <>
          <input
            type="number"
            class="short"
            min="1"
            max="9999"
            aria-label={t.dateCount}
            value={counted.count}
            onInput={({ currentTarget }) => {
              const count = Math.min(9999, Math.max(1, Math.trunc(Number(currentTarget.value) || 1)));
              onChange(writeCountedSpan({ ...counted, count }));
            }}
            {...fault}
          />
          <select
            aria-label={t.dateUnit}
            value={counted.unit}
            onChange={({ currentTarget }) =>
              onChange(writeCountedSpan({ ...counted, unit: currentTarget.value as typeof counted.unit }))
            }
          >
            {spanUnits.map(([unit, letter]) => (
              <option key={unit} value={unit}>
                {t.unit(letter, counted.count)}
              </option>
            ))}
          </select>
        </>
      )}
    </span>
  );
};
