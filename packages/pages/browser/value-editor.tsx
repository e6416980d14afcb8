// The editor of the value of a condition, by its kind and its operator.
import { useEffect, useState } from 'preact/hooks';
import { Combobox, useChosen } from './combobox.tsx';
import { Button, type Choices, markFault, Select } from './controls.tsx';
import { DateEditor } from './date-editor.tsx';
import { type Choice, canLookUp, findCities, findRecords, findTags, readRecords } from './lookups.ts';
import { type Attribute, type Condition, centreKinds, type Operator } from './model.ts';
import { useTexts } from './texts.ts';
import { useWorkspace } from './workspace.ts';

interface EditorProps {
  condition: Condition;
  attribute: Attribute;
  operator: Operator;
  describedBy: string | undefined;
  onChange(more: Partial<Condition>): void;
}

interface FieldProps extends Omit<EditorProps, 'condition' | 'onChange'> {
  label: string;
  value: string;
  onChange(value: string): void;
  onEnter?(): void;
}

type Search = (text: string, signal: AbortSignal) => Promise<Choice[]>;

/** How values of an attribute are completed; undefined where they are only typed. */
const useSearch = ({ name, recordType }: Attribute): Search | undefined => {
  const { api, permissions } = useWorkspace();
  if (name === 'tags.name') return (text, signal) => findTags(api, text, signal);
  if (name === 'address.city') return (text, signal) => findCities(api, text, signal);
  if (!canLookUp(recordType, permissions)) return undefined;
  return (text, signal) => findRecords(api, recordType!, text, signal);
};

/** A record that is chosen by its name; the condition has its number. */
const RecordField = ({ attribute, label, value, describedBy, search, onChange }: FieldProps & { search: Search }) => {
  const { api } = useWorkspace();
  const { text, setText, setChosen } = useChosen(
    value,
    async (signal) => (await readRecords(api, attribute.recordType!, [value], signal))[0],
  );
  return (
    <Combobox
      {...{ label, text, describedBy, search }}
      onText={(typed) => {
        setText(typed);
        // A number is taken as it is typed.
        onChange(/^\d+$/.test(typed.trim()) ? typed.trim() : '');
      }}
      onChoose={(choice) => {
        setChosen(choice);
        setText(choice.label);
        onChange(choice.value);
      }}
    />
  );
};

const ValueField = (props: FieldProps) => {
  const t = useTexts();
  const { attribute, operator, label, value, describedBy, onChange, onEnter } = props;
  const { kind } = attribute;
  // Parts of texts are no names.
  const isPart = operator.name.includes('start') || operator.name.includes('contains');
  const found = useSearch(attribute);
  const search = isPart ? undefined : found;
  const choices: Choices | undefined =
    kind === 'GENDER'
      ? Object.entries(t.genders)
      : kind === 'VALIDITY'
        ? Object.entries(t.validities)
        : kind === 'FLAG'
          ? [
              ['true', t.yes],
              ['false', t.no],
            ]
          : kind === 'AGE_CATEGORY'
            ? [0, 1, 2, 3, 4, 5, 6].map((one) => [`${one}`, t.ageCategory(one)])
            : undefined;
  if (choices) return <Select {...{ label, value, describedBy, onChange }} choices={[['', ''], ...choices]} />;
  if ((kind === 'DAY' || kind === 'INSTANT') && operator.name !== 'period')
    return <DateEditor {...{ label, value, describedBy, onChange }} />;
  if (search && kind === 'ID' && !onEnter) return <RecordField {...props} search={search} />;
  if (search && kind !== 'ID')
    return (
      <Combobox
        {...{ label, describedBy, search }}
        text={value}
        onText={onChange}
        onChoose={(choice) => onChange(choice.value)}
        onEnter={onEnter}
      />
    );
  const hint = operator.name === 'period' ? t.partOfYear : t.hints[kind];
  const isNumber = kind === 'WHOLE' || kind === 'YEAR' || kind === 'ID';
  return (
    <span class="unit">
      <input
        type="text"
        inputMode={isNumber ? 'numeric' : kind === 'CENTS' ? 'decimal' : 'text'}
        class={isNumber || kind === 'CENTS' ? 'short' : undefined}
        aria-label={label}
        {...markFault(describedBy)}
        placeholder={hint}
        autocomplete="off"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !onEnter) return;
          event.preventDefault();
          onEnter();
        }}
      />
      {kind === 'CENTS' && <span aria-hidden="true">{t.currency}</span>}
    </span>
  );
};

/** The names of records by their numbers, as far as they are known. */
const useRecordNames = ({ kind, recordType }: Attribute, ids: readonly string[]): ReadonlyMap<string, string> => {
  const { api, permissions } = useWorkspace();
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  // The server refuses the whole list when one of them is not a number.
  const unknown = ids.filter((id) => /^\d{1,15}$/.test(id) && !names.has(id));
  const wanted = kind === 'ID' && canLookUp(recordType, permissions) ? unknown.slice(0, 100).join(' ') : '';
  useEffect(() => {
    if (wanted === '') return;
    const controller = new AbortController();
    const asked = wanted.split(' ');
    readRecords(api, recordType!, asked, controller.signal).then(
      (found) => setNames((old) => new Map([...old, ...asked.map((id, at) => [id, found[at]?.label ?? id] as const)])),
      () => undefined,
    );
    return () => controller.abort();
  }, [api, recordType, wanted]);
  return names;
};

/** Several values: each is taken with Enter, or chosen, or when the field is left. A part of a name of a record is no value then, and stays in the field. */
const ListField = ({ condition, onChange, ...props }: EditorProps) => {
  const t = useTexts();
  const [text, setText] = useState('');
  const { list } = condition;
  const names = useRecordNames(props.attribute, list);
  const add = (value: string): void => {
    const added = value.trim();
    setText('');
    if (added && !list.includes(added)) onChange({ list: [...list, added] });
  };
  const search = useSearch(props.attribute);
  return (
    <div
      class="values"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const isValue = props.attribute.kind !== 'ID' || /^\d+$/.test(text.trim());
        if (isValue && !currentTarget.contains(relatedTarget as Node | null)) add(text);
      }}
    >
      {list.length > 0 && (
        <ul class="chips" aria-label={t.value}>
          {list.map((one) => (
            <li key={one}>
              <span>{names.get(one) ?? one}</span>
              <Button
                text="×"
                aria-label={t.removeValue(names.get(one) ?? one)}
                onClick={() => onChange({ list: list.filter((other) => other !== one) })}
              />
            </li>
          ))}
        </ul>
      )}
      {search ? (
        <Combobox
          {...{ text, search }}
          label={t.value}
          describedBy={props.describedBy}
          placeholder={t.listHint}
          onText={setText}
          onChoose={({ value }) => add(value)}
          onEnter={() => add(text)}
        />
      ) : (
        <ValueField {...props} label={t.value} value={text} onChange={setText} onEnter={() => add(text)} />
      )}
    </div>
  );
};

/** A circle, by what its centre is told and how many kilometres it reaches. */
const CircleField = ({ condition, describedBy, onChange }: EditorProps) => {
  const t = useTexts();
  const { centre } = condition;
  const describe = (label: string) => ({ 'aria-label': label, ...markFault(describedBy) });
  return (
    <span class="range">
      <input
        type="text"
        inputMode="decimal"
        class="distance"
        {...describe(t.distance)}
        value={condition.km}
        onInput={({ currentTarget }) => onChange({ km: currentTarget.value })}
      />
      <span aria-hidden="true">{t.around}</span>
      <Select
        {...{ describedBy }}
        label={t.centre}
        value={centre}
        choices={centreKinds.map((one) => [one, t.centres[one]])}
        onChange={(chosen) => onChange({ centre: chosen, value: '' })}
      />
      <input
        type="text"
        class="centre"
        {...describe(t.centres[centre])}
        placeholder={centre === 'point' ? '48.8566, 2.3522' : undefined}
        autocomplete="off"
        value={condition.value}
        onInput={({ currentTarget }) => onChange({ value: currentTarget.value })}
      />
    </span>
  );
};

export const ValueEditor = (props: EditorProps) => {
  const t = useTexts();
  const { condition, operator, onChange } = props;
  if (operator.takes === 'NOTHING' || operator.takes === 'CONDITIONS') return null;
  if (props.attribute.kind === 'CIRCLE') return <CircleField {...props} />;
  if (props.attribute.kind === 'AREA') return <span class="quiet">{t.area}</span>;
  if (operator.takes === 'LIST') return <ListField {...props} />;
  if (operator.takes === 'VALUE')
    return <ValueField {...props} label={t.value} value={condition.value} onChange={(value) => onChange({ value })} />;
  return (
    <span class="range">
      <ValueField {...props} label={t.from} value={condition.from} onChange={(from) => onChange({ from })} />
      <span aria-hidden="true">{t.and}</span>
      <ValueField {...props} label={t.to} value={condition.to} onChange={(to) => onChange({ to })} />
    </span>
  );
};
