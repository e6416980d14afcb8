// Puts the queries of saved segments in the place of the conditions that name them, so that a query is compiled, counted and explained as one.
import { limits } from '../limits/limits.ts';
import type { Fault } from '../problem.ts';
import type { ParsedBound } from './operand.ts';
import { type Condition, countValues, type Group, type ParsedQuery } from './parse.ts';

/** A segment as searches use it. */
export interface SegmentQuery {
  id: number;
  name: string;
  version: number;
  /** Its query as it is stored, and parsed. */
  stored: object;
  query: ParsedQuery;
}

type Part = Group<ParsedBound> | Condition<ParsedBound>;

/** A segment on the way from the query to the place that is read. */
type Path = readonly Pick<SegmentQuery, 'id' | 'name'>[];

const { inlinedConditions, inlinedValues, segmentLevels } = limits.search;

/** The ids of the segments that a query names itself. */
export const listSegmentIds = ({ group }: Pick<ParsedQuery, 'group'>): number[] => {
  const list = (part: Part): number[] => {
    if ('parts' in part) return part.parts.flatMap(list);
    return part.attribute === 'segment' ? (part.operand.values as number[]) : [];
  };
  return [...new Set(list(group))];
};

/** Says of each fault which segment's query it is in. */
export const nameSegment = <Found extends { message: string }>(name: string | undefined, faults: Found[]): Found[] =>
  name === undefined ? faults : faults.map((one) => ({ ...one, message: `${one.message} (segment “${name}”)` }));

/** A place in the query of a segment, as a place in the query that names it: `.segment.in[0].query.or[1]`. */
const placeBelow = <Placed extends { location: string }>(prefix: string, placed: Placed): Placed => ({
  ...placed,
  location: `${prefix}${placed.location}`,
});

/** Reads one query; collects what is found on the way. */
class Inliner {
  readonly faults: Fault[];
  readonly relative: ParsedQuery['relative'];
  readonly #segments: ReadonlyMap<number, SegmentQuery>;
  #conditions = 0;
  #values = 0;

  constructor({ faults, relative }: ParsedQuery, segments: ReadonlyMap<number, SegmentQuery>) {
    this.faults = [...faults];
    this.relative = [...relative];
    this.#segments = segments;
  }

  /** Whether there is so much already that the rest is not read. */
  get isTooMuch(): boolean {
    return this.#conditions > inlinedConditions || this.#values > inlinedValues;
  }

  inlineGroup({ parts, ...group }: Group<ParsedBound>, prefix: string, path: Path): Group<ParsedBound> {
    return {
      ...placeBelow(prefix, group),
      parts: parts.flatMap((part): Part[] => {
        if ('parts' in part) return [this.inlineGroup(part, prefix, path)];
        if (part.attribute === 'segment') return [this.#inlineCondition(placeBelow(prefix, part), path)];
        this.#conditions++;
        this.#values += countValues(part);
        const segment = path.at(-1)?.name;
        const record = part.record && { record: this.inlineGroup(part.record, prefix, path) };
        return this.isTooMuch
          ? []
          : [{ ...placeBelow(prefix, part), ...record, ...(segment !== undefined && { segment }) }];
      }),
    };
  }

  /** The segments of a condition, any of which a contact may be in. */
  #inlineCondition({ location, operator, operand, notation }: Condition<ParsedBound>, path: Path): Group<ParsedBound> {
    const parts = (operand.values as number[]).flatMap((id, index) => {
      if (this.isTooMuch) return [];
      return this.#inlineSegment(id, `${location}.${notation!.locateItem(operator, index)}`, path) ?? [];
    });
    return { location, every: false, negated: operator === 'none_of', parts };
  }

  #inlineSegment(id: number, place: string, path: Path): Group<ParsedBound> | undefined {
    const refuse = (message: string): undefined =>
      void this.faults.push(...nameSegment(path.at(-1)?.name, [{ location: place, message, value: id }]));
    const segment = this.#segments.get(id);
    if (!segment) return refuse('is not a segment of the space');
    const begin = path.findIndex((one) => one.id === id);
    if (begin >= 0) {
      const circle = [...path.slice(begin), segment].map(({ name }) => `“${name}”`);
      return refuse(`would make a segment depend on itself: ${circle.join(' uses ')}`);
    }
    if (path.length === segmentLevels) return refuse(`is too deep: segments nest at most ${segmentLevels} levels`);
    const { faults, relative, group } = segment.query;
    const prefix = `${place}.query`;
    this.faults.push(...nameSegment(segment.name, faults).map((fault) => placeBelow(prefix, fault)));
    this.relative.push(...nameSegment(segment.name, relative).map((one) => placeBelow(prefix, one)));
    return this.inlineGroup(group, prefix, [...path, segment]);
  }
}

/**
 * The query with the queries of its segments in their places. `segments` has those that it names, and those that they name. `path` is the
 * segment whose own query it is. Faults have the place of the segment's condition, and below it the place in the segment's query.
 */
export const inlineSegments = (
  parsed: ParsedQuery,
  segments: ReadonlyMap<number, SegmentQuery>,
  path: Path = [],
): ParsedQuery => {
  if (listSegmentIds(parsed).length === 0) return parsed;
  const inliner = new Inliner(parsed, segments);
  const group = inliner.inlineGroup(parsed.group, '', path);
  const { faults, relative, isTooMuch } = inliner;
  if (isTooMuch) {
    const message = `has, with its segments, more than ${inlinedConditions} conditions, or more than ${inlinedValues} values in their lists`;
    faults.unshift({ location: parsed.group.location, message });
  }
  return { group, faults, relative };
};
