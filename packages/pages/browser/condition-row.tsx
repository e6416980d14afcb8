// One condition: what is searched by, how it is compared, with what, how many it finds alone, and what is wrong with it.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { AnswerEditor } from './answer-editor.tsx';
import { Button } from './controls.tsx';
import {
  type Condition,
  chooseAttribute,
  chooseOperator,
  describeCondition,
  formKinds,
  isComplete,
  type Part,
} from './model.ts';
import { Faults, FaultText } from './problem-text.tsx';
import { familyLabels, getFamily, labelAttribute, labelOperator, listDateOperators } from './search-labels.ts';
import { firstSpans, saySpan } from './span.ts';
import { SpanEditor } from './span-editor.tsx';
import { useLanguage, useTexts } from './texts.ts';
import type { Results } from './use-results.ts';
import { ValueEditor } from './value-editor.tsx';
import { useWorkspace } from './workspace.ts';

/** The columns of an index: its name without those of the table's part, of the space and of the contact. A key is named by its table. */
const shortenIndex = (name: string): string =>
  name.endsWith('_pkey')
    ? name.replace(/(_\d+)?_pkey$/, '')
    : name
        .replace(/_idx\d*$/, '')
        .replace(/^(.*_\d+_)?(group_id_)?/, '')
        .replace(/_contact_id$/, '');

/** How many people a part finds alone, and what finding them costs. */
export const CostLine = ({ id, results }: { id: string; results: Results }) => {
  const t = useTexts();
  const cost = results.costs.get(id);
  if (!cost) return null;
  const { matches, exact, milliseconds, indexes, note } = cost;
  const width = (100 * matches) / Math.max(results.everybody, matches);
  return (
    <div class={`cost${results.areDetailsOld ? ' stale' : ''}`}>
      <svg class="share" width="48" height="6" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="10" />
        <rect class="fill" width={matches > 0 ? Math.max(2, width) : 0} height="10" />
      </svg>
      <strong>{(exact ? t.alone : t.about)(t.counted(matches))}</strong>
      {note && (
        <span>
          <FaultText message={note} />
        </span>
      )}
      <details>
        <summary>{t.howFound}</summary>
        <span class="indexes">
          {milliseconds !== null && `${t.took(t.number(Math.round(milliseconds * 10) / 10))} · `}
          {indexes.length > 0 ? t.indexes(indexes.map(shortenIndex).join(', ')) : t.noIndex}
        </span>
      </details>
    </div>
  );
};

/** The same for every group and condition: the results of the segment, and how it is changed. */
export interface BuilderProps {
  results: Results;
  change(id: string, to: (part: Part) => Part): void;
  /** Adds a part to a group, or to a condition on records, and moves the focus there. */
  add(whole: string, part: Part): void;
  /** Removes a part, and moves the focus to its neighbour. */
  remove(id: string): void;
}

interface ConditionRowProps extends BuilderProps {
  part: Condition;
  place: string;
  /** The conditions on one record. */
  children?: ComponentChildren;
}

export const ConditionRow = ({ part, place, children, results, change, remove }: ConditionRowProps) => {
  const t = useTexts();
  const language = useLanguage();
  const { attributes } = useWorkspace();
  const { attribute, operator } = describeCondition(part, attributes);
  // Another span stays in its editor while it is typed, also where it becomes one of the first.
  const [isOtherSpan, setOtherSpan] = useState(false);
  const faults = results.faults.get(part.id);
  const describedBy = faults && `${part.id}-faults`;
  const edit = (more: Partial<Condition>): void => change(part.id, (old) => ({ ...(old as Condition), ...more }));
  const named = attribute ? labelAttribute(attribute.name, attribute.description, language) : t.chooseAttribute;
  const isSpan = operator?.takes === 'PERIOD';
  const isFirstSpan = isSpan && !isOtherSpan && firstSpans.includes(part.value);
  const chooseTest = (name: string): void => {
    const span = firstSpans.find((one) => name === `within ${one}`);
    setOtherSpan(name === 'within');
    change(part.id, (old) => {
      if (!span && name !== 'within') return chooseOperator(old as Condition, name, attributes);
      const changed = chooseOperator(old as Condition, 'within', attributes);
      return { ...changed, value: span ?? (changed.value || 'last_6_months') };
    });
  };
  const byFamily = Object.keys(familyLabels).map((family) => ({
    family,
    members: [...attributes.values()].filter(
      // Nobody types a polygon.
      ({ name, kind }) => getFamily(name) === family && (kind !== 'AREA' || name === part.attribute),
    ),
  }));

  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend would be read before each of its fields
    <div class={`condition${faults ? ' faulty' : ''}`} role="group" aria-label={t.condition(place)} data-part={part.id}>
      <div class="fields">
        <select
          class="attribute"
          aria-label={t.attribute}
          aria-describedby={describedBy}
          value={part.attribute}
          onChange={({ currentTarget: { value } }) =>
            change(part.id, (old) => chooseAttribute(old as Condition, value, attributes))
          }
        >
          <option value="">{t.chooseAttribute}</option>
          {byFamily.map(
            ({ family, members }) =>
              members.length > 0 && (
                <optgroup key={family} label={familyLabels[family]![language]}>
                  {members.map(({ name, description }) => (
                    <option key={name} value={name}>
                      {labelAttribute(name, description, language)}
                    </option>
                  ))}
                </optgroup>
              ),
          )}
        </select>
        {formKinds.has(part.attribute) && (
          <AnswerEditor
            key={part.attribute}
            {...{ describedBy }}
            condition={part}
            withOptions={operator?.takes !== 'NOTHING'}
            onChange={edit}
          />
        )}
        {attribute && operator?.takes !== 'PLACE' && (
          <select
            class="operator"
            aria-label={t.operator}
            aria-describedby={describedBy}
            value={isFirstSpan ? `within ${part.value}` : part.operator}
            onChange={({ currentTarget }) => chooseTest(currentTarget.value)}
          >
            {attribute.kind === 'ANSWER' && <option value="">{t.anyAnswer}</option>}
            {attribute.operators.some(({ takes }) => takes === 'PERIOD') &&
              firstSpans.map((span) => (
                <option key={span} value={`within ${span}`}>
                  {saySpan(span, language)}
                </option>
              ))}
            {listDateOperators(attribute).map(({ name }) => (
              <option key={name} value={name}>
                {labelOperator(name, { attribute: attribute.name, kind: attribute.kind }, language)}
              </option>
            ))}
          </select>
        )}
        {isSpan && !isFirstSpan && (
          <SpanEditor {...{ describedBy }} value={part.value} onChange={(value) => edit({ value })} />
        )}
        {attribute && operator && !isSpan && (
          <ValueEditor
            key={`${attribute.name} ${operator.takes}`}
            {...{ attribute, operator, describedBy }}
            condition={part}
            onChange={edit}
          />
        )}
        <Button
          text="×"
          class="remove"
          aria-label={t.removeCondition(named)}
          title={t.removeCondition(named)}
          onClick={() => remove(part.id)}
        />
      </div>
      {children}
      <Faults id={`${part.id}-faults`} faults={faults} kind={attribute?.kind} />
      {!faults &&
        (isComplete(part, attributes) ? (
          <CostLine id={part.id} results={results} />
        ) : (
          attribute && <p class="cost">{t.incomplete}</p>
        ))}
    </div>
  );
};
