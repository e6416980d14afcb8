// The editor of a span of time that is not among those offered first: one of the calendar, or a number of days, weeks, months or years.
import { type Choices, markFault, Select } from './controls.tsx';
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
  const sides: Choices = [
    ['last', t.spanLast],
    ['next', t.spanNext],
  ];
  const choices = [...sides, ...rarer.map((one) => [one, saySpan(one, language)] as const)];
  const choose = (chosen: string): void =>
    onChange(
      chosen === 'last' || chosen === 'next'
        ? writeCountedSpan({ count: 6, unit: 'month', ...counted, side: chosen })
        : chosen,
    );
  return (
    // biome-ignore lint/a11y/useSemanticElements: it stands within a line
    <span class="date" role="group" aria-label={t.span}>
      <Select label={t.span} value={counted?.side ?? value} onChange={choose} {...{ choices, describedBy }} />
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
            {...markFault(describedBy)}
          />
          <Select
            label={t.dateUnit}
            value={counted.unit}
            choices={spanUnits.map(([unit, letter]) => [unit, t.unit(letter, counted.count)])}
            onChange={(unit) => onChange(writeCountedSpan({ ...counted, unit }))}
          />
        </>
      )}
    </span>
  );
};
