// A group of conditions and groups: how they are joined, whether it is excluded, and the buttons that add to it.
import { Fragment } from 'preact';
import { type BuilderProps, ConditionRow, CostLine } from './condition-row.tsx';
import { Button } from './controls.tsx';
import {
  type Condition,
  createCondition,
  createGroup,
  describeCondition,
  type Group,
  isGroup,
  selectRecordAttributes,
} from './model.ts';
import { Faults } from './problem-text.tsx';
import { recordLabels } from './search-labels.ts';
import { useLanguage, useTexts } from './texts.ts';
import { useWorkspace, WorkspaceContext } from './workspace.ts';

/** Levels of groups that a query may have. */
const deepest = 6;

export const GroupBox = ({
  part,
  place,
  level,
  ...props
}: BuilderProps & { part: Group; place: string; level: number }) => {
  const t = useTexts();
  const { attributes } = useWorkspace();
  const { results } = props;
  const isRoot = level === 0;
  const edit = (more: Partial<Group>): void => props.change(part.id, (old) => ({ ...(old as Group), ...more }));
  const faults = results.faults.get(part.id);
  return (
    <fieldset class={`group${isRoot ? ' root' : ''}${part.negated ? ' negated' : ''}`} data-part={part.id}>
      <legend class="sr-only">{isRoot ? t.segment : `${t.group} ${place}`}</legend>
      <div class="group-head">
        <label class="join">
          <span>{part.negated ? t.matchExcluded : t.matchStart}</span>
          <select
            aria-label={t.groupLabel}
            value={part.every ? 'every' : 'some'}
            onChange={({ currentTarget }) => edit({ every: currentTarget.value === 'every' })}
          >
            <option value="every">{t.every}</option>
            <option value="some">{t.some}</option>
          </select>
        </label>
        <label class="toggle" title={t.excludeHint}>
          <input type="checkbox" checked={part.negated} onChange={() => edit({ negated: !part.negated })} />
          {t.exclude}
        </label>
        {!isRoot && (
          <Button
            text="×"
            class="remove"
            aria-label={`${t.removeGroup} ${place}`}
            onClick={() => props.remove(part.id)}
          />
        )}
      </div>
      {!isRoot && <CostLine id={part.id} results={results} />}
      <Faults id={`${part.id}-faults`} faults={faults} />
      {isRoot && part.parts.length === 0 && <p class="quiet">{t.everybody}</p>}
      {part.parts.map((one, index) => {
        const below = place ? `${place}.${index + 1}` : `${index + 1}`;
        return isGroup(one) ? (
          <GroupBox key={one.id} {...props} part={one} place={below} level={level + 1} />
        ) : (
          <ConditionRow key={one.id} {...props} part={one} place={below}>
            {describeCondition(one, attributes).operator?.takes === 'CONDITIONS' && (
              <RecordBox {...props} part={one} place={below} />
            )}
          </ConditionRow>
        );
      })}
      <div class="adders">
        <button
          type="button"
          class={isRoot ? 'primary' : undefined}
          aria-label={t.addConditionLabel}
          onClick={() => props.add(part.id, createCondition())}
        >
          <span aria-hidden="true">+ </span>
          {t.addCondition}
        </button>
        {level < deepest - 1 && (
          <button
            type="button"
            aria-label={t.addGroupLabel}
            onClick={() => props.add(part.id, createGroup([createCondition()], { every: !part.every }))}
          >
            <span aria-hidden="true">+ </span>
            {t.addGroup}
          </button>
        )}
      </div>
    </fieldset>
  );
};

/** The conditions below “has given nothing”: one record satisfies them together, or does not count. */
const RecordBox = ({ part, place, ...props }: BuilderProps & { part: Condition; place: string }) => {
  const [t, language] = [useTexts(), useLanguage()];
  const labels = recordLabels[part.attribute as keyof typeof recordLabels];
  const workspace = useWorkspace();
  const attributes = selectRecordAttributes(part.attribute, workspace.attributes);
  if (!labels || attributes.size === 0) return null;
  return (
    <div class="records">
      {part.record.length > 0 && <p class="quiet">{labels.counting[language]}</p>}
      {part.record.map((one, index) => (
        <Fragment key={one.id}>
          {index > 0 && <span class="quiet">{t.and}</span>}
          <WorkspaceContext.Provider value={{ ...workspace, attributes }}>
            <ConditionRow {...props} part={one} place={`${place}.${index + 1}`} />
          </WorkspaceContext.Provider>
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
