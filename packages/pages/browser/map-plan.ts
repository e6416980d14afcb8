// The plan of the map: where coordinates lie in its frame, how long a round distance is, whose names have room, and what areas a query has.
import type { Json, JsonObject } from './graph-query.ts';

export type Degrees = Record<'latitude' | 'longitude', number>;
/** In pixels. */
export type Frame = Record<'width' | 'height', number>;
export type Spot = Record<'x' | 'y', number>;

const [earthRadius, radian] = [6371, Math.PI / 180];
const kmPerDegree = earthRadius * radian;
/** In pixels: the free edge of the frame. */
const edge = 20;
/** In kilometres: a frame is no narrower, even around one point. */
const narrowest = 5;

/** The range of most values, and half as much on both sides: what lies beyond would shrink all the others. */
const measureCore = (values: readonly number[]): [low: number, high: number] => {
  const sorted = [...values].sort((one, other) => one - other);
  const few = Math.floor(sorted.length / 20);
  const [low, high] = [sorted[few]!, sorted[sorted.length - 1 - few]!];
  const reach = Math.max(high - low, 0.5) / 2;
  return [low - reach, high + reach];
};

/** Fits points and outlines into a frame: an equirectangular projection, true to scale at its middle latitude. Points far from the others may lie outside. */
export const fitPointsInFrame = (
  points: readonly Degrees[],
  outlines: readonly (readonly Degrees[])[],
  { width, height }: Frame,
) => {
  const all = [...points, ...outlines.flat()];
  const sum = (of: (angle: number) => number): number =>
    all.reduce((total, { longitude }) => total + of(longitude * radian), 0);
  const around = Math.atan2(sum(Math.sin), sum(Math.cos)) / radian;
  // Neighbours on both sides of 180 degrees stay neighbours.
  const turn = (longitude: number): number => longitude - 360 * Math.round((longitude - around) / 360);
  const [lowest, highest] = measureCore(points.map(({ latitude }) => latitude));
  const [first, last] = measureCore(points.map(({ longitude }) => turn(longitude)));
  const isNear = ({ latitude, longitude }: Degrees): boolean =>
    latitude >= lowest && latitude <= highest && turn(longitude) >= first && turn(longitude) <= last;
  const fitted = [...points.filter(isNear), ...outlines.flat()];
  const latitudes = fitted.map(({ latitude }) => latitude);
  const longitudes = fitted.map(({ longitude }) => turn(longitude));
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const middle = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
  // At a pole the meridians meet.
  const narrowing = Math.max(0.01, Math.cos(middle.latitude * radian));
  const kmPerPixel = Math.max(
    ((east - west) * narrowing * kmPerDegree) / (width - 2 * edge),
    ((north - south) * kmPerDegree) / (height - 2 * edge),
    narrowest / width,
  );
  const scale = kmPerDegree / kmPerPixel;
  return {
    kmPerPixel,
    project: ({ latitude, longitude }: Degrees): Spot => ({
      x: width / 2 + (turn(longitude) - middle.longitude) * narrowing * scale,
      y: height / 2 - (latitude - middle.latitude) * scale,
    }),
  };
};

export const isInside = ({ x, y }: Spot, { width, height }: Frame): boolean =>
  x >= 0 && x <= width && y >= 0 && y <= height;

/** The longest of 1, 2, 5, 10, … kilometres that takes no more than these pixels. */
export const chooseScale = (kmPerPixel: number, pixels: number): { km: number; pixels: number } => {
  const most = kmPerPixel * pixels;
  const power = 10 ** Math.floor(Math.log10(most));
  const km = power * [5, 2, 1].find((step) => step * power <= most)!;
  return { km, pixels: km / kmPerPixel };
};

export type Town = Degrees & { name: string; count: number };

const median = (values: number[]): number => values.sort((one, other) => one - other)[values.length >> 1]!;

/** The towns of places by how many there are, each at the middle of its places: half of them lie on either side, however far away a town of the same name is. */
export const listTowns = (places: readonly (Degrees & { city: string | null })[]): Town[] => {
  const towns = new Map<string, (Degrees & { city: string })[]>();
  for (const { city, ...at } of places) {
    const name = city?.trim();
    // As the search compares texts.
    const key = name?.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    if (name && key) towns.set(key, [...(towns.get(key) ?? []), { city: name, ...at }]);
  }
  return [...towns.values()]
    .map((all) => ({
      name: all[0]!.city,
      count: all.length,
      latitude: median(all.map(({ latitude }) => latitude)),
      longitude: median(all.map(({ longitude }) => longitude)),
    }))
    .sort((one, other) => other.count - one.count || one.name.localeCompare(other.name));
};

const mostNames = 10;
/** In pixels: a letter of a name, and its line. */
const [letter, line] = [7, 16];

/** The place of a text whose middle is there, moved so that all of it is in the frame. */
export const moveTextInside = (text: string, { x, y }: Spot, { width, height }: Frame): Spot => {
  const half = (text.length * letter) / 2;
  return {
    x: Math.max(Math.min(x, width - half), Math.min(half, width / 2)),
    y: Math.max(line / 2, Math.min(y, height - line / 2)),
  };
};

/** The names of the first towns that have room in the frame, none over another. */
export const placeNames = (
  towns: readonly Town[],
  { project }: Pick<ReturnType<typeof fitPointsInFrame>, 'project'>,
  frame: Frame,
): (Spot & { name: string })[] => {
  const placed: (Spot & { name: string })[] = [];
  for (const { name, ...at } of towns) {
    if (placed.length === mostNames) break;
    const spot = project(at);
    const moved = moveTextInside(name, spot, frame);
    const overlaps = placed.some(
      (one) =>
        Math.abs(one.x - moved.x) < ((one.name.length + name.length + 1) * letter) / 2 &&
        Math.abs(one.y - moved.y) < line,
    );
    if (isInside(spot, frame) && name.length * letter <= frame.width && !overlaps) placed.push({ name, ...moved });
  }
  return placed;
};

/** The spot that is nearest to a place, if one is close, in pixels. */
export const findNearest = <One extends Spot>(spots: readonly One[], { x, y }: Spot): One | undefined => {
  let [found, least]: [One | undefined, number] = [undefined, 12];
  for (const spot of spots) {
    const away = Math.hypot(spot.x - x, spot.y - y);
    if (away <= least) [found, least] = [spot, away];
  }
  return found;
};

/** The points at a distance from a centre, on the globe. */
export const outlineCircle = ({ latitude, longitude }: Degrees, km: number): Degrees[] => {
  const [sine, cosine, angle] = [Math.sin(latitude * radian), Math.cos(latitude * radian), km / earthRadius];
  return Array.from({ length: 72 }, (_, index) => {
    const bearing = (index * 2 * Math.PI) / 72;
    const height = sine * Math.cos(angle) + cosine * Math.sin(angle) * Math.cos(bearing);
    const turned = Math.atan2(Math.sin(bearing) * Math.sin(angle) * cosine, Math.cos(angle) - sine * height);
    return { latitude: Math.asin(height) / radian, longitude: longitude + turned / radian };
  });
};

const isNumber = (value: Json | undefined): value is number => typeof value === 'number';

/** The middle of points on the globe. */
export const findMiddlePoint = (points: readonly Degrees[]): Degrees | undefined => {
  const sum = (of: (latitude: number, longitude: number) => number): number =>
    points.reduce((total, { latitude, longitude }) => total + of(latitude * radian, longitude * radian), 0);
  const east = sum((latitude, longitude) => Math.cos(latitude) * Math.cos(longitude));
  const north = sum((latitude, longitude) => Math.cos(latitude) * Math.sin(longitude));
  const latitude = Math.atan2(sum(Math.sin), Math.hypot(east, north)) / radian;
  return points.length > 0 ? { latitude, longitude: Math.atan2(north, east) / radian } : undefined;
};

/** A centre that a circle names by a contact or by a postal code. */
type NamedCentre = { of: 'contactId' | 'postalCode'; name: string };

const readNamedCentre = ({ contactId, postalCode }: JsonObject): NamedCentre | undefined => {
  if (typeof contactId === 'string' || isNumber(contactId)) return { of: 'contactId', name: String(contactId) };
  return typeof postalCode === 'string' ? { of: 'postalCode', name: postalCode } : undefined;
};

type Locate = (centre: NamedCentre) => Degrees | undefined;

/** The outlines of one condition: that of a circle, or the rings of a GeoJSON polygon. */
const outlinePlace = (field: string, place: JsonObject, locate: Locate): Degrees[][] => {
  const { point, km, polygon } = place;
  if (field === 'near' && isNumber(km)) {
    const { latitude, longitude } = (point ?? {}) as JsonObject;
    const named = readNamedCentre(place);
    const centre = isNumber(latitude) && isNumber(longitude) ? { latitude, longitude } : named && locate(named);
    return centre ? [outlineCircle(centre, km)] : [];
  }
  if (field !== 'within' || !Array.isArray(polygon)) return [];
  return polygon.map((ring) =>
    [ring].flat().flatMap((position) => {
      const [east, north] = Array.isArray(position) ? position : [];
      return isNumber(east) && isNumber(north) ? [{ latitude: north, longitude: east }] : [];
    }),
  );
};

/** The outlines of the areas of a query, wherever they stand in it; `locate` knows the centres that it names. */
export const listQueryAreas = (query: Json | undefined, locate: Locate): Degrees[][] => {
  if (typeof query !== 'object' || query === null) return [];
  if (Array.isArray(query)) return query.flatMap((part) => listQueryAreas(part, locate));
  return Object.entries(query).flatMap(([field, inner]) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? [...outlinePlace(field, inner, locate), ...listQueryAreas(inner, locate)]
      : listQueryAreas(inner, locate),
  );
};

/** The centres that a query names by contacts and postal codes. */
export const listNamedCentres = (query: Json | undefined): NamedCentre[] => {
  const named: NamedCentre[] = [];
  listQueryAreas(query, (centre) => {
    named.push(centre);
    return undefined;
  });
  return named;
};
