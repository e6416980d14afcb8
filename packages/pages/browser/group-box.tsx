// A group of conditions and groups: how they are joined, whether it is excluded, and the buttons that add to it.
import type { BuilderProps } from './builder-props.ts';
import { ConditionRow, CostLine, Faults } from './condition-row.tsx';
import { Button } from './controls.tsx';
import { createCondition, createGroup, describeCondition, type Group, isGroup } from './model.ts';
import { RecordBox } from './record-box.tsx';
import { useTexts } from './texts.ts';

/** Levels of groups that a query may have. */
const deepest = 6;

export const GroupBox = ({
  part,
  place,
  level,
  ...props
}: BuilderProps & { part: Group; place: string; level: number }) => {
  const t = useTexts();
  const { results, everybody } = props;
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
      {!isRoot && <CostLine id={part.id} results={results} total={everybody} />}
      <Faults id={`${part.id}-faults`} faults={faults} />
      {isRoot && part.parts.length === 0 && <p class="quiet">{t.everybody}</p>}
      {part.parts.map((one, index) => {
        const below = place ? `${place}.${index + 1}` : `${index + 1}`;
        return isGroup(one) ? (
          <GroupBox key={one.id} {...props} part={one} place={below} level={level + 1} />
        ) : (
          <ConditionRow key={one.id} {...props} part={one} place={below}>
            {describeCondition(one, props.attributes).operator?.takes === 'CONDITIONS' && (
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
