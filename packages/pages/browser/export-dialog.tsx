// The choice before an export: for Excel or for other programs, and the columns of a file for Excel.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { columnNames } from '../column-names.ts';
import { Button } from './controls.tsx';
import { useLanguage, useTexts } from './texts.ts';

/** The columns of a file for Excel; a file for programs has all that there are. */
export interface ExportWish {
  forExcel: boolean;
  columns: string[];
}

const allColumns = Object.keys(columnNames);

interface ExportDialogProps {
  /** The last choice; at first the columns of the list are chosen. */
  wish: ExportWish | undefined;
  /** The columns of the list of people. */
  shown: string[];
  /** Takes the choice, and undefined when there is none. */
  close(wish: ExportWish | undefined): void;
}

export const ExportDialog = ({ wish: last, shown, close }: ExportDialogProps) => {
  const [t, language] = [useTexts(), useLanguage()];
  const [wish, setWish] = useState(last ?? { forExcel: true, columns: shown });
  const dialog = useRef<HTMLDialogElement>(null);
  const taken = useRef<ExportWish>(undefined);
  const { forExcel, columns } = wish;
  useLayoutEffect(() => dialog.current!.showModal(), []);

  const chooseColumn = (name: string, isChosen: boolean): void =>
    setWish({ ...wish, columns: allColumns.filter((one) => (one === name ? isChosen : columns.includes(one))) });
  const setProgram = (isExcel: boolean, label: string, hint: string) => (
    <label class="toggle">
      <input
        type="radio"
        name="program"
        checked={forExcel === isExcel}
        onChange={() => setWish({ ...wish, forExcel: isExcel })}
      />
      <span>
        {label} <small class="quiet">{hint}</small>
      </span>
    </label>
  );

  return (
    <dialog class="export" ref={dialog} aria-labelledby="export" onClose={() => close(taken.current)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          taken.current = wish;
          dialog.current!.close();
        }}
      >
        <h2 id="export">{t.exportTitle}</h2>
        <fieldset>
          <legend class="sr-only">{t.exportFor}</legend>
          {setProgram(true, t.exportForExcel, t.exportForExcelHint)}
          {setProgram(false, t.exportForPrograms, t.exportForProgramsHint)}
        </fieldset>
        {forExcel && (
          <fieldset>
            <legend>{t.exportColumns}</legend>
            <div class="export-columns">
              {allColumns.map((name) => (
                <label key={name} class="toggle">
                  <input
                    type="checkbox"
                    checked={columns.includes(name)}
                    onChange={({ currentTarget }) => chooseColumn(name, currentTarget.checked)}
                  />
                  {columnNames[name]![language]}
                </label>
              ))}
            </div>
            <div class="actions">
              <Button text={t.exportAllColumns} onClick={() => setWish({ ...wish, columns: allColumns })} />
              <Button text={t.exportShownColumns} onClick={() => setWish({ ...wish, columns: shown })} />
            </div>
          </fieldset>
        )}
        <p class={forExcel && columns.length === 0 ? 'notice' : 'sr-only'} role="status">
          {forExcel && columns.length === 0 && t.exportNoColumn}
        </p>
        <div class="actions">
          <Button text={t.exportNow} type="submit" class="primary" disabled={forExcel && columns.length === 0} />
          <Button text={t.cancel} onClick={() => dialog.current!.close()} />
        </div>
      </form>
    </dialog>
  );
};
