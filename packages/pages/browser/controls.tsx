// Controls that several parts of the page share: buttons, choices, the marks of a faulty field, notices, the focus of a step, and the progress of a job.
import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useTexts } from './texts.ts';

type ButtonProps = Omit<ComponentProps<'button'>, 'children' | 'ref'> & { text: ComponentChildren };

export const Button = ({ text, ...more }: ButtonProps) => (
  <button type="button" {...more}>
    {text}
  </button>
);

/** The attributes of a field that is faulty: `describedBy` names the element that says why. */
export const markFault = (describedBy: string | undefined) => ({
  'aria-invalid': describedBy ? true : undefined,
  'aria-describedby': describedBy,
});

export type Choices<Value extends string = string> = readonly (readonly [value: Value, text: string])[];

interface SelectProps<Value extends string> {
  label?: string;
  value: string;
  choices: Choices<Value>;
  describedBy?: string | undefined;
  onChange(value: Value): void;
  onKeyDown?(event: KeyboardEvent): void;
}

export const Select = <Value extends string>({
  label,
  choices,
  describedBy,
  onChange,
  ...more
}: SelectProps<Value>) => (
  <select
    aria-label={label}
    {...more}
    onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
    {...markFault(describedBy)}
  >
    {choices.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
);

export const Labelled = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
  <label>
    {label}
    {children}
  </label>
);

/** A sentence with a name of the space, whose direction is that of its own script. */
export const Sentence = ({ say, name }: { say(name: string): string; name: string }) => {
  const [before, after] = say('\n').split('\n');
  return (
    <>
      {before}
      <bdi>{name}</bdi>
      {after}
    </>
  );
};

/** Says what went wrong. */
export const Alert = ({ children }: { children: ComponentChildren }) => (
  <p class="notice" role="alert">
    {children}
  </p>
);

/** Says what goes on. */
export const Status = ({ children }: { children: ComponentChildren }) => (
  <p class="quiet" role="status">
    {children}
  </p>
);

/** A notice of what went wrong, with a button that tries it again, unless the page does so by itself. */
export const Notice = ({ children, retry }: { children: ComponentChildren; retry: (() => void) | undefined }) => {
  const t = useTexts();
  const tryAgain = (event: MouseEvent): void => {
    // The button disappears with the notice, so the focus moves to the part of the page around it.
    const around = (event.currentTarget as HTMLElement).closest<HTMLElement>('section, dialog');
    around?.setAttribute('tabindex', '-1');
    around?.focus();
    retry!();
  };
  return (
    <div class="notice" role="alert">
      <p>{children}</p>
      {retry && <Button text={t.tryAgain} onClick={tryAgain} />}
    </div>
  );
};

/**
 * The heading of a panel of steps and the button that opens it. A step takes the focus when the element that had it is gone, and from nobody who works
 * elsewhere on the page; nor when `wasShown` was set to false before.
 */
export const useStepFocus = (step: readonly unknown[]) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const wasShown = useRef(false);
  useEffect(() => {
    if (wasShown.current && document.activeElement === document.body) (heading.current ?? opener.current)?.focus();
    wasShown.current = true;
  }, step);
  return { heading, opener, wasShown };
};

/** How far a job is. */
export const Progress = (props: { label: string; text: string; done: number; total: number }) => (
  <>
    <progress aria-label={props.label} max={props.total} value={props.done} />
    <p>{props.text}</p>
    {/* Each tenth is said aloud, and not each second. */}
    <p class="sr-only" role="status">
      {`${10 * Math.floor((10 * props.done) / Math.max(props.total, 1))} %`}
    </p>
  </>
);
