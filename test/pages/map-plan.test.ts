// The plan of the map: distances and directions as on the globe, round scales, towns at the middle of their people, names that do not overlap, and areas of a query.
import { describe, expect, it } from 'vitest';
import {
  chooseScale,
  type Degrees,
  findMiddlePoint,
  findNearest,
  fitPointsInFrame,
  listNamedCentres,
  listQueryAreas,
  listTowns,
  outlineCircle,
  placeNames,
} from '../../packages/pages/browser/map-plan.ts';
import { en } from '../../packages/pages/browser/texts-en.ts';
import { fr } from '../../packages/pages/browser/texts-fr.ts';

const frame = { width: 400, height: 300 };
const at = (latitude: number, longitude: number): Degrees => ({ latitude, longitude });
const [paris, lyon, brest, cayenne] = [at(48.8566, 2.3522), at(45.764, 4.8357), at(48.3904, -4.4861), at(4.93, -52.33)];

/** Kilometres between two places in the frame. */
const measure = (points: Degrees[], one: Degrees, other: Degrees): number => {
  const { project, kmPerPixel } = fitPointsInFrame(points, [], frame);
  const [from, to] = [project(one), project(other)];
  return Math.hypot(from.x - to.x, from.y - to.y) * kmPerPixel;
};

describe('the projection', () => {
  it.each([
    ['Paris and Lyon', paris, lyon, 392],
    ['Paris and Brest', paris, brest, 505],
    ['over 180 degrees', at(-16.5, 179.5), at(-16.5, -179.5), 107],
    ['at the equator', at(0, 10), at(0, 11), 111],
    ['in the north', at(70, 10), at(70, 11), 38],
  ])('is true to scale: %s', (_, one, other, km) => {
    expect(Math.abs(measure([one, other], one, other) - km)).toBeLessThan(km / 100);
  });

  it('has the north above, the east on the right, and every point in the frame', () => {
    const { project } = fitPointsInFrame([paris, lyon, brest], [], frame);
    const [one, two, three] = [project(paris), project(lyon), project(brest)];
    expect([one.y < two.y, one.x < two.x, three.x < one.x]).toEqual([true, true, true]);
    for (const { x, y } of [one, two, three])
      expect([x > 19.9, x < 380.1, y > 19.9, y < 280.1]).toEqual([true, true, true, true]);
  });

  it('puts one point, and many at the same place, in the middle, five kilometres around', () => {
    for (const points of [[paris], [paris, paris]]) {
      const { project, kmPerPixel } = fitPointsInFrame(points, [], frame);
      expect(project(paris)).toEqual({ x: 200, y: 150 });
      expect(kmPerPixel * frame.width).toBe(5);
    }
  });

  it('fits few points whatever their distance, and leaves out few that are far from many', () => {
    const isIn = ({ project }: ReturnType<typeof fitPointsInFrame>): boolean => project(cayenne).x >= 0;
    expect(isIn(fitPointsInFrame([paris, lyon, cayenne], [], frame))).toBe(true);
    const many = Array.from({ length: 40 }, (_, index) => [paris, lyon, brest][index % 3]!);
    expect(isIn(fitPointsInFrame([...many, cayenne], [], frame))).toBe(false);
    // The area of the query is always in the frame.
    expect(isIn(fitPointsInFrame([...many, cayenne], [[cayenne]], frame))).toBe(true);
  });

  it('fits an area without anybody', () => {
    const { project } = fitPointsInFrame([], [outlineCircle(paris, 10)], frame);
    expect(project(paris).x).toBeCloseTo(200, 3);
    expect(project(paris).y).toBeCloseTo(150, 1);
  });
});

it.each([
  [0.0125, 1],
  [0.1, 10],
  [0.19, 10],
  [0.2, 20],
  [0.51, 50],
  [7, 500],
])('at %d km per pixel, the scale is %d km', (kmPerPixel, km) => {
  const scale = chooseScale(kmPerPixel, 100);
  expect(scale.km).toBeCloseTo(km, 9);
  expect(scale.pixels).toBeCloseTo(km / kmPerPixel, 9);
});

describe('towns', () => {
  it('are counted as the search compares them, the largest first, and lie at the middle of their people', () => {
    const towns = listTowns([
      { city: ' Saint-Étienne', ...at(1, 1) },
      { city: 'Lyon', ...lyon },
      { city: 'SAINT-ETIENNE', ...at(2, 3) },
      { city: 'saint-étienne ', ...at(60, 2) },
      { city: ' ', ...paris },
      { city: null, ...paris },
    ]);
    expect(towns).toEqual([
      { name: 'Saint-Étienne', count: 3, ...at(2, 2) },
      { name: 'Lyon', count: 1, ...lyon },
    ]);
  });

  it('are named where there is room: the larger one of two, all of a name in the frame, ten at most', () => {
    const towns = [paris, at(48.86, 2.36), brest, lyon].map((one, index) => ({
      name: `Town number ${index}`,
      count: 4 - index,
      ...one,
    }));
    const projection = fitPointsInFrame([paris, lyon, brest], [], frame);
    const names = placeNames(towns, projection, frame);
    expect(names.map(({ name }) => name)).toEqual(['Town number 0', 'Town number 2', 'Town number 3']);
    for (const { name, x } of names) {
      expect(x - name.length * 3.5).toBeGreaterThanOrEqual(0);
      expect(x + name.length * 3.5).toBeLessThanOrEqual(400);
    }
    const grid = Array.from({ length: 60 }, (_, index) => ({
      name: 'T',
      count: 1,
      ...at(Math.floor(index / 10), index % 10),
    }));
    expect(placeNames(grid, fitPointsInFrame(grid, [], frame), frame)).toHaveLength(10);
    expect(placeNames([{ name: 'T'.repeat(80), count: 1, ...paris }], projection, frame)).toEqual([]);
  });
});

it('the nearest point is found, if it is close', () => {
  const spots = [
    { x: 10, y: 10 },
    { x: 14, y: 10 },
  ];
  expect(findNearest(spots, { x: 13, y: 11 })).toBe(spots[1]);
  expect(findNearest(spots, { x: 40, y: 10 })).toBeUndefined();
});

it('the sentence says how many are not shown, and why, in both languages', () => {
  const all = { shown: 2, total: 2, without: 0, unread: 0, outside: 0 };
  const some = { shown: 900, total: 1204, without: 80, unread: 204, outside: 20 };
  expect(
    [en, fr].flatMap(({ mapped }) => [mapped(all), mapped(some)].map((said) => said.replaceAll(/\s/g, ' '))),
  ).toEqual([
    '2 of 2 people are on the map.',
    '900 of 1,204 people are on the map. Not shown: 80 without coordinates, 204 after the first 1,000, 20 far away from the others.',
    'Sur la carte : 2 sur 2 personnes.',
    'Sur la carte : 900 sur 1 204 personnes. Absentes : 80 sans coordonnées, 204 après les 1 000 premières, 20 très loin des autres.',
  ]);
});

describe('areas', () => {
  it.each([
    [paris, 30],
    [cayenne, 2000],
    [at(-16.5, 179.9), 50],
  ])('a circle around %j is %d km from it all around', (centre, km) => {
    const haversine = (value: number): number => Math.sin(value / 2) ** 2;
    const radian = Math.PI / 180;
    for (const { latitude, longitude } of outlineCircle(centre, km)) {
      const half =
        haversine((latitude - centre.latitude) * radian) +
        Math.cos(latitude * radian) *
          Math.cos(centre.latitude * radian) *
          haversine((longitude - centre.longitude) * radian);
      expect(2 * 6371 * Math.asin(Math.sqrt(half))).toBeCloseTo(km, 3);
    }
  });

  const near = { near: { point: paris, km: 5 } };
  const ring = [
    [2, 48],
    [3, 48],
    [3, 49],
    [2, 48],
  ];
  const outline = [at(48, 2), at(48, 3), at(49, 3), at(48, 2)];
  it.each([
    ['nothing', undefined, []],
    ['a circle', { address: near }, [outlineCircle(paris, 5)]],
    ['a polygon with a hole', { address: { within: { polygon: [ring, ring] } } }, [outline, outline]],
    [
      'two conditions',
      { or: [{ not: { address: near } }, { address: { within: { polygon: [ring] } } }] },
      [outlineCircle(paris, 5), outline],
    ],
    ['a postal code', { address: { near: { postalCode: '69001', km: 5 } } }, [outlineCircle(lyon, 5)]],
    ['a postal code that nobody has', { address: { near: { postalCode: '00000', km: 5 } } }, []],
    ['a contact', { not: { address: { near: { contactId: 'Contact:7', km: 5 } } } }, [outlineCircle(paris, 5)]],
    ['no point', { address: { near: { point: null, km: 5 } } }, []],
    ['texts', { address: { near: { point: { latitude: '48', longitude: 2 }, km: 5 } } }, []],
    ['no positions', { address: { within: { polygon: [[[2], 'x', null]] } } }, [[]]],
    ['a town of that name', { address: { city: { equals: 'near' } } }, []],
  ])('of a query with %s', (_, query, areas) => {
    const known: Record<string, Degrees> = { 69001: lyon, 'Contact:7': paris };
    expect(listQueryAreas(query as never, ({ name }) => known[name])).toEqual(areas);
  });

  it('names the centres of circles in the order in which it outlines them', () => {
    const [first, second] = [
      { postalCode: '69001', km: 5 },
      { contactId: 'Contact:7', km: 1 },
    ];
    const query = {
      and: [{ address: { near: first } }, { not: { address: near } }, { or: [{ address: { near: second } }] }],
    };
    expect(listNamedCentres(query as never)).toEqual([
      { of: 'postalCode', name: '69001' },
      { of: 'contactId', name: 'Contact:7' },
    ]);
  });

  it('has the middle of points on both sides of 180 degrees between them', () => {
    expect(findMiddlePoint([])).toBeUndefined();
    const { latitude, longitude } = findMiddlePoint([at(10, 170), at(10, -170)])!;
    expect([latitude, Math.abs(longitude)]).toEqual([expect.closeTo(10.15, 2), expect.closeTo(180, 6)]);
  });
});
