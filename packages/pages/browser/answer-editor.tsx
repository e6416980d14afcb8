// The editor of the form that a condition names, and of the options that must be answered.
import { Combobox, useChosen } from './combobox.tsx';
import { findForms, readForm } from './lookups.ts';
import { type Condition, formKinds } from './model.ts';
import { useTexts } from './texts.ts';
import { useWorkspace } from './workspace.ts';

interface AnswerEditorProps {
  condition: Condition;
  /** Whether the options count: not beside an operator that asks whether there is an answer. */
  withOptions: boolean;
  describedBy: string | undefined;
  onChange(more: Partial<Condition>): void;
}

export const AnswerEditor = ({ condition, withOptions, describedBy, onChange }: AnswerEditorProps) => {
  const t = useTexts();
  const { api } = useWorkspace();
  const { form: id, options } = condition;
  const { text, setText, chosen: form, setChosen } = useChosen(id, (signal) => readForm(api, id, signal));
  const kinds = formKinds.get(condition.attribute);

  const toggle = (option: string): void =>
    onChange({ options: options.includes(option) ? options.filter((one) => one !== option) : [...options, option] });

  return (
    <>
      <Combobox
        {...{ text, describedBy }}
        label={t.form}
        placeholder={t.form}
        search={(typed, signal) => findForms(api, { kinds, text: typed }, signal)}
        onText={(typed) => {
          setText(typed);
          onChange({ form: '', options: [] });
        }}
        onChoose={(choice) => {
          setChosen(choice);
          setText(choice.label);
          onChange({ form: choice.value, options: [] });
        }}
      />
      {withOptions && id !== '' && form && form.options.length > 0 && (
        <fieldset class="options">
          <legend>{t.options}</legend>
          {form.options.map(({ value, label }) => (
            <label key={value}>
              <input type="checkbox" checked={options.includes(value)} onChange={() => toggle(value)} /> {label}
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
};
