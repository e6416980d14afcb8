// The conditions below "has given nothing": one record satisfies them together, or does not count.
import { Fragment } from 'preact';
import type { BuilderProps } from './builder-props.ts';
import { ConditionRow } from './condition-row.tsx';
import { type Condition, createCondition, selectRecordAttributes } from './model.ts';
import { recordLabels } from './search-labels.ts';
import { useLanguage, useTexts } from './texts.ts';

export const RecordBox = ({ part, place, ...props }: BuilderProps & { part: Condition; place: string }) => {
  const [t, language] = [useTexts(), useLanguage()];
  const labels = recordLabels[part.attribute as keyof typeof recordLabels];
  const attributes = selectRecordAttributes(part.attribute, props.attributes);
  if (!labels || attributes.size === 0) return null;
  return (
    <div class="records">
      {part.record.length > 0 && <p class="quiet">{labels.counting[language]}</p>}
      {part.record.map((one, index) => (
        <Fragment key={one.id}>
          {index > 0 && <span class="quiet">{t.and}</span>}
          <ConditionRow {...props} attributes={attributes} part={one} place={`${place}.${index + 1}`} />
        </Fragment>
      ))}
      <button
        type="button"
        aria-label={`${t.narrowRecords}${t.colon}${labels.name[language]}`}
        onClick={() => props.add(part.id, createCondition())}
      >
        <span aria-hidden="true">+ </span>
        {t.narrowRecords}
      </button>
    </div>
  );
};
