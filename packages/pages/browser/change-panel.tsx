// Changing those who are ticked, or everybody in the segment: the choice of a change, what it would do, its progress, its result, and its undoing.
import { useEffect, useState } from 'preact/hooks';
import { ApiProblem, beginPolling, convertToProblem, mayPass } from './api.ts';
import { Combobox } from './combobox.tsx';
import {
  beginChange,
  type Change,
  cancelChange,
  changeKinds,
  createKey,
  type Job,
  listDeletedContacts,
  type Preview,
  previewChange,
  readChange,
  settableFields,
  type Target,
  undoChange,
  type Wish,
  writeChange,
} from './contact-change.ts';
import { Alert, Button, type Choices, Labelled, Progress, Select, Status, useStepFocus } from './controls.tsx';
import { type Choice, findCities, findForms, findTags } from './lookups.ts';
import { Faults, ProblemText } from './problem-text.tsx';
import { keepChangeId, readChangeId } from './session.ts';
import { useTexts } from './texts.ts';
import { useFieldLabel, useWorkspace } from './workspace.ts';

type Step =
  | { at: 'closed' | 'form' }
  /** The key is sent with every attempt to begin the change. */
  | { at: 'preview'; preview: Preview; change: Change; key: string; countWas: number | undefined }
  | { at: 'job'; job: Job }
  | { at: 'undone'; restored: number; left: number };

interface ChangePanelProps {
  /** Undefined when nobody may be changed. */
  target: Target | undefined;
  /** How many people that is. */
  total: number;
  /** Counts the segment and reads its people again. */
  refresh(): void;
  /** Unticks contacts that are not there any more. */
  untick(ids: string[]): void;
}

const noWish: Wish = { kind: 'addTag', text: '', field: settableFields[0], form: undefined, option: '', reason: '' };

export const ChangePanel = ({ target, total, refresh, untick }: ChangePanelProps) => {
  const t = useTexts();
  const { api } = useWorkspace();
  const [wish, setWish] = useState(noWish);
  const [last, setStep] = useState<Step>({ at: 'closed' });
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const [gone, setGone] = useState<string[]>([]);
  const change = writeChange(wish);
  const name = wish.reason.trim() || undefined;
  const wanted: Change | undefined = change !== undefined && target ? { of: target, change, name } : undefined;
  // A preview of others, or of another change that was chosen before the answer came, says nothing of this one.
  const isOutdated = last.at === 'preview' && JSON.stringify(last.change) !== JSON.stringify(wanted);
  const step: Step = isOutdated ? { at: 'form' } : last;
  const running = step.at === 'job' && step.job.state === 'RUNNING' ? step.job.id : undefined;

  const { heading, opener, wasShown } = useStepFocus([step.at, running, isBusy, last.at === 'preview' && last.key]);

  useEffect(() => {
    const id = readChangeId();
    if (id === undefined) return;
    const goOn = (job: Job): boolean => {
      if (job.state === 'UNDONE') return true;
      // A page that was loaded again leaves the focus where it is.
      wasShown.current = false;
      setStep((old) => (old.at === 'closed' ? { at: 'job', job } : old));
      return true;
    };
    return beginPolling(() => readChange(api, id).then(goOn, (error) => !mayPass(error)));
  }, [api]);

  useEffect(() => {
    if (running === undefined) return;
    return beginPolling(async (signal) => {
      // An attempt that failed is repeated with the next one.
      const job = await readChange(api, running).catch(() => undefined);
      if (!job || signal.aborted) return false;
      setStep((old) => (old.at === 'job' && old.job.state === 'RUNNING' ? { at: 'job', job } : old));
      if (job.state === 'RUNNING') return false;
      refresh();
      return true;
    });
  }, [api, running]);

  const run = async (work: () => Promise<Step>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      setStep(await work());
    } catch (error) {
      const found = convertToProblem(error);
      const missing = target ? listDeletedContacts(found, target) : [];
      setProblem(found);
      setGone(missing);
      if (missing.length > 0) untick(missing);
    }
    setBusy(false);
  };
  const look = async (of: Change, countWas?: number): Promise<Step> => ({
    at: 'preview',
    preview: await previewChange(api, of),
    change: of,
    key: createKey(),
    countWas,
  });
  const begin = ({ change: of, preview, key }: Step & { at: 'preview' }) =>
    run(async () => {
      try {
        const job = await beginChange(api, of, preview.total, key);
        keepChangeId(job.id);
        if (job.state !== 'RUNNING') refresh();
        return { at: 'job', job };
      } catch (error) {
        if (!(error instanceof ApiProblem && error.faults[0]?.location === 'input.expectedCount')) throw error;
        refresh();
        return look(of, preview.total);
      }
    });
  const stop = (id: string) =>
    run(async () => {
      const job = await cancelChange(api, id);
      refresh();
      return { at: 'job', job };
    });
  const undo = (id: string) =>
    run(async () => {
      const counts = await undoChange(api, id);
      refresh();
      return { at: 'undone', ...counts };
    });
  const leave = (): void => {
    keepChangeId(undefined);
    setProblem(undefined);
    setStep({ at: 'closed' });
  };
  const leaveButton = (text: string) => <Button text={text} disabled={isBusy} onClick={leave} />;

  if (!target && (step.at === 'closed' || step.at === 'form')) return null;
  const title = target && 'ids' in target ? t.changePicked(total) : t.changeContacts;
  if (step.at === 'closed')
    return total > 0 ? (
      <button type="button" class="opener" ref={opener} onClick={() => setStep({ at: 'form' })}>
        {title}
      </button>
    ) : null;
  return (
    <section class="card change" aria-labelledby="change" aria-busy={isBusy}>
      <h2 id="change" tabIndex={-1} ref={heading}>
        {step.at === 'form' || step.at === 'preview' ? title : t.changeContacts}
      </h2>
      {step.at === 'form' && (
        <form
          class="inline-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (wanted && !isBusy) run(() => look(wanted));
          }}
        >
          <WishFields {...{ wish }} onChange={(more) => setWish((old) => ({ ...old, ...more }))} />
          <Button text={t.previewChange} type="submit" class="primary" disabled={isBusy || !change} />
          {leaveButton(t.cancel)}
        </form>
      )}
      {step.at === 'preview' && (
        <>
          {step.countWas !== undefined && <Alert>{t.countChanged(step.countWas, step.preview.total)}</Alert>}
          <p>{t.wouldChange(step.preview)}</p>
          <Faults faults={step.preview.faults.map(({ message }) => message)} />
          <Examples examples={step.preview.examples} />
          <div class="actions">
            <Button
              text={(wish.kind === 'delete' ? t.deleteNow : t.changeNow)(step.preview.total)}
              class={wish.kind === 'delete' ? 'danger' : 'primary'}
              disabled={isBusy || step.preview.total === 0}
              onClick={() => begin(step)}
            />
            <Button text={t.back} disabled={isBusy} onClick={() => setStep({ at: 'form' })} />
          </div>
        </>
      )}
      {step.at === 'job' && <JobState job={step.job} />}
      {step.at === 'job' && (
        <div class="actions">
          {step.job.state === 'RUNNING' ? (
            <Button text={t.stopChange} disabled={isBusy} onClick={() => stop(step.job.id)} />
          ) : (
            <>
              {step.job.changed > 0 && <Button text={t.undo} disabled={isBusy} onClick={() => undo(step.job.id)} />}
              {leaveButton(t.close)}
            </>
          )}
        </div>
      )}
      {step.at === 'undone' && (
        <>
          <p role="status">{t.undone(step)}</p>
          <div class="actions">{leaveButton(t.close)}</div>
        </>
      )}
      {isBusy && <Status>{t.working}</Status>}
      {problem && <Alert>{gone.length > 0 ? t.pickedGone(gone.length) : <ProblemText {...{ problem }} />}</Alert>}
    </section>
  );
};

const WishFields = ({ wish, onChange }: { wish: Wish; onChange(more: Partial<Wish>): void }) => {
  const t = useTexts();
  const { api } = useWorkspace();
  const labelField = useFieldLabel();
  const [formText, setFormText] = useState(wish.form?.label ?? '');
  const { kind, text, field, form, option, reason } = wish;
  const isConsent = kind === 'optOut' || kind === 'optIn';
  const choose = (label: string, value: string, choices: Choices, set: (value: string) => void) => (
    <Labelled label={label}>
      <Select {...{ label, value, choices }} onChange={set} />
    </Labelled>
  );
  const type = (label: string, value: string, set: (value: string) => void, isRequired = true) => (
    <Labelled label={label}>
      <input
        type="text"
        aria-label={label}
        autocomplete="off"
        maxLength={255}
        required={isRequired}
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </Labelled>
  );
  const complete = (label: string, search: (text: string, signal: AbortSignal) => Promise<Choice[]>) => (
    <Labelled label={label}>
      <Combobox
        {...{ label, text, search }}
        onText={(typed) => onChange({ text: typed })}
        onChoose={({ value }) => onChange({ text: value })}
      />
    </Labelled>
  );
  const setText = (value: string): void => onChange({ text: value });
  return (
    <>
      {choose(
        t.changeKind,
        kind,
        changeKinds.map((one) => [one, t.changeKinds[one]]),
        (value) => onChange({ kind: value as Wish['kind'], text: '' }),
      )}
      {(kind === 'addTag' || kind === 'removeTag') && complete(t.tag, (typed, signal) => findTags(api, typed, signal))}
      {(kind === 'set' || kind === 'clear') &&
        choose(
          t.field,
          field,
          settableFields.map((one) => [one, labelField(one)]),
          (value) => onChange({ field: value, text: '' }),
        )}
      {kind === 'set' &&
        (field === 'gender'
          ? choose(t.value, text, [['', ''], ...Object.entries(t.genders)], setText)
          : field === 'address.city'
            ? complete(t.value, (typed, signal) => findCities(api, typed, signal))
            : type(t.value, text, setText))}
      {kind === 'answer' && (
        <Labelled label={t.form}>
          <Combobox
            label={t.form}
            text={formText}
            search={(typed, signal) => findForms(api, { text: typed }, signal)}
            onText={(typed) => {
              setFormText(typed);
              onChange({ form: undefined });
            }}
            onChoose={(chosen) => {
              setFormText(chosen.label);
              onChange({ form: chosen, option: chosen.options[0]?.value ?? '', text: '' });
            }}
          />
        </Labelled>
      )}
      {kind === 'answer' &&
        form &&
        (form.hasChoices
          ? choose(
              t.answer,
              option,
              form.options.map(({ value, label }) => [value, label]),
              (value) => onChange({ option: value }),
            )
          : type(t.answer, text, setText))}
      {type(isConsent ? t.reason : t.reasonIfAny, reason, (value) => onChange({ reason: value }), isConsent)}
    </>
  );
};

const Examples = ({ examples }: { examples: Preview['examples'] }) => {
  const t = useTexts();
  const labelField = useFieldLabel();
  const say = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(say).join(', ') || t.nothing;
    if (value === null || value === '') return t.nothing;
    if (typeof value === 'boolean') return value ? t.yes : t.no;
    return typeof value === 'object' ? say((value as { text: unknown }).text) : String(value);
  };
  return (
    <ul class="people" aria-label={t.firstPeople}>
      {examples.map(({ contactId, name, values }) => (
        <li key={contactId}>
          <bdi class="name">{name || <em>{t.nameless}</em>}</bdi>
          {values.map(({ field, before, after }) => (
            <span key={field}>
              {labelField(field)}
              {t.colon}
              <bdi>{say(JSON.parse(before))}</bdi> → <bdi>{say(JSON.parse(after))}</bdi>
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
};

const JobState = ({ job }: { job: Job }) => {
  const t = useTexts();
  const done = job.changed + job.unchanged + job.refused;
  if (job.state === 'RUNNING')
    return <Progress label={t.changeContacts} text={t.changeProgress(done, job.total)} done={done} total={job.total} />;
  return (
    <>
      <p role="status">{(job.state === 'CANCELLED' ? t.changeStopped : t.changeDone)(job)}</p>
      <Faults faults={job.faults.map(({ message }) => message)} />
    </>
  );
};
