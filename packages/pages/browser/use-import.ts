// The import of a file by its steps: sent, its columns mapped, tried, imported by a job that is followed, and undone. A page that is loaded again goes on with its job.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Api, ApiProblem, beginPolling, convertToProblem } from './api.ts';
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
import { explainFault, importTexts, speakProblem } from './import-texts.ts';
import { download } from './segments-bar.tsx';
import { keepImportId, readImportId } from './session.ts';
import { useLanguage, useTexts } from './texts.ts';

type Step =
  | { at: 'closed' }
  | { at: 'sending'; name: string }
  | { at: 'map'; inspection: Inspection }
  | { at: 'trial'; inspection: Inspection; trial: Trial }
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

/** `refresh` is called when contacts have changed, `onResume` before a job of an earlier load is shown. */
export const useImport = (api: Api, callbacks: { refresh(): void; onResume(): void }) => {
  const [t, language] = [useTexts(), useLanguage()];
  const own = importTexts[language];
  const latest = useRef(callbacks);
  latest.current = callbacks;
  const [step, setStep] = useState<Step>({ at: 'closed' });
  const [file, setFile] = useState<Pick<FileImport, 'id' | 'name'>>();
  const [options, setOptions] = useState<Options>({ mode: 'upsert', days: findUsualOrder(language), skipCells: false });
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const running = step.at === 'job' && step.job.state === 'running' ? step.job.id : undefined;

  useEffect(() => {
    const id = readImportId();
    if (id === undefined) return;
    const goOn = (job: FileImport): void => {
      if (job.state === 'waiting' || job.state === 'undone') return;
      latest.current.onResume();
      setFile(job);
      setStep((old) => (old.at === 'closed' ? { at: 'job', job } : old));
    };
    readImport(api, id).then(goOn, () => undefined);
  }, [api]);

  useEffect(() => {
    if (running === undefined) return;
    return beginPolling(async (signal) => {
      // An attempt that failed is repeated with the next one.
      const job = await readImport(api, running).catch((error: unknown) =>
        error instanceof ApiProblem && error.code === 'not-found' ? null : undefined,
      );
      if (job === undefined || signal.aborted) return false;
      // Somebody has been erased, or a day is over.
      if (job === null) setStep({ at: 'closed' });
      else setStep((old) => (old.at === 'job' && old.job.state === 'running' ? { at: 'job', job } : old));
      if (job?.state === 'running') return false;
      if (job) latest.current.refresh();
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
  const forget = (): void => {
    if (file) forgetFile(api, file.id);
    keepImportId(undefined);
    setFile(undefined);
  };
  const take = (files: FileList): void => {
    const [chosen, second] = files;
    if (!chosen || isBusy || running !== undefined) return;
    if (second) {
      setProblem(new ApiProblem('several-files', own.oneFile));
      return;
    }
    forget();
    setStep({ at: 'sending', name: chosen.name });
    // The columns of another file mean something else.
    const { map: _, ...kept } = options;
    setOptions(kept);
    void run(
      async () => {
        const sent = await sendFile(api, chosen);
        setFile(sent);
        return { at: 'map', inspection: await inspectFile(api, sent.id, kept) };
      },
      { at: 'closed' },
    );
  };
  const close = (): void => {
    forget();
    setProblem(undefined);
    setStep({ at: 'closed' });
  };
  const begin = (id: number) =>
    run(async () => {
      keepImportId(id);
      return { at: 'job', job: await beginImport(api, id, options) };
    });
  const undo = (id: number) =>
    run(async () => {
      const counts = await undoImport(api, id);
      latest.current.refresh();
      return { at: 'undone', ...counts };
    });
  const tryOut = (id: number, inspection: Inspection) =>
    run(async () => ({ at: 'trial', inspection, trial: await tryImport(api, id, options) }));
  const cancel = (id: number) =>
    run(async () => {
      const job = await cancelImport(api, id);
      latest.current.refresh();
      return { at: 'job', job };
    });
  const saveRejects = async (job: FileImport): Promise<void> => {
    setProblem(undefined);
    const explain = (fault: Omit<FileFault, 'line'>): string =>
      `${fault.location === 'row' ? own.wholeRow : fault.location}${t.colon}${explainFault(fault, language).text}`;
    try {
      download(
        await readRejects(api, job.id, { heading: own.rejectsHeading, explain }),
        own.rejectsName(job.name.replace(/\.gz$/i, '')),
      );
    } catch (error) {
      setProblem(convertToProblem(error));
    }
  };
  return {
    step,
    showStep: setStep,
    file,
    options,
    setOptions,
    isBusy,
    problem,
    running,
    take,
    close,
    tryOut,
    begin,
    cancel,
    undo,
    saveRejects,
  };
};
