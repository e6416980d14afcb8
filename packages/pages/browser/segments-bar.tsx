// The bar above the builder: which saved segment is open, opening another, saving, deleting, the link and the export.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiProblem, beginReading, convertToProblem } from './api.ts';
import type { TreeResult } from './contract-tree.ts';
import { Button, Select, Sentence, useStepFocus } from './controls.tsx';
import { ExportDialog, type ExportWish } from './export-dialog.tsx';
import type { WrittenQuery } from './graph-query.ts';
import { ProblemText } from './problem-text.tsx';
import {
  createSegment,
  deleteSegment,
  type Listed,
  listSegments,
  type Segment,
  updateSegment,
  writeSegmentTree,
} from './segments.ts';
import { showChoices } from './show-choices.ts';
import { type Texts, useLanguage, useTexts } from './texts.ts';
import { useWorkspace } from './workspace.ts';

interface SegmentsBarProps {
  query: WrittenQuery['query'];
  tree: TreeResult;
  /** The columns of the list of people, as files name them. */
  shown: string[];
  open: Segment | undefined;
  /** Whether the query is another one than that of the open segment. */
  isChanged: boolean;
  openById(id: string): void;
  /** Takes the segment that was saved, or undefined when it is gone, and the one that was open before. */
  onSaved(segment: Segment | undefined, before: Segment | undefined): void;
  /** Returns whether the browser let it. */
  copyLink(): Promise<boolean>;
  startAnew(): void;
}

const describe = (error: unknown, t: Texts): ComponentChildren => {
  const problem = convertToProblem(error);
  if (problem.code === 'precondition-failed') return t.outdated;
  if (problem.code === 'not-exportable' || problem.code === 'not-copied') return problem.message;
  return <ProblemText {...{ problem }} />;
};

export const download = (file: Blob, name: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

export const SegmentsBar = (props: SegmentsBarProps) => {
  const { query, tree, shown, open, isChanged, openById, onSaved, copyLink, startAnew } = props;
  const { api, permissions } = useWorkspace();
  const [t, language] = [useTexts(), useLanguage()];
  const [{ list }, setMenu] = useState<{ list: Listed[]; problem?: ApiProblem | undefined }>({ list: [] });
  /** A segment is one that is to be deleted: another one may be opened meanwhile. */
  const [form, setForm] = useState<'save' | Segment>();
  const [message, setMessage] = useState<{ text: ComponentChildren; isFault: boolean }>();
  const [isBusy, setBusy] = useState(false);
  const [wish, setWish] = useState<ExportWish>();
  const [isChoosing, setChoosing] = useState(false);
  const canWrite = permissions.includes('segments.write');
  const { heading } = useStepFocus([form, isBusy]);

  // A segment that was saved or deleted changes the list.
  useEffect(
    () =>
      beginReading(
        api,
        setMenu,
        async (work) => work.change({ list: await listSegments(work) }),
        (problem) => ({ problem }),
      ),
    [api, open],
  );

  const run = async (work: () => Promise<ComponentChildren>): Promise<void> => {
    setBusy(true);
    setMessage(undefined);
    try {
      setMessage({ text: await work(), isFault: false });
    } catch (error) {
      setMessage({ text: describe(error, t), isFault: true });
    }
    setBusy(false);
  };
  const save = (name: string, description: string): Promise<void> =>
    run(async () => {
      onSaved(await createSegment(api, name, description, query!), open);
      setForm(undefined);
      return <Sentence say={t.segmentSaved} name={name} />;
    });
  const saveChanges = (): Promise<void> =>
    run(async () => {
      onSaved(await updateSegment(api, open!, query!), open);
      return <Sentence say={t.segmentSaved} name={open!.name} />;
    });
  const remove = (): Promise<void> =>
    run(async () => {
      await deleteSegment(api, open!).catch((error: unknown) => {
        // Somebody else has deleted it.
        if (!(error instanceof ApiProblem && error.code === 'not-found')) throw error;
      });
      onSaved(undefined, open);
      setForm(undefined);
      return <Sentence say={t.segmentDeleted} name={open!.name} />;
    });
  const exportAll = ({ forExcel, columns }: ExportWish): Promise<void> =>
    run(async () => {
      // The notation of the export can name a saved segment, however deep its own groups are.
      const whole = 'tree' in tree ? tree.tree : open && !isChanged ? writeSegmentTree(open) : undefined;
      if (!whole) throw new ApiProblem('not-exportable', t.saveToExport);
      setMessage({ text: t.exporting, isFault: false });
      const body = { data: { advanced_search: { query: whole, ...(forExcel && { excel: language, columns }) } } };
      const file = await api.request('POST', '/export', { body, headers: { Accept: 'text/csv' } });
      download(await file.blob(), `${open?.name ?? 'segment'}.csv`);
      return t.exported;
    });
  const copy = (): Promise<void> =>
    run(async () => {
      if (!(await copyLink())) throw new ApiProblem('not-copied', t.notCopied);
      return t.linkCopied;
    });

  return (
    <div class="segments">
      <div class="segments-row">
        <h1 tabIndex={-1} ref={heading}>
          {open ? <bdi>{open.name}</bdi> : t.title}
          {isChanged && <small class="quiet"> · {t.changed}</small>}
        </h1>
        <div class="actions">
          {list.length > 0 && (
            <Select
              label={t.openHint}
              value=""
              choices={[['', t.openHint], ...list.map(({ databaseId, name }) => [`${databaseId}`, name] as const)]}
              onChange={openById}
              onKeyDown={showChoices}
            />
          )}
          {canWrite && isChanged && <Button text={t.saveChanges} disabled={isBusy || !query} onClick={saveChanges} />}
          {canWrite && (
            <Button
              text={open ? t.saveCopy : t.saveAs}
              aria-expanded={form === 'save'}
              disabled={isBusy || !query}
              title={query ? undefined : t.needsCondition}
              onClick={() => setForm(form === 'save' ? undefined : 'save')}
            />
          )}
          {canWrite && open && (
            <Button
              text={t.deleteSegment}
              aria-expanded={form === open}
              disabled={isBusy}
              onClick={() => setForm(open)}
            />
          )}
          <Button text={t.copyLink} onClick={copy} />
          {permissions.includes('contacts.export') && (
            <Button text={t.exportPeople} aria-haspopup="dialog" disabled={isBusy} onClick={() => setChoosing(true)} />
          )}
          {(query || open) && (
            <Button
              text={t.startAnew}
              onClick={() => {
                // The button disappears.
                heading.current!.focus();
                startAnew();
              }}
            />
          )}
        </div>
      </div>
      {open?.description && <p class="quiet">{open.description}</p>}
      {isChoosing && (
        <ExportDialog
          wish={wish}
          shown={shown}
          close={(chosen) => {
            setChoosing(false);
            if (!chosen) return;
            setWish(chosen);
            exportAll(chosen);
          }}
        />
      )}
      {form === 'save' && <SaveForm isBusy={isBusy || !query} save={save} cancel={() => setForm(undefined)} />}
      {open && form === open && (
        <div class="inline-form">
          <p>
            <Sentence say={t.deleteSure} name={open.name} />
          </p>
          <Button text={t.deleteYes} class="danger" disabled={isBusy} onClick={remove} />
          <Button text={t.cancel} onClick={() => setForm(undefined)} />
        </div>
      )}
      <p class={message?.isFault ? 'notice' : message ? 'done' : 'sr-only'} role="status">
        {message?.text}
      </p>
    </div>
  );
};

interface SaveFormProps {
  isBusy: boolean;
  save(name: string, description: string): void;
  cancel(): void;
}

const SaveForm = ({ isBusy, save, cancel }: SaveFormProps) => {
  const t = useTexts();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        save(name.trim(), description.trim());
      }}
    >
      <label>
        {t.segmentName}
        <input
          type="text"
          required
          maxLength={255}
          value={name}
          ref={(field) => {
            if (field && name === '') field.focus();
          }}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        {t.segmentDescription}
        <input type="text" value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
      </label>
      <Button text={t.save} type="submit" class="primary" disabled={isBusy || name.trim() === ''} />
      <Button text={t.cancel} onClick={cancel} />
    </form>
  );
};
