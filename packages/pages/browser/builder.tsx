// The builder once the token is known: the segment, its results, its texts, and the address that always holds it.

import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { convertToProblem, sleep } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { writeTree } from './contract-tree.ts';
import { Alert } from './controls.tsx';
import { copyText } from './copy-text.ts';
import { ExamplesPanel } from './examples-panel.tsx';
import { isSavedQuery, type Json, readQuery, UnreadableQuery, writeQuery } from './graph-query.ts';
import { GroupBox } from './group-box.tsx';
import { ImportPanel } from './import-panel.tsx';
import { BrokenLink, decodeLink, encodeLink } from './link.ts';
import { MapPanel } from './map-panel.tsx';
import {
  changePart,
  countLevels,
  createCondition,
  createGroup,
  type Group,
  listInnerParts,
  listParts,
  type Part,
  replaceInnerParts,
} from './model.ts';
import { PeoplePanel } from './people-panel.tsx';
import { listFileColumns, readView, usualView, type View, writeViewParameters } from './people-view.ts';
import { ProblemText } from './problem-text.tsx';
import { QuestionPanel } from './question-panel.tsx';
import { ChartsPanel, CountPanel } from './results-panel.tsx';
import { readSegment, type Segment } from './segments.ts';
import { SegmentsBar } from './segments-bar.tsx';
import { readToken, takeFragment } from './session.ts';
import { useTexts } from './texts.ts';
import { useChanges } from './use-changes.ts';
import { usePeople } from './use-people.ts';
import { type FacetName, useResults } from './use-results.ts';
import { useTicks } from './use-ticks.ts';
import { useWorkspace } from './workspace.ts';

/** In seconds: from an attempt to read a segment that did not reach the server to the next one. */
const unreachablePause = 2;

const focusIn = (id: string): void =>
  document.querySelector<HTMLElement>(`[data-part="${id}"] :is(select, input, button)`)?.focus();

/** The part that takes the focus when another is removed: the one before it, or its group. */
const findNeighbour = (root: Group, id: string): string => {
  const parent = listParts(root).find((part) => listInnerParts(part).some((one) => one.id === id))!;
  const parts = listInnerParts(parent);
  const at = parts.findIndex((one) => one.id === id);
  return (parts[at - 1] ?? parts[at + 1] ?? parent).id;
};

export const Builder = () => {
  const t = useTexts();
  const { api, permissions, attributes, everybody } = useWorkspace();
  const [root, setRoot] = useState<Group>(() => createGroup());
  const [open, setOpen] = useState<Segment>();
  /** The segment or the query of a link that could not be shown: the address keeps it for a reload, until something takes its place. */
  const [missed, setMissed] = useState<['segment' | 'query', string]>();
  const [complaint, setComplaint] = useState<ComponentChildren>();
  /** The address is not written before it was read. */
  const [isLoaded, setLoaded] = useState(false);
  const focusNext = useRef<string>(undefined);
  /** Counts what was opened: an answer that comes after another was opened shows nothing. */
  const opened = useRef(0);

  const written = useMemo(() => writeQuery(root, attributes), [root, attributes]);
  const tree = useMemo(() => writeTree(root, attributes), [root, attributes]);
  const isChanged = useMemo(
    () => open !== undefined && !isSavedQuery(open.query, written, attributes),
    [open, written, attributes],
  );
  const results = useResults(api, everybody, written, countLevels(root) + 1);
  const [view, setView] = useState<View>(usualView);
  const list = usePeople(api, written.query, view, results.moves);
  useChanges(api, permissions, results.countAgain);
  const exactly = results.found?.isExact ? results.found.total : undefined;
  const everybodyFound = exactly ?? 0;
  const text = view.text.trim();
  const { target, ...ticks } = useTicks(api, {
    query: written.query,
    text,
    total: text ? (list.total ?? 0) : everybodyFound,
  });
  const readAgain = (): void => {
    results.retry();
    list.retry();
  };

  const show = useCallback(
    (query: Json | undefined): boolean => {
      try {
        setRoot(readQuery(query, attributes));
        return true;
      } catch (error) {
        if (!(error instanceof UnreadableQuery)) throw error;
        setComplaint(t.unreadable(error.place, error.value));
        return false;
      }
    },
    [attributes, t],
  );
  const openById = useCallback(
    async (id: string, own = ++opened.current, changes?: { version: string; link: string }): Promise<void> => {
      let segment: Segment | null | false | undefined;
      while (segment === undefined) {
        segment = await readSegment(api, id).catch(async (error: unknown) => {
          const problem = convertToProblem(error);
          // An address may have anything in the place of a number.
          if (problem.faults.length > 0) return null;
          // A segment that cannot be read now is there all the same.
          if (own === opened.current) setComplaint(<ProblemText {...{ problem }} isRepeated />);
          const pause = problem.code === 'unreachable' ? unreachablePause : problem.retryAfter;
          if (pause === undefined) return false;
          await sleep(pause * 1000, new AbortController().signal);
          return undefined;
        });
        if (own !== opened.current) return;
      }
      if (segment === null) return setComplaint(t.noSegment);
      if (segment && changes && changes.version !== `${segment.version}`) {
        const { query: stored } = segment;
        const isSaved = await decodeLink(changes.link)
          .then((query) => isSavedQuery(stored, writeQuery(readQuery(query, attributes), attributes), attributes))
          .catch(() => false);
        if (own !== opened.current) return;
        // A save would put the changes of the link, which are of another version, over the newer one.
        if (!isSaved) return setComplaint(t.outdated);
      }
      if (segment) setComplaint(undefined);
      // One that cannot be shown is not open: what is on the page would be saved in its place.
      if (segment && show(segment.query)) setOpen(segment);
      else setMissed(['segment', id]);
    },
    [api, attributes, show, t],
  );

  useEffect(() => {
    const load = async (text: string): Promise<void> => {
      const own = ++opened.current;
      const held = readToken();
      const fragment = takeFragment(text, t.replaceToken);
      // All that is shown was read by the other token.
      if (readToken() !== held) return location.reload();
      const [link, segment, version] = ['query', 'segment', 'version'].map((name) => fragment.get(name));
      // A link means the segment that it names, and no other: what it shows would be saved in the place of that one.
      setOpen(undefined);
      setMissed(undefined);
      setComplaint(undefined);
      const { view: wanted, unknown } = readView(fragment);
      setView(wanted);
      if (segment) await openById(segment, own, version && link ? { version, link } : undefined);
      try {
        const query = link ? await decodeLink(link) : undefined;
        if (own === opened.current && query !== undefined && !show(query)) setMissed(['query', link!]);
      } catch (error) {
        if (!(error instanceof BrokenLink)) throw error;
        setComplaint(t.brokenLink[error.message]);
        setMissed(['query', link!]);
      }
      if (own === opened.current && unknown.length > 0) setComplaint((old) => old ?? t.unknownColumns(unknown));
    };
    let reading = 0;
    const read = (text: string): void => {
      reading++;
      setLoaded(false);
      void load(text).finally(() => setLoaded(--reading === 0));
    };
    // The address of the event: the page may have written another one meanwhile.
    const onHashChange = ({ newURL }: HashChangeEvent): void => read(new URL(newURL).hash);
    read(location.hash);
    addEventListener('hashchange', onHashChange);
    return () => {
      // A reading that waits for the server does not go on with a token that was forgotten.
      opened.current += 1;
      removeEventListener('hashchange', onHashChange);
    };
    // The language may change meanwhile, and nothing is to be loaded again then.
  }, [api, attributes]);

  const writeAddress = useCallback(async (): Promise<string> => {
    const parameters = new URLSearchParams();
    if (open) parameters.set('segment', String(open.databaseId));
    else if (missed && !written.query) parameters.set(...missed);
    if (written.query && (!open || isChanged)) parameters.set('query', await encodeLink(written.query));
    if (written.query && open && isChanged) parameters.set('version', String(open.version));
    writeViewParameters(view, parameters);
    const text = parameters.toString();
    return `${location.pathname}${location.search}${text && `#${text}`}`;
  }, [open, missed, isChanged, written, view]);

  useEffect(() => {
    if (!isLoaded) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const address = await writeAddress();
      if (isCurrent) history.replaceState(null, '', address);
    }, 300);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [isLoaded, writeAddress]);

  useEffect(() => {
    if (focusNext.current) focusIn(focusNext.current);
    focusNext.current = undefined;
  }, [root]);

  const change = (id: string, to: (part: Part) => Part): void => setRoot((old) => changePart(old, id, to));
  const add = (whole: string, part: Part): void => {
    focusNext.current = part.id;
    change(whole, (old) => replaceInnerParts(old, [...listInnerParts(old), part]));
  };
  const remove = (id: string): void => {
    focusNext.current = findNeighbour(root, id);
    setRoot((old) => changePart(old, id, () => undefined));
  };
  const narrow = (by: FacetName, value: string): void => {
    const attribute = by === 'CITY' ? 'address.city' : 'tags.name';
    const condition = createCondition({ attribute, operator: 'eql', value });
    focusNext.current = condition.id;
    // The condition joins all others: it must hold beside them.
    setRoot((old) =>
      old.every && !old.negated ? { ...old, parts: [...old.parts, condition] } : createGroup([old, condition]),
    );
  };
  const start = (query: Json): void => {
    const group = readQuery(query, attributes);
    focusNext.current = group.parts[0]!.id;
    setRoot(group);
  };
  const startAnew = (): void => {
    opened.current += 1;
    setOpen(undefined);
    setMissed(undefined);
    setComplaint(undefined);
    setRoot(createGroup());
  };

  return (
    <main>
      <SegmentsBar
        {...{ tree, open, isChanged, openById, startAnew }}
        query={written.query}
        shown={listFileColumns(view)}
        // Another link may have been followed meanwhile.
        onSaved={(segment, before) => setOpen((now) => (now === before ? segment : now))}
        copyLink={async () => copyText(`${location.origin}${await writeAddress()}`)}
      />
      {complaint && <Alert>{complaint}</Alert>}
      {permissions.includes('imports.write') && <ImportPanel refresh={readAgain} />}
      <div class="columns">
        <div class="left">
          <GroupBox {...{ results, change, add, remove }} part={root} place="" level={0} />
          <ExamplesPanel {...{ results, start }} isEmpty={root.parts.length === 0} />
          <PeoplePanel
            // The count says what is wrong with the segment.
            list={results.problem ? { ...list, problem: undefined } : list}
            everybody={exactly}
            {...{ view }}
            change={setView}
            ticks={permissions.includes('contacts.write') ? ticks : undefined}
          >
            <ChangePanel
              {...{ target }}
              total={target && 'ids' in target ? target.ids.length : everybodyFound}
              refresh={() => {
                ticks.pick(new Set());
                readAgain();
              }}
              untick={(ids) => {
                const left = target && 'ids' in target ? target.ids.filter((id) => !ids.includes(id)) : [];
                // Without a tick the change would be of everybody.
                if (left.length > 0) ticks.pick(new Set(left));
                readAgain();
              }}
            />
          </PeoplePanel>
          <QuestionPanel query={written.query} tree={tree} />
        </div>
        <div class="right">
          <CountPanel {...{ results }} retry={readAgain} />
          <ChartsPanel facets={results.facets} isStale={results.areDetailsOld} narrow={narrow} />
          <MapPanel {...{ results }} query={written.query} />
        </div>
      </div>
    </main>
  );
};
