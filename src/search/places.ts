// Places of the search language: circles around a centre, and polygons; how they are read, and which strips of the earth they lie in.
import { limits } from '../limits/limits.ts';
import { readVisibleText } from './visible-text.ts';

/** Degrees north and east. */
export interface Coordinates {
  latitude: number;
  longitude: number;
}

/** The points within so many kilometres of a centre: of a point, of a contact's home, or of the middle of a postal code. */
export interface Circle {
  km: number;
  contactId?: number;
  postalCode?: string;
  /** Null where the space has no coordinates for it; missing until they are looked up. */
  centre?: Coordinates | null;
}

/** The centre and the radius of an order by distance. */
export type Origin = Coordinates & { km: number };

/** A polygon as GeoJSON has it: an outer ring and holes, of positions that are east and north. */
export interface Area {
  rings: [longitude: number, latitude: number][][];
}

export type Place = Circle | Area;
export type PlaceKind = 'circle' | 'area';

/** The names of the fields of a circle that differ between the notations. */
export interface PlaceNames {
  contactId: string;
  postalCode: string;
}

type Refuse = (name: string, message: string, value?: unknown) => undefined;

/** In kilometres. */
const earthRadius = 6371.0088;
/** Half of the way around the earth, rounded up. */
export const farthest = 20_037;
const { polygonPositions: positionLimit } = limits.search;

const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;
const toDegrees = (radians: number): number => (radians * 180) / Math.PI;

/** An arc of a great circle, at most half of one. */
const toAngle = (km: number): number => Math.min(km / earthRadius, Math.PI);

const isWithin = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && value >= least && value <= most;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the operand of a condition on a place; places of faults begin with `value`. */
export const readPlace = (kind: PlaceKind, sent: unknown, names: PlaceNames, refuse: Refuse): Place | undefined => {
  if (sent === undefined || sent === null) return refuse('value', 'is required');
  if (!isObject(sent)) return refuse('value', 'must be an object', sent);
  const fields = kind === 'area' ? ['polygon'] : ['point', names.contactId, names.postalCode, 'km'];
  const other = Object.keys(sent).find((field) => !fields.includes(field));
  if (other !== undefined) return refuse(`value.${other}`, `is no field here: there are ${fields.join(', ')}`);
  return kind === 'area' ? readArea(sent.polygon, refuse) : readCircle(sent, names, refuse);
};

const readCircle = (sent: Record<string, unknown>, names: PlaceNames, refuse: Refuse): Circle | undefined => {
  const { km: radius } = sent;
  const message = `must be more than 0 and at most ${farthest} kilometres`;
  const km = isWithin(radius, 0, farthest) && radius > 0 ? radius : refuse('value.km', message, radius);
  const [field, ...more] = ['point', names.contactId, names.postalCode].filter((name) => (sent[name] ?? null) !== null);
  if (field === undefined || more.length > 0)
    return refuse('value', `must have exactly one of point, ${names.contactId} and ${names.postalCode}`, sent);
  const centre = readCentre(sent[field], field, names, refuse);
  return km !== undefined && centre ? { km, ...centre } : undefined;
};

const readCentre = (
  value: unknown,
  field: string,
  names: PlaceNames,
  refuse: Refuse,
): Omit<Circle, 'km'> | undefined => {
  const at = `value.${field}`;
  if (field === names.contactId) {
    const id = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
    const isId = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0;
    return isId ? { contactId: id } : refuse(at, 'must be the id of a contact', value);
  }
  if (field === names.postalCode) {
    if (typeof value === 'string' && readVisibleText(value)) return { postalCode: value };
    return refuse(at, 'must be a text that is not blank, at most 256 characters', value);
  }
  if (!isObject(value)) return refuse(at, 'must be an object with latitude and longitude', value);
  const other = Object.keys(value).find((name) => name !== 'latitude' && name !== 'longitude');
  if (other !== undefined) return refuse(`${at}.${other}`, 'is no field here: there are latitude, longitude');
  const read = (name: 'latitude' | 'longitude', most: number): number | undefined => {
    const degrees = value[name];
    if (isWithin(degrees, -most, most)) return degrees;
    return refuse(`${at}.${name}`, `must be from -${most} to ${most} degrees`, degrees);
  };
  const [latitude, longitude] = [read('latitude', 90), read('longitude', 180)];
  return latitude !== undefined && longitude !== undefined ? { centre: { latitude, longitude } } : undefined;
};

const readArea = (polygon: unknown, refuse: Refuse): Area | undefined => {
  const at = 'value.polygon';
  if (polygon === undefined || polygon === null) return refuse(at, 'is required');
  if (!Array.isArray(polygon) || polygon.length === 0)
    return refuse(at, 'must be a list of rings: the outer one, then those of holes', polygon);
  const count = polygon.reduce<number>((sum, ring) => sum + (Array.isArray(ring) ? ring.length : 0), 0);
  if (count > positionLimit) return refuse(at, `must have at most ${positionLimit} positions in all its rings`, count);
  for (const [index, ring] of polygon.entries()) {
    const here = `${at}[${index}]`;
    if (!Array.isArray(ring)) return refuse(here, 'must be a ring: a list of positions [longitude, latitude]', ring);
    for (const [number, position] of ring.entries()) {
      const [longitude, latitude] = Array.isArray(position) ? position : [];
      if (!Array.isArray(position) || position.length !== 2)
        return refuse(`${here}[${number}]`, 'must be a position [longitude, latitude]', position);
      if (!isWithin(longitude, -180, 180))
        return refuse(`${here}[${number}][0]`, 'must be a longitude from -180 to 180 degrees', longitude);
      if (!isWithin(latitude, -90, 90))
        return refuse(`${here}[${number}][1]`, 'must be a latitude from -90 to 90 degrees', latitude);
    }
    if (ring.length < 4) return refuse(here, 'must have at least 4 positions, of which the last is the first', ring);
    if (String(ring[0]) !== String(ring.at(-1)))
      return refuse(
        `${here}[${ring.length - 1}]`,
        'must be the first position again, which closes the ring',
        ring.at(-1),
      );
  }
  return { rings: polygon as Area['rings'] };
};

/** How many values a place binds beside those that every condition has: the positions of a polygon. */
export const countPositions = (place: Place | undefined): number =>
  place && 'rings' in place ? place.rings.reduce((sum, ring) => sum + ring.length, 0) : 0;

/** Whether coordinates that the space has decide where the place is. */
export const isLookedUp = (place: Place | undefined): place is Circle =>
  place !== undefined && 'km' in place && (place.contactId !== undefined || place.postalCode !== undefined);

/** The length of the great circle, in kilometres. The same text everywhere: a position in an order holds such a distance. */
export const buildDistanceSql = (table: string, latitude: string, longitude: string): string =>
  `${2 * earthRadius} * asin(least(1, sqrt(power(sin(radians(${table}.latitude - ${latitude}) / 2), 2)
     + cos(radians(${latitude})) * cos(radians(${table}.latitude)) * power(sin(radians(${table}.longitude - ${longitude}) / 2), 2))))`;

/** Bands of latitude of the index of places, which is by band, then by longitude. */
const bandsPerDegree = 20;
export const buildBandSql = (table: string): string => `floor(${table}.latitude * ${bandsPerDegree})`;

/** Bounds in degrees. The western one is the greater one where the box lies over the antimeridian. */
export interface Box {
  south: number;
  north: number;
  west: number;
  east: number;
}

export const listLatitudeBands = ({ south, north }: Pick<Box, 'south' | 'north'>): number[] => {
  const first = Math.floor(south * bandsPerDegree);
  return Array.from({ length: Math.floor(north * bandsPerDegree) - first + 1 }, (_, index) => first + index);
};

/** Rounding moves a bound by less than these degrees. The exact test decides. */
const slack = 1e-4;

const wrapLongitude = (longitude: number): number =>
  longitude < -180 ? longitude + 360 : longitude > 180 ? longitude - 360 : longitude;

export const computeBoxOfCircle = ({ latitude, longitude }: Coordinates, km: number): Box => {
  const reach = toAngle(km);
  const south = latitude - toDegrees(reach) - slack;
  const north = latitude + toDegrees(reach) + slack;
  // A circle around a pole has all longitudes.
  if (south <= -90 || north >= 90)
    return { south: Math.max(south, -90), north: Math.min(north, 90), west: -180, east: 180 };
  const width = toDegrees(Math.asin(Math.min(1, Math.sin(reach) / Math.cos(toRadians(latitude))))) + slack;
  return { south, north, west: wrapLongitude(longitude - width), east: wrapLongitude(longitude + width) };
};

export const computeBoxOfArea = ({ rings }: Area): Box => {
  const [outer] = rings as [Area['rings'][number]];
  const longitudes = outer.map(([longitude]) => longitude);
  const latitudes = outer.map(([, latitude]) => latitude);
  return {
    south: Math.max(Math.min(...latitudes) - slack, -90),
    north: Math.min(Math.max(...latitudes) + slack, 90),
    west: Math.min(...longitudes) - slack,
    east: Math.max(...longitudes) + slack,
  };
};

/** A range of longitudes in a band of latitude: one range of the index. */
export interface Strip {
  band: number;
  west: number;
  east: number;
}

const cosineOf = (degrees: number): number => Math.cos(toRadians(degrees));

/** How far a circle reaches east and west of its centre at a latitude, in degrees. */
const computeReach = (centre: Coordinates, km: number, latitude: number): number => {
  const [here, there] = [toRadians(centre.latitude), toRadians(latitude)];
  const cosine = (Math.cos(toAngle(km)) - Math.sin(here) * Math.sin(there)) / (Math.cos(here) * Math.cos(there));
  return toDegrees(Math.acos(Math.min(1, Math.max(-1, cosine))));
};

/** The same at each latitude of a band where it may be least or most. */
const listReaches = (centre: Coordinates, km: number, south: number, north: number): number[] => {
  const turn = toDegrees(Math.asin(Math.sin(toRadians(centre.latitude)) / Math.cos(toAngle(km))));
  const latitudes = [south, north, ...(turn > south && turn < north ? [turn] : [])];
  return latitudes.map((latitude) => computeReach(centre, km, latitude));
};

/** The part of a band between two offsets from a longitude, none of it twice. */
const cutStrip = (band: number, longitude: number, from: number, to: number): Strip[] => {
  if (to - from >= 360) return [{ band, west: -180, east: 180 }];
  const west = wrapLongitude(longitude + from);
  const east = west + to - from;
  if (east <= 180) return [{ band, west, east }];
  return [
    { band, west, east: 180 },
    { band, west: -180, east: east - 360 },
  ];
};

/** Strips that cover the ring between two circles around one centre, and little beside it. */
export const listStripsOfRing = (centre: Coordinates, from: number, to: number): Strip[] => {
  const box = computeBoxOfCircle(centre, to);
  return listLatitudeBands(box).flatMap((band) => {
    const south = Math.max(band / bandsPerDegree, box.south);
    const north = Math.min((band + 1) / bandsPerDegree, box.north);
    // So near a pole, rounding might leave out a part.
    if (cosineOf(centre.latitude) * Math.min(cosineOf(south), cosineOf(north)) < 1e-4)
      return cutStrip(band, centre.longitude, -180, 180);
    const outer = Math.min(180, Math.max(...listReaches(centre, to, south, north)) + slack);
    const inner = Math.min(...listReaches(centre, from, south, north)) - slack;
    if (!(inner > 0)) return cutStrip(band, centre.longitude, -outer, outer);
    if (inner >= outer) return [];
    if (outer === 180) return cutStrip(band, centre.longitude, inner, 360 - inner);
    return [...cutStrip(band, centre.longitude, -outer, -inner), ...cutStrip(band, centre.longitude, inner, outer)];
  });
};
