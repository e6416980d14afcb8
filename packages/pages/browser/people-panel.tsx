// The people of the segment as a table: columns, order, search, pages, ticks, and the panel of one person.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type ApiProblem, convertToProblem } from './api.ts';
import { Alert, Button, Notice, Status } from './controls.tsx';
import { joinNames } from './lookups.ts';
import { type ColumnName, columnNames, getOrder, type HeadName, sortBy, type View } from './people-view.ts';
import { findLocalDay, formatDay, PersonPanel, Tags } from './person-panel.tsx';
import { ProblemText } from './problem-text.tsx';
import { type Texts, useTexts } from './texts.ts';
import { mostPicked, type Person, type usePeople } from './use-people.ts';
import type { Ticks } from './use-ticks.ts';
import { useFieldLabel } from './workspace.ts';

interface ViewProps {
  view: View;
  change(view: View): void;
}

interface PeoplePanelProps extends ViewProps {
  list: ReturnType<typeof usePeople>;
  /** How many people are in the segment; undefined before they are counted. */
  everybody: number | undefined;
  /** Undefined for a caller who can do nothing with ticks. */
  ticks: Ticks | undefined;
  /** The panel that changes those who are ticked. */
  children: ComponentChildren;
}

export const PeoplePanel = ({ list, everybody, view, change, ticks, children }: PeoplePanelProps) => {
  const t = useTexts();
  const [open, setOpen] = useState<{ person: Person; opener: HTMLElement }>();
  const heading = useRef<HTMLHeadingElement>(null);
  const { people, before, isLoading, isOutdated, problem } = list;
  const { hasPreviousPage, hasNextPage } = list.pageInfo;
  const total = view.text.trim() ? list.total : everybody;
  const close = (): void => {
    setOpen(undefined);
    // The list may have been read again meanwhile, without this person.
    (open!.opener.isConnected ? open!.opener : heading.current)?.focus();
  };
  const readAgain = (): void => {
    // The button is gone then.
    heading.current!.focus();
    list.retry();
  };
  const page = { from: before + 1, to: before + (people?.length ?? 0), total: total ?? 0 };
  return (
    <section class={`card found${isLoading ? ' stale' : ''}`} aria-labelledby="people" aria-busy={isLoading}>
      <h2 id="people" tabIndex={-1} ref={heading}>
        {t.foundPeople}
      </h2>
      {open && <PersonPanel key={open.person.id} person={open.person} close={close} />}
      <ViewFields {...{ view, change }} />
      {problem ? (
        <Notice retry={problem.retryAfter === undefined ? readAgain : undefined}>
          <ProblemText problem={problem} isRepeated />
        </Notice>
      ) : (
        <Status>
          {people && people.length > 0
            ? total !== undefined && t.shownPeople(page)
            : isLoading
              ? t.loading
              : people && (view.text.trim() ? t.nobodyMatches : t.nobody)}
        </Status>
      )}
      {isOutdated && !isLoading && (
        <p class="outdated">
          {t.peopleMoved} <Button text={t.showAgain} class="plain" onClick={readAgain} />
        </p>
      )}
      {people && people.length > 0 && (
        <PeopleTable {...{ people, view, change, ticks }} open={(person, opener) => setOpen({ person, opener })} />
      )}
      {people && (hasPreviousPage || hasNextPage) && (
        <nav class="actions" aria-label={t.pages}>
          <PageButton isPossible={hasPreviousPage && !isLoading} turn={list.turnBack} text={t.previousPage} />
          <PageButton isPossible={hasNextPage && !isLoading} turn={list.turnOn} text={t.nextPage} />
        </nav>
      )}
      {ticks && (
        <div class="picked">
          <PickedBar {...ticks} total={total ?? 0} everybody={everybody ?? 0} />
          {children}
        </div>
      )}
    </section>
  );
};

/** It keeps the focus while it can do nothing. */
const PageButton = ({ isPossible, turn, text }: { isPossible: boolean; turn(): void; text: string }) => (
  <Button text={text} aria-disabled={!isPossible} onClick={() => isPossible && turn()} />
);

const useColumnLabel = (): ((name: HeadName) => string) => {
  const t = useTexts();
  const labelField = useFieldLabel();
  return (name) =>
    name === 'name' ? t.name : name === 'email' ? t.email : name === 'tags' ? t.tags : labelField(name);
};

const ViewFields = ({ view, change }: ViewProps) => {
  const t = useTexts();
  const label = useColumnLabel();
  const toggle = (name: ColumnName): void => {
    const columns = columnNames.filter((one) => view.columns.includes(one) !== (one === name));
    // The list is sorted by a column that is shown.
    change({ ...view, columns, sort: view.sort?.by === name ? undefined : view.sort });
  };
  return (
    <div class="view">
      <label>
        {t.searchPeople}
        <input
          type="search"
          autocomplete="off"
          maxLength={255}
          value={view.text}
          onInput={({ currentTarget }) => change({ ...view, text: currentTarget.value })}
        />
      </label>
      <details>
        <summary>{t.columns}</summary>
        <fieldset class="options">
          <legend class="sr-only">{t.columns}</legend>
          {columnNames.map((name) => (
            <label key={name}>
              <input type="checkbox" checked={view.columns.includes(name)} onChange={() => toggle(name)} />
              {label(name)}
            </label>
          ))}
        </fieldset>
      </details>
    </div>
  );
};

interface PeopleTableProps extends ViewProps, Pick<PeoplePanelProps, 'ticks'> {
  people: Person[];
  open(person: Person, opener: HTMLElement): void;
}

const PeopleTable = ({ people, view, change, ticks, open }: PeopleTableProps) => {
  const t = useTexts();
  const label = useColumnLabel();
  const isPicked = ({ id }: Person): boolean => ticks?.picked === 'everybody' || ticks?.picked.has(id) === true;
  const picked = people.filter(isPicked).length;
  const setPicked = (some: Person[], isWanted: boolean): void => {
    // Taking one person away from everybody keeps the others of the page.
    const ids = new Set(ticks!.picked === 'everybody' ? people.map(({ id }) => id) : ticks!.picked);
    for (const { id } of some) isWanted ? ids.add(id) : ids.delete(id);
    ticks!.pick(ids);
  };
  const shown: HeadName[] = ['name', ...view.columns];
  return (
    <div class="scroll">
      <table class="list" aria-labelledby="people">
        <thead>
          <tr>
            {ticks && (
              <td class="tick">
                <input
                  type="checkbox"
                  aria-label={t.pickPage}
                  checked={picked === people.length}
                  ref={(box) => {
                    if (box) box.indeterminate = picked > 0 && picked < people.length;
                  }}
                  onChange={({ currentTarget }) => setPicked(people, currentTarget.checked)}
                />
              </td>
            )}
            {shown.map((name) => (
              <Head key={name} {...{ name, view, change }} label={label(name)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <tr key={person.id} class={isPicked(person) ? 'ticked' : undefined}>
              {ticks && (
                <td class="tick">
                  <input
                    type="checkbox"
                    aria-label={t.pick(joinNames(person.firstName, person.lastName) || t.nameless)}
                    checked={isPicked(person)}
                    onChange={({ currentTarget }) => setPicked([person], currentTarget.checked)}
                  />
                </td>
              )}
              <th scope="row" class="who">
                <Button
                  text={joinNames(person.firstName, person.lastName) || <em>{t.nameless}</em>}
                  class="plain"
                  aria-haspopup="dialog"
                  onClick={({ currentTarget }) => open(person, currentTarget)}
                />
              </th>
              {view.columns.map((name) => (
                <td key={name} dir="auto">
                  {showValue(name, person, t)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

/** Tags that are shown of a person. */
const mostTags = 3;

const showValue = (name: ColumnName, person: Person, t: Texts): ComponentChildren => {
  // A column that was just chosen has no values until the list is read again.
  switch (name) {
    case 'address.city':
      return person.address?.city;
    case 'address.postalCode':
      return person.address?.postalCode;
    case 'birthDate':
      return person.birthDate && formatDay(person.birthDate, t, 'medium');
    case 'lastChangedAt':
    case 'createdAt':
      return person[name] && formatDay(findLocalDay(person[name]), t, 'medium');
    case 'gender':
      return person.gender && t.genders[person.gender];
    case 'optedOut':
      return person.optedOut === undefined ? null : person.optedOut ? t.yes : t.no;
    case 'tags':
      return <Tags tags={person.tags ?? []} most={mostTags} />;
    default:
      return person[name];
  }
};

const Head = ({ name, label, view, change }: ViewProps & { name: HeadName; label: string }) => {
  const sort = view.sort?.by === name ? view.sort : undefined;
  if (!getOrder(name)) return <th scope="col">{label}</th>;
  return (
    <th scope="col" aria-sort={sort && (sort.isDescending ? 'descending' : 'ascending')}>
      <button type="button" class="plain" onClick={() => change({ ...view, sort: sortBy(name, view.sort) })}>
        {label}
        <span aria-hidden="true">{sort ? (sort.isDescending ? ' ▼' : ' ▲') : ' ↕'}</span>
      </button>
    </th>
  );
};

type PickedBarProps = Ticks & { total: number; everybody: number };

const PickedBar = ({ picked, pick, pickEverybody, total, everybody }: PickedBarProps) => {
  const t = useTexts();
  const status = useRef<HTMLSpanElement>(null);
  const [problem, setProblem] = useState<ApiProblem>();
  const count = picked === 'everybody' ? everybody : picked.size;
  /** The button that is clicked may go, and its focus with it. */
  const run = async (work: () => void | Promise<void>): Promise<void> => {
    status.current!.focus();
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(convertToProblem(error));
    }
  };
  return (
    <div class="actions">
      <span role="status" tabIndex={-1} ref={status}>
        {count > 0 && t.pickedPeople(count)}
      </span>
      {pickEverybody && total > 0 && count < total && (
        <Button text={t.pickEverybody(total)} onClick={() => run(pickEverybody)} />
      )}
      {count > 0 && <Button text={t.pickNobody} onClick={() => run(() => pick(new Set()))} />}
      {count > mostPicked && picked !== 'everybody' && <p class="notice">{t.tooManyPicked(mostPicked)}</p>}
      {problem && (
        <Alert>
          <ProblemText {...{ problem }} />
        </Alert>
      )}
    </div>
  );
};
