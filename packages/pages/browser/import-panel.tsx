// The panel of an import: a file that is dropped on the page or chosen, its columns, what would happen, the job, and its result.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiProblem, beginPolling, convertToProblem, mayPass } from './api.ts';
import {
  beginImport,
  cancelImport,
  type FileFault,
  type FileImport,
  forgetFile,
  type Inspection,
  inspectFile,
  type Options,
  readImport,
  readRejects,
  sendFile,
  type Trial,
  tryImport,
  undoImport,
} from './contact-file.ts';
import {
  Alert,
  Button,
  type Choices,
  Labelled,
  Progress,
  Select,
  Sentence,
  Status,
  useStepFocus,
} from './controls.tsx';
import { explainFault, groupFields, importTexts, speakProblem } from './import-texts.ts';
import { ProblemText } from './problem-text.tsx';
import { download } from './segments-bar.tsx';
import { keepImportId, readImportId } from './session.ts';
import { useLanguage, useTexts } from './texts.ts';
import { useWorkspace } from './workspace.ts';

type Step =
  | { at: 'closed' }
  | { at: 'sending'; name: string }
  | { at: 'map'; inspection: Inspection }
  | { at: 'trial'; inspection: Inspection; trial: Trial; options: Options }
  | { at: 'job'; job: FileImport }
  | { at: 'undone'; deleted: number; restored: number; left: number };

/** The order of day and month where the reader is. */
const findUsualOrder = (language: string): Options['days'] => {
  const parts = new Intl.DateTimeFormat(navigator.language.startsWith(language) ? navigator.language : language)
    .formatToParts()
    .map(({ type }) => type[0])
    .filter((letter) => 'dmy'.includes(letter!))
    .join('');
  return parts === 'mdy' || parts === 'ymd' ? parts : 'dmy';
};

/** Faults that are shown; the refused rows have all of theirs. */
const shownFaults = 20;
/** Values of a column that are shown. */
const shownValues = 3;

const countries = ['FR', 'BE', 'CH', 'LU', 'CA', 'DE', 'AT', 'GB', 'IE', 'ES', 'IT', 'PT', 'NL', 'US'];

const isMissing = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'not-found';

const bringsFile = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;

/** Tells of files that are dropped anywhere on the page, which the browser would open otherwise, and whether one is above it. */
const useDroppedFiles = (take: (files: FileList) => void): boolean => {
  const [isAbove, setAbove] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onDrag = (event: DragEvent): void => {
      if (!bringsFile(event)) return;
      event.preventDefault();
      setAbove(true);
    };
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setAbove(false);
    };
    const onDrop = (event: DragEvent): void => {
      if (!bringsFile(event)) return;
      event.preventDefault();
      setAbove(false);
      if (event.dataTransfer!.files.length > 0) latest.current(event.dataTransfer!.files);
    };
    const controller = new AbortController();
    addEventListener('dragover', onDrag, controller);
    addEventListener('dragleave', onLeave, controller);
    addEventListener('drop', onDrop, controller);
    return () => controller.abort();
  }, []);
  return isAbove;
};

export const ImportPanel = ({ refresh }: { refresh(): void }) => {
  const { api } = useWorkspace();
  const [t, language] = [useTexts(), useLanguage()];
  const own = importTexts[language];
  const chooser = useRef<HTMLInputElement>(null);
  const [last, setStep] = useState<Step>({ at: 'closed' });
  const [file, setFile] = useState<Pick<FileImport, 'id' | 'name'>>();
  const [options, setOptions] = useState<Options>({ mode: 'upsert', days: findUsualOrder(language), skipCells: false });
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  // A trial says nothing of what was chosen before its answer came.
  const isOutdated = last.at === 'trial' && last.options !== options;
  const step: Step = isOutdated ? { at: 'map', inspection: last.inspection } : last;
  const running = step.at === 'job' && step.job.state === 'running' ? step.job.id : undefined;
  const { heading, opener, wasShown } = useStepFocus([step.at, running, isBusy]);

  useEffect(() => {
    const id = readImportId();
    if (id === undefined) return;
    const goOn = (job: FileImport): boolean => {
      // Another file may have been chosen meanwhile.
      if (readImportId() !== id || job.state === 'waiting' || job.state === 'undone') return true;
      // A page that was loaded again leaves the focus where it is.
      wasShown.current = false;
      setFile(job);
      setStep((old) => (old.at === 'closed' ? { at: 'job', job } : old));
      return true;
    };
    return beginPolling(() => readImport(api, id).then(goOn, (error) => !mayPass(error)));
  }, [api]);

  useEffect(() => {
    if (running === undefined) return;
    return beginPolling(async (signal) => {
      // An attempt that failed is repeated with the next one.
      const job = await readImport(api, running).catch((error: unknown) => (isMissing(error) ? null : undefined));
      if (job === undefined || signal.aborted) return false;
      // Somebody has been erased, or a day is over.
      if (job === null) setStep({ at: 'closed' });
      else setStep((old) => (old.at === 'job' && old.job.state === 'running' ? { at: 'job', job } : old));
      if (job?.state === 'running') return false;
      if (job) refresh();
      return true;
    });
  }, [api, running]);

  const run = async (work: () => Promise<Step>, otherwise?: Step): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      setStep(await work());
    } catch (error) {
      setProblem(speakProblem(convertToProblem(error)));
      if (otherwise) setStep(otherwise);
    }
    setBusy(false);
  };
  /** Deletes the file. The next step is its import instead when that has begun, though the answer was lost. */
  const forget = async (): Promise<Step> => {
    if (file && readImportId() === file.id && (step.at === 'map' || step.at === 'trial')) {
      const job = await readImport(api, file.id).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
      if (job && job.state !== 'waiting') return { at: 'job', job };
    }
    if (file) forgetFile(api, file.id);
    keepImportId(undefined);
    setFile(undefined);
    return { at: 'closed' };
  };
  const take = (files: FileList): void => {
    const [chosen, second] = files;
    if (!chosen || isBusy || running !== undefined) return;
    if (second) {
      setProblem(new ApiProblem('several-files', own.oneFile));
      return;
    }
    setStep({ at: 'sending', name: chosen.name });
    // The columns of another file mean something else.
    const { map: _, ...kept } = options;
    setOptions(kept);
    void run(
      async () => {
        const left = await forget();
        if (left.at === 'job') return left;
        const sent = await sendFile(api, chosen);
        setFile(sent);
        return { at: 'map', inspection: await inspectFile(api, sent.id, kept) };
      },
      { at: 'closed' },
    );
  };
  const close = (): void => void run(forget);
  const begin = (id: number) =>
    run(async () => {
      keepImportId(id);
      return { at: 'job', job: await beginImport(api, id, options) };
    });
  const undo = (id: number) =>
    run(async () => {
      const counts = await undoImport(api, id);
      refresh();
      return { at: 'undone', ...counts };
    });
  const tryOut = (id: number, inspection: Inspection) =>
    run(async () => ({ at: 'trial', inspection, trial: await tryImport(api, id, options), options }));
  const cancel = (id: number) =>
    run(async () => {
      const job = await cancelImport(api, id);
      refresh();
      return { at: 'job', job };
    });
  const saveRejects = async (job: FileImport): Promise<void> => {
    setProblem(undefined);
    const explain = (fault: FileFault): string =>
      `${fault.location === 'row' ? own.wholeRow : fault.location}${t.colon}${explainFault(fault, language).text}`;
    try {
      const rejects = await readRejects(api, job.id, own.rejectsHeading, explain);
      download(rejects, own.rejectsName(job.name.replace(/\.gz$/i, '')));
    } catch (error) {
      setProblem(convertToProblem(error));
    }
  };
  const isAbove = useDroppedFiles(take);
  const button = (text: string, press: () => void, kind = '') => (
    <Button text={text} class={kind} disabled={isBusy} onClick={press} />
  );

  const fault = problem && (
    <Alert>
      {problem.code === 'several-files' ? (
        problem.message
      ) : problem.code === 'not-found' ? (
        own.gone
      ) : problem.code === 'unreadable' ? (
        own.unreadable
      ) : (
        <ProblemText {...{ problem }} />
      )}
    </Alert>
  );
  const choose = (
    <input
      ref={chooser}
      type="file"
      hidden
      accept=".csv,.txt,.tsv,.gz,.xlsx,.xls,text/csv"
      aria-label={own.open}
      onChange={({ currentTarget }) => {
        if (currentTarget.files?.length) take(currentTarget.files);
        currentTarget.value = '';
      }}
    />
  );
  const veil = isAbove && running === undefined && <p class="drop">{own.drop}</p>;
  if (step.at === 'closed')
    return (
      <div class="import-opener">
        {choose}
        {veil}
        <button type="button" class="opener" ref={opener} onClick={() => chooser.current!.click()}>
          {own.open}
        </button>
        {fault}
      </div>
    );
  return (
    <section class="card change import" aria-labelledby="import" aria-busy={isBusy}>
      {choose}
      {veil}
      <h2 id="import" tabIndex={-1} ref={heading}>
        <Sentence say={own.title} name={step.at === 'sending' ? step.name : (file?.name ?? '')} />
      </h2>
      {step.at === 'sending' && <p role="status">{own.sending}</p>}
      {step.at === 'map' && (
        <form
          class="import-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy) void tryOut(file!.id, step.inspection);
          }}
        >
          <p>
            {own.rows(step.inspection.rows)} {own.hint}
          </p>
          <ColumnTable
            inspection={step.inspection}
            {...{ options }}
            onChange={(map) => setOptions({ ...options, map })}
          />
          <OptionFields {...{ options }} onChange={(more) => setOptions({ ...options, ...more })} />
          <div class="actions">
            <Button text={own.try} type="submit" class="primary" disabled={isBusy} />
            {button(t.cancel, close)}
          </div>
        </form>
      )}
      {step.at === 'trial' && (
        <>
          <p role="status">{own.tried(step.trial)}</p>
          <FaultTable title={own.faults} faults={step.trial.faults} />
          <FaultTable title={own.remarks} faults={step.trial.remarks} />
          {step.trial.faults.length === 0 && <p class="quiet">{own.noFaults}</p>}
          <div class="actions">
            {button(own.import(step.trial.rows), () => void begin(file!.id), 'primary')}
            {button(t.back, () => setStep({ at: 'map', inspection: step.inspection }))}
            {button(t.cancel, close)}
          </div>
        </>
      )}
      {step.at === 'job' && <JobState job={step.job} />}
      {step.at === 'job' &&
        (step.job.state === 'running' ? (
          <div class="actions">{button(t.stopChange, () => void cancel(step.job.id))}</div>
        ) : (
          <div class="actions">
            {step.job.refused > 0 && button(own.rejects, () => void saveRejects(step.job))}
            {step.job.created + step.job.updated > 0 && button(own.undo, () => void undo(step.job.id))}
            {button(t.close, close)}
          </div>
        ))}
      {step.at === 'undone' && (
        <>
          <p role="status">{own.undone(step)}</p>
          <div class="actions">{button(t.close, close)}</div>
        </>
      )}
      {isBusy && step.at !== 'sending' && <Status>{t.working}</Status>}
      {fault}
    </section>
  );
};

interface ColumnTableProps {
  inspection: Inspection;
  options: Options;
  onChange(map: Record<string, string>): void;
}

const Heads = ({ names }: { names: readonly string[] }) => (
  <thead>
    <tr>
      {names.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

/** The columns of the file with their first values, and what each becomes. */
const ColumnTable = ({ inspection: { columns, fields }, options, onChange }: ColumnTableProps) => {
  const language = useLanguage();
  const own = importTexts[language];
  const map = options.map ?? Object.fromEntries(columns.map(({ name, field }) => [name, field ?? '-']));
  const groups = groupFields(fields, language);
  return (
    <table class="import-table">
      <Heads names={[own.column, own.values, own.becomes]} />
      <tbody>
        {columns.map(({ name, values }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="quiet">{values.filter(Boolean).slice(0, shownValues).join(' · ')}</td>
            <td>
              <select
                aria-label={own.becomesOf(name)}
                value={map[name] ?? '-'}
                onChange={({ currentTarget }) => onChange({ ...map, [name]: currentTarget.value })}
              >
                <option value="-">{own.leftOut}</option>
                {groups.map(([group, some]) => (
                  <optgroup key={group} label={group}>
                    {some.map(([field, label]) => (
                      <option key={field} value={field}>
                        {label}
                      </option>
                    ))}
                  </optgroup>
                ))}
              </select>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const OptionFields = ({ options, onChange }: { options: Options; onChange(more: Partial<Options>): void }) => {
  const language = useLanguage();
  const own = importTexts[language];
  const names = new Intl.DisplayNames(language, { type: 'region' });
  const choose = (label: string, value: string, choices: Choices, set: (value: string) => void) => (
    <Labelled label={label}>
      <Select {...{ value, choices }} onChange={set} />
    </Labelled>
  );
  const check = (label: string, isOn: boolean, set: (isOn: boolean) => void) => (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => set(currentTarget.checked)} />
      {label}
    </label>
  );
  const { mode, days, country = '', skipCells, dates } = options;
  return (
    <div class="import-options">
      {choose(own.mode, mode, Object.entries(own.modes), (value) => onChange({ mode: value as Options['mode'] }))}
      {choose(own.days, days, Object.entries(own.orders), (value) => onChange({ days: value as Options['days'] }))}
      {choose(
        own.country,
        country,
        [['', own.usualCountry], ...countries.map((code): [string, string] => [code, names.of(code) ?? code])],
        (value) => onChange({ country: value || undefined }),
      )}
      {check(own.excel, dates === 'excel', (isOn) => onChange({ dates: isOn ? 'excel' : undefined }))}
      {check(own.skipCells, skipCells, (isOn) => onChange({ skipCells: isOn }))}
    </div>
  );
};

const FaultTable = ({ title, faults }: { title: string; faults: FileFault[] }) => {
  const language = useLanguage();
  const own = importTexts[language];
  if (faults.length === 0) return null;
  return (
    <>
      <table class="import-table">
        <caption>{title}</caption>
        <Heads names={[own.line, own.cell, own.fault]} />
        <tbody>
          {faults.slice(0, shownFaults).map((fault, index) => {
            const { text, isForeign } = explainFault(fault, language);
            return (
              <tr key={`${fault.line}/${index}`}>
                <th scope="row" data-line={own.line}>
                  {fault.line}
                </th>
                <td>
                  {fault.location === 'row' ? own.wholeRow : fault.location}
                  {typeof fault.value === 'string' && <q>{fault.value}</q>}
                </td>
                <td lang={isForeign ? 'en' : undefined}>{text}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {faults.length > shownFaults && <p class="quiet">{own.more}</p>}
    </>
  );
};

const JobState = ({ job }: { job: FileImport }) => {
  const own = importTexts[useLanguage()];
  const { rows, created, updated, unchanged, refused, state } = job;
  const done = created + updated + unchanged + refused;
  if (state === 'running')
    return <Progress label={own.title(job.name)} text={own.progress(done, rows)} done={done} total={rows} />;
  return (
    <>
      <p role="status">{(state === 'cancelled' ? own.cancelled : own.done)(job)}</p>
      {state === 'failed' && <Alert>{own.failed}</Alert>}
      {refused > 0 && <p class="quiet">{own.rejectsHint}</p>}
    </>
  );
};
