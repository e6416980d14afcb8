// Conditions on where a contact lives: near a centre, or within a polygon. A contact without coordinates is nowhere, and so satisfies the negation.
import { negateSql } from './contact-conditions.ts';
import type { RowsTest } from './join-strategy.ts';
import type { Operand } from './operand.ts';
import { type Operator, splitNegation } from './operators.ts';
import {
  type Area,
  type Box,
  buildBandSql,
  buildDistanceSql,
  type Circle,
  computeBoxOfArea,
  computeBoxOfCircle,
  listLatitudeBands,
} from './places.ts';
import type { Binder } from './predicates.ts';

/** Bands that a condition looks up in the index. A place of more has much of the earth, and its contacts are tested one by one. */
const maxBands = 400;

/** Whether an address lies in a box, told by the index of places where that finds contacts. */
const buildBoxTests = (box: Box, { join, value }: Binder): string[] => {
  const number = (one: number): string => `cast(${value(one)} as double precision)`;
  const [west, east] = [number(box.west), number(box.east)];
  const bands = listLatitudeBands(box);
  const latitude =
    join !== 'probe' && bands.length <= maxBands
      ? `${buildBandSql('c')} = any(cast(${value(bands)} as double precision[]))`
      : `c.latitude between ${number(box.south)} and ${number(box.north)}`;
  const longitude =
    box.west <= box.east
      ? `c.longitude between ${west} and ${east}`
      : `(c.longitude between ${west} and 180 or c.longitude between -180 and ${east})`;
  return [latitude, longitude];
};

/** PostgreSQL would expect a polygon to hold a thousandth of the points in its box; of an expression it expects half of them. */
const expectHalf = (sql: string): string => `coalesce(${sql}, false)`;

/** The edges are straight in degrees, as those of GeoJSON. A point on the outer ring lies within, one on the ring of a hole does not. */
const buildAreaTest = ({ rings }: Area, { value }: Binder): string => {
  const [outer, ...holes] = rings.map((ring) => {
    const positions = ring.slice(0, -1).map(([longitude, latitude]) => `(${longitude},${latitude})`);
    return `cast(${value(`(${positions.join(',')})`)} as polygon) @> point(c.longitude, c.latitude)`;
  });
  return [outer!, ...holes.map((hole) => `not ${hole}`)].map(expectHalf).join(' and ');
};

const buildCircleTest = ({ latitude, longitude }: NonNullable<Circle['centre']>, km: number, { value }: Binder) => {
  const [north, east, most] = [latitude, longitude, km].map((one) => `cast(${value(one)} as double precision)`);
  return expectHalf(`${buildDistanceSql('c', north!, east!)} <= ${most}`);
};

export const compilePlaceCondition = (
  operator: Operator,
  { place }: Operand,
  binder: Binder,
): { sql: string } | { rows: RowsTest } => {
  const [, negated] = splitNegation(operator);
  // It knows how many live in a band and at a longitude, and takes them for independent: where towns are, it expects far too few.
  binder.noteMissingStatistics();
  const tests: string[] = [];
  if ('rings' in place!) tests.push(...buildBoxTests(computeBoxOfArea(place), binder), buildAreaTest(place, binder));
  else {
    const { centre, km } = place!;
    if (!centre) return { sql: negateSql('false', negated) };
    tests.push(...buildBoxTests(computeBoxOfCircle(centre, km), binder), buildCircleTest(centre, km, binder));
  }
  const test = `(${tests.join(' and ')})`;
  const scope = 'c.group_id = :group';
  return {
    rows: { join: binder.join, from: 'addresses c', contact: 'c.contact_id', scope, test, negated, isSingle: true },
  };
};
