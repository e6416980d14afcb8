// A text field with completion, after the combobox pattern of the ARIA practices: arrows choose, Enter takes, Escape closes.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { markFault } from './controls.tsx';
import type { Choice } from './lookups.ts';
import { useTexts } from './texts.ts';

/** The text of a field in which a record is chosen, and the record; that of an id which a link has is read. */
export const useChosen = <One extends Choice>(id: string, read: (signal: AbortSignal) => Promise<One | undefined>) => {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<One>();
  useEffect(() => {
    // A number that is being typed stays: its name would take the place of the first digit.
    if (id === '' || chosen?.value === id || text.trim() === id) return;
    const controller = new AbortController();
    read(controller.signal)
      .catch(() => undefined)
      .then((found) => {
        if (controller.signal.aborted) return;
        setChosen(found);
        setText(found?.label ?? id);
      });
    return () => controller.abort();
  }, [id, chosen]);
  return { text, setText, chosen, setChosen };
};

interface ComboboxProps<One extends Choice> {
  label: string;
  text: string;
  /** Marks the field as faulty, and names the element that says why. */
  describedBy?: string | undefined;
  placeholder?: string;
  onText(text: string): void;
  onChoose(choice: One): void;
  /** Enter on a text for which nothing is chosen. */
  onEnter?(): void;
  search(text: string, signal: AbortSignal): Promise<One[]>;
}

const pause = 200;

export const Combobox = <One extends Choice>(props: ComboboxProps<One>) => {
  const { label, text, describedBy, placeholder, onText, onChoose, onEnter, search } = props;
  const t = useTexts();
  const id = useId();
  const [choices, setChoices] = useState<One[]>();
  const [active, setActive] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const latest = useRef(search);
  latest.current = search;

  useEffect(() => {
    if (!isOpen) return;
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      // Without an answer, the list does not say that nothing was found.
      const found = await latest.current(text, controller.signal).catch(() => undefined);
      if (controller.signal.aborted) return;
      setChoices(found);
      setActive(-1);
    }, pause);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, isOpen]);

  const close = (): void => {
    setOpen(false);
    setChoices(undefined);
    setActive(-1);
  };
  const choose = (choice: One): void => {
    close();
    onChoose(choice);
  };
  const move = (step: number): void => {
    setOpen(true);
    const all = choices?.length ?? 0;
    if (all > 0) setActive((old) => (old + step + all + (old < 0 && step < 0 ? 1 : 0)) % all);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const chosen = choices?.[active];
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'Enter' && chosen) choose(chosen);
    else if (event.key === 'Enter' && onEnter) {
      close();
      onEnter();
    } else return;
    event.preventDefault();
  };

  const isShown = isOpen && choices !== undefined && choices.length > 0;
  return (
    <div class="combobox">
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
        {...markFault(describedBy)}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget }) => {
          setOpen(true);
          onText(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      {/* biome-ignore-start lint/a11y/noNoninteractiveElementToInteractiveRole: the pattern of the ARIA practices */}
      {/* biome-ignore-start lint/a11y/useFocusableInteractive: the focus stays in the text field, which names the active option */}
      <ul id={`${id}-list`} role="listbox" aria-label={label} class="choices" hidden={!isShown}>
        {choices?.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field
          <li
            key={choice.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(choice)}
          >
            <span>{choice.label}</span>
            {choice.hint && <small class="quiet">{choice.hint}</small>}
          </li>
        ))}
      </ul>
      {/* biome-ignore-end lint/a11y/useFocusableInteractive: see above */}
      {/* biome-ignore-end lint/a11y/noNoninteractiveElementToInteractiveRole: see above */}
      <span class="sr-only" role="status">
        {isOpen && choices ? t.choices(choices.length) : ''}
      </span>
    </div>
  );
};
