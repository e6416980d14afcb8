// Where contacts live, worked out without the database: the haversine formula, and rays that are cast through polygons.
import type { Condition } from './oracle-conditions.ts';
import { foldText } from './oracle-text.ts';
import type { Text, View } from './oracle-view.ts';

interface Point {
  latitude: number;
  longitude: number;
}
type Ring = [longitude: number, latitude: number][];

const radians = (degrees: number): number => (degrees / 180) * Math.PI;

export const measureDistance = (one: Point, other: Point): number => {
  const half = (a: number, b: number): number => Math.sin(radians(a - b) / 2) ** 2;
  const part =
    half(one.latitude, other.latitude) +
    Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * half(one.longitude, other.longitude);
  return 2 * 6371.0088 * Math.atan2(Math.sqrt(part), Math.sqrt(Math.max(0, 1 - part)));
};

/** The middle of points on the sphere. */
const findMiddlePoint = (points: readonly Point[]): Point | undefined => {
  if (points.length === 0) return undefined;
  const [x, y, z] = points.reduce(
    ([a, b, c], { latitude, longitude }) => [
      a + Math.cos(radians(latitude)) * Math.cos(radians(longitude)),
      b + Math.cos(radians(latitude)) * Math.sin(radians(longitude)),
      c + Math.sin(radians(latitude)),
    ],
    [0, 0, 0] as [number, number, number],
  );
  const degrees = (angle: number): number => (angle * 180) / Math.PI;
  return { latitude: degrees(Math.atan2(z, Math.hypot(x, y))), longitude: degrees(Math.atan2(y, x)) };
};

export const compileNearTest = ({ value }: Condition, { people }: View): ((at: Point) => boolean) => {
  const { km, point, contact_id, postal_code } = value as {
    km: number;
    point?: Point;
    contact_id?: number;
    postal_code?: string;
  };
  const placed = people.flatMap(({ id, own, at }) =>
    at ? [{ id, code: own['address.postalcode'] as Text | null, at }] : [],
  );
  const centre =
    point ??
    (postal_code === undefined
      ? placed.find(({ id }) => id === contact_id)?.at
      : findMiddlePoint(placed.filter(({ code }) => code?.folded === foldText(postal_code)).map(({ at }) => at)));
  return (at) => centre !== undefined && measureDistance(centre, at) <= km;
};

/** Whether a ray to the east crosses the ring an odd number of times. */
const isInRing = ({ latitude: y, longitude: x }: Point, ring: Ring): boolean =>
  ring.slice(1).reduce((inside, [x2, y2], index) => {
    const [x1, y1] = ring[index]!;
    return y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1) ? !inside : inside;
  }, false);

export const compileWithinTest = ({ value }: Condition): ((at: Point) => boolean) => {
  const [outer, ...holes] = (value as { polygon: [Ring, ...Ring[]] }).polygon;
  return (at) => isInRing(at, outer) && !holes.some((hole) => isInRing(at, hole));
};
