// The editor of a date: a day of the calendar, a number of days, weeks, months or years from today, or the text of the search language.
import type { TargetedInputEvent } from 'preact';
import { useState } from 'preact/hooks';
import { markFault, Select } from './controls.tsx';
import { dateUnits, readRelativeDate, resolveDay, writeRelativeDate } from './relative-date.ts';
import { useTexts } from './texts.ts';

type Mode = 'fixed' | 'relative' | 'text';

interface DateEditorProps {
  label: string;
  value: string;
  describedBy: string | undefined;
  onChange(value: string): void;
}

const dayForm = /^\d{4,5}-\d\d-\d\d$/;

const chooseMode = (value: string): Mode => {
  if (value === '' || dayForm.test(value)) return 'fixed';
  return readRelativeDate(value) ? 'relative' : 'text';
};

export const DateEditor = ({ label, value, describedBy, onChange }: DateEditorProps) => {
  const t = useTexts();
  const [wanted, setMode] = useState<Mode>();
  const found = chooseMode(value);
  // A chosen mode holds as long as the value can be shown so.
  const mode = wanted && (value === '' || wanted === 'text' || wanted === found) ? wanted : found;
  const date = readRelativeDate(value);
  const day = date && resolveDay(date, new Date());
  const fault = markFault(describedBy);
  const take = (event: TargetedInputEvent<HTMLInputElement>): void => onChange(event.currentTarget.value);
  const field = { 'aria-label': label, value, onInput: take, ...fault };

  const choose = (next: Mode): void => {
    setMode(next);
    if (next === 'fixed') onChange(day ?? (dayForm.test(value) ? value : ''));
    if (next === 'relative' && !date) onChange(writeRelativeDate({ count: 30, unit: 'd', direction: 'ago' }));
  };
  const change = (more: Partial<NonNullable<typeof date>>): void =>
    onChange(writeRelativeDate({ count: 0, unit: 'd', direction: 'ago', ...date, ...more }));

  return (
    // biome-ignore lint/a11y/useSemanticElements: it stands within a line
    <span class="date" role="group" aria-label={label}>
      <select
        aria-label={t.dateMode}
        value={mode}
        onChange={({ currentTarget }) => choose(currentTarget.value as Mode)}
      >
        <option value="fixed">{t.dateFixed}</option>
        <option value="relative">{t.dateRelative}</option>
        <optgroup label={t.dateMore}>
          <option value="text">{t.dateText}</option>
        </optgroup>
      </select>
      {mode === 'fixed' && <input type="date" {...field} />}
      {mode === 'text' && <input type="text" placeholder={t.dateHint} {...field} />}
      {mode === 'relative' && date && (
        <>
          <input
            type="number"
            class="short"
            min="0"
            max="99999"
            aria-label={t.dateCount}
            value={date.count}
            onInput={({ currentTarget }) =>
              change({ count: Math.max(0, Math.trunc(Number(currentTarget.value) || 0)) })
            }
            {...fault}
          />
          <Select
            label={t.dateUnit}
            value={date.unit}
            choices={dateUnits.map((unit) => [unit, t.unit(unit, date.count)])}
            onChange={(unit) => change({ unit })}
          />
          <Select
            label={t.dateDirection}
            value={date.direction}
            choices={(['ago', 'ahead'] as const).map((direction) => [direction, t[direction]])}
            onChange={(direction) => change({ direction })}
          />
          {day && <small class="quiet">{t.meansDay(day)}</small>}
        </>
      )}
    </span>
  );
};
