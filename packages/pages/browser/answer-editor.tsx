// The editor of the form that a condition names, and of the options that must be answered.
import { useEffect, useState } from 'preact/hooks';
import { Combobox } from './combobox.tsx';
import { useGround } from './ground.ts';
import { type FormChoice, findForms, readForm } from './lookups.ts';
import { type Condition, formKinds } from './model.ts';
import { useTexts } from './texts.ts';

interface AnswerEditorProps {
  condition: Condition;
  /** Whether the options count: not beside an operator that asks whether there is an answer. */
  withOptions: boolean;
  describedBy: string | undefined;
  onChange(more: Partial<Condition>): void;
}

export const AnswerEditor = ({ condition, withOptions, describedBy, onChange }: AnswerEditorProps) => {
  const t = useTexts();
  const { api } = useGround();
  const [text, setText] = useState('');
  const [form, setForm] = useState<FormChoice>();
  const { form: id, options } = condition;
  const kinds = formKinds.get(condition.attribute);

  useEffect(() => {
    if (id === '' || form?.value === id) return;
    const controller = new AbortController();
    readForm(api, id, controller.signal)
      .catch(() => undefined)
      .then((found) => {
        if (controller.signal.aborted) return;
        setForm(found);
        setText(found?.label ?? id);
      });
    return () => controller.abort();
  }, [api, id, form]);

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
          setForm(choice as FormChoice);
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
