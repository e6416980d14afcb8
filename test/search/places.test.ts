// The strips of the index that circles and rings are read by: none of a ring is outside them, and none of them is read twice.
import { expect, it } from 'vitest';
import { computeBoxOfCircle, listLatitudeBands, listStripsOfRing } from '../../src/search/places.ts';
import { chooseCount } from '../harness/sizes.ts';
import { measureDistance } from './oracle-places.ts';
import { createChance } from './random.ts';

const centres = [
  [48.8566, 2.3522],
  [-18, 179.95],
  [-18, -180],
  [0, 180],
  [89.97, 40],
  [90, 0],
  [-90, 17],
  [-60, -120],
  [0, 0],
] as const;

const draw = createChance(7);
const drawDegrees = (most: number): number => ((draw.whole(2_000_001) - 1_000_000) / 1_000_000) * most;

it.each(centres)('around %d, %d', (latitude, longitude) => {
  const centre = { latitude, longitude };
  for (const to of [1, 17, 300, 4000, 9000, 12_000, 19_000, 20_037]) {
    const box = computeBoxOfCircle(centre, to);
    const bands = new Set(listLatitudeBands(box));
    for (const from of [0, to / 2, to * 0.99]) {
      const strips = listStripsOfRing(centre, from, to);
      for (let round = 0; round < chooseCount(300, 300, 3000); round++) {
        // Half of the points are near the centre, where small circles are.
        const reach = draw.odds(0.5) ? (to / 111) * 1.5 : 180;
        const at = {
          latitude: Math.max(-90, Math.min(90, latitude + drawDegrees(Math.min(90, reach)))),
          longitude: ((longitude + drawDegrees(Math.min(180, reach * 3)) + 540) % 360) - 180,
        };
        const distance = measureDistance(centre, at);
        const band = Math.floor(at.latitude * 20);
        const holding = strips.filter(
          (one) => one.band === band && at.longitude >= one.west && at.longitude <= one.east,
        );
        if (distance >= from && distance <= to) {
          expect({ centre, from, to, at, holding: holding.length }).toEqual({ centre, from, to, at, holding: 1 });
          const isEast = at.longitude >= box.west;
          const isWest = at.longitude <= box.east;
          expect({ at, inBox: box.west <= box.east ? isEast && isWest : isEast || isWest }).toEqual({
            at,
            inBox: true,
          });
          expect(bands.has(band)).toBe(true);
        } else expect(holding.length).toBeLessThan(2);
      }
    }
  }
});

it('of a ring far away are little beside it', () => {
  const width = (from: number): number =>
    listStripsOfRing({ latitude: 48.8566, longitude: 2.3522 }, from, 301).reduce(
      (sum, { west, east }) => sum + east - west,
      0,
    );
  expect(width(300) / width(0)).toBeLessThan(0.12);
});
