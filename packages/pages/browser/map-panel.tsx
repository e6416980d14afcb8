// The map of who is found: points in a plain frame with the largest towns, a scale and the areas of the query. It is read when it is opened.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type ApiProblem, beginReading, type Work } from './api.ts';
import { Alert } from './controls.tsx';
import type { Json } from './graph-query.ts';
import { isolate, joinNames } from './lookups.ts';
import {
  chooseScale,
  type Degrees,
  findMiddlePoint,
  findNearest,
  fitPointsInFrame,
  isInside,
  listNamedCentres,
  listQueryAreas,
  listTowns,
  moveTextInside,
  placeNames,
  type Spot,
} from './map-plan.ts';
import { PersonPanel } from './person-panel.tsx';
import { ProblemText } from './problem-text.tsx';
import { useTexts } from './texts.ts';
import type { Person } from './use-people.ts';
import type { Results } from './use-results.ts';
import { useWorkspace } from './workspace.ts';

/** The contacts whose coordinates are read. */
const most = 1000;
/** Points that are so many are drawn small and translucent. */
const many = 150;

/** The people of a query, and the contacts whose middle is the centre of each circle that names one. */
const writeRequest = (query: Json | undefined): [document: string, variables: { [name: string]: Json }] => {
  const centres = listNamedCentres(query);
  const located = 'address { latitude longitude }';
  const reads = centres.map(({ of }, index) =>
    of === 'contactId'
      ? `centre${index}: contact(id: $centre${index}) { ${located} }`
      : `centre${index}: searchContacts(query: { address: { postalCode: { equals: $centre${index} } } }, first: ${most}) { nodes { ${located} } }`,
  );
  const types = centres.map(({ of }, index) => `, $centre${index}: ${of === 'contactId' ? 'ID' : 'String'}!`);
  return [
    `query ($query: ContactQuery${types.join('')}) {
      searchContacts(query: $query, first: ${most}) { nodes { id firstName lastName address { city latitude longitude } } } ${reads.join(' ')} }`,
    { query: query ?? null, ...Object.fromEntries(centres.map(({ name }, index) => [`centre${index}`, name])) },
  ];
};

type Located = Pick<Person, 'id' | 'firstName' | 'lastName'> & {
  address: { city: string | null; latitude: number | null; longitude: number | null } | null;
};
type AtHome = Pick<Located, 'address'>;
type Placed<One extends AtHome = Located> = Omit<One, 'address'> & Degrees & { city: string | null };

type Answer = { searchContacts: { nodes: Located[] } } & { [centre: string]: { nodes: AtHome[] } | AtHome | null };

/** The people who have coordinates. */
const listPlaced = <One extends AtHome>(people: readonly One[]): Placed<One>[] =>
  people.flatMap(({ address, ...person }) => {
    const { city = null, latitude = null, longitude = null } = address ?? {};
    return latitude === null || longitude === null ? [] : [{ ...person, city, latitude, longitude }];
  });

/** The outlines of the areas of a query, with the answer to its request. */
const outlineAreas = (query: Json | undefined, answer: Answer): Degrees[][] => {
  let index = 0;
  return listQueryAreas(query, () => {
    const read = answer[`centre${index++}`];
    return read ? findMiddlePoint(listPlaced('nodes' in read ? read.nodes : [read])) : undefined;
  });
};

interface MapPanelProps {
  query: Json | undefined;
  results: Results;
}

interface Read {
  /** The count that it belongs to. */
  found: Results['found'];
  people: Located[];
  areas: Degrees[][];
}

/** Reads the people of a segment once it is counted, and gives up when it is counted again. */
const useLocated = (query: Json | undefined, { found, isCounting }: Results) => {
  const { api } = useWorkspace();
  const [state, setState] = useState<{ read?: Read; problem?: ApiProblem }>({});
  useEffect(() => {
    // A count that failed leaves what was found before.
    if (isCounting || !found || state.read?.found === found) return;
    const read = async ({ change, ask }: Work<typeof state>): Promise<void> => {
      const answer = await ask<Answer>(...writeRequest(query));
      change({ read: { found, people: answer.searchContacts.nodes, areas: outlineAreas(query, answer) } });
    };
    return beginReading(api, setState, read, (problem) => ({ problem }));
    // A query is counted before it is asked for here.
  }, [api, found, isCounting]);
  return state;
};

/** The width that an element has, in pixels, as long as it is there. */
const useWidth = () => {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(320);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, Math.floor(entry!.contentRect.width))));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return { element, width };
};

export const MapPanel = (props: MapPanelProps) => {
  const t = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="card map" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2 class="map-title">{t.map}</h2>
      </summary>
      {isOpen && <OpenMap {...props} />}
    </details>
  );
};

const OpenMap = ({ query, results }: MapPanelProps) => {
  const t = useTexts();
  const { read, problem } = useLocated(query, results);
  return (
    <div class={results.isCounting || read?.found !== results.found ? 'stale' : undefined}>
      {problem ? (
        <Alert>
          <ProblemText problem={problem} isRepeated />
        </Alert>
      ) : (
        !read && (
          <p class="map-text quiet" role="status">
            {t.loading}
          </p>
        )
      )}
      {read && <Drawing read={read} />}
    </div>
  );
};

/** An outline as the path of an SVG. */
const drawRing = (spots: readonly Spot[]): string =>
  spots.length > 0 ? `M${spots.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}Z` : '';

const Drawing = ({ read }: { read: Read }) => {
  const t = useTexts();
  const { element, width } = useWidth();
  const frame = useMemo(() => ({ width, height: Math.round(Math.min(width * 0.8, 480)) }), [width]);
  const [pointed, setPointed] = useState<Placed & Spot>();
  const [open, setOpen] = useState<Placed>();

  const placed = useMemo(() => listPlaced(read.people), [read]);
  const { points, names, towns, area, scale } = useMemo(() => {
    const projection = fitPointsInFrame(placed, read.areas, frame);
    const points = placed
      .map((one) => ({ ...one, ...projection.project(one) }))
      .filter((one) => isInside(one, frame))
      .sort((one, other) => one.x - other.x);
    const towns = listTowns(points);
    return {
      points,
      towns,
      names: placeNames(towns, projection, frame),
      area: read.areas.map((outline) => drawRing(outline.map(projection.project))).join(''),
      scale: chooseScale(projection.kmPerPixel, width / 4),
    };
  }, [read, placed, frame]);
  useEffect(() => setPointed(undefined), [points]);

  const nearest = (event: MouseEvent) => {
    const { left, top } = element.current!.getBoundingClientRect();
    return findNearest(points, { x: event.clientX - left, y: event.clientY - top });
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') setOpen(pointed);
    if (step === undefined) return;
    event.preventDefault();
    const at = pointed ? points.indexOf(pointed) : -1;
    setPointed(points[(at + step + points.length) % points.length]);
  };
  const isEmpty = placed.length + read.areas.flat().length === 0;
  const total = read.found!.total;
  const sentence = [
    t.mapped({
      shown: points.length,
      total,
      without: read.people.length - placed.length,
      unread: total - read.people.length,
      outside: placed.length - points.length,
    }),
    towns.length > 0 &&
      `${t.largestTowns}${t.colon}${towns
        .slice(0, 5)
        .map(({ name, count }) => `${isolate(name)} (${t.number(count)})`)
        .join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ');
  const said =
    pointed &&
    [isolate(joinNames(pointed.firstName, pointed.lastName)) || t.nameless, isolate(pointed.city ?? '')]
      .filter(Boolean)
      .join(', ');
  const cut = said && [...said].slice(0, Math.floor(width / 8)).join('');
  const beside = cut && moveTextInside(cut, { x: pointed!.x, y: pointed!.y - 18 }, frame);

  const dots = useMemo(
    () => (
      <g class={points.length > many ? 'points many' : 'points'}>
        {points.map(({ id, x, y }) => (
          <circle key={id} cx={x.toFixed(1)} cy={y.toFixed(1)} r={points.length > many ? 2.5 : 4} />
        ))}
      </g>
    ),
    [points],
  );

  return (
    <>
      <p class="map-text">{sentence}</p>
      {/* biome-ignore lint/a11y/useSemanticElements: no fieldset, since it has no fields */}
      <div
        ref={element}
        class="frame"
        hidden={isEmpty}
        role="group"
        aria-label={t.mapKeys}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: one stop for all points, which the arrow keys go through
        tabIndex={0}
        onKeyDown={move}
        onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && setPointed(points[0])}
        onBlur={() => setPointed(undefined)}
        onPointerMove={(event) => setPointed(nearest(event))}
        onPointerLeave={() => setPointed(undefined)}
        onClick={(event) => setOpen(nearest(event))}
      >
        {!isEmpty && (
          <svg role="img" aria-label={sentence} width={width} height={frame.height + 30}>
            <rect class="ground" width={width} height={frame.height} rx="8" />
            {area && <path class="area" d={area} />}
            {dots}
            {names.map(({ name, x, y }) => (
              <text key={name} class="town" x={x} y={y}>
                {name}
              </text>
            ))}
            {beside && (
              <g class="pointed">
                <circle cx={pointed!.x} cy={pointed!.y} r="6" />
                <text x={beside.x} y={beside.y}>
                  {cut}
                </text>
              </g>
            )}
            <g class="scale">
              <path d={`M1 ${frame.height + 14}v8h${scale.pixels.toFixed(1)}v-8`} />
              <text x={scale.pixels + 8} y={frame.height + 18}>
                {t.kilometres(scale.km)}
              </text>
            </g>
          </svg>
        )}
      </div>
      <p class="sr-only" role="status">
        {said}
      </p>
      {open && (
        <PersonPanel
          key={open.id}
          person={open}
          close={() => {
            setOpen(undefined);
            element.current!.focus();
          }}
        />
      )}
    </>
  );
};
