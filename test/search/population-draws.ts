// How the rows of a population come by their values: what is missing, how often, and how many of a kind.
import { instants } from './pools.ts';
import type { Chance } from './random.ts';

export const userIds = [1, 2, 3, 4, 5, 6];

/** A text that is there in most rows; else null, empty, or blank. */
export const drawTextOrNone = (draw: Chance, pool: readonly string[], share = 0.75): string | null =>
  draw.odds(share) ? draw.pick(pool) : draw.pick([null, null, '', '   ']);

export const drawOrNull = <T>(draw: Chance, share: number, value: () => T): T | null =>
  draw.odds(share) ? value() : null;

/** When it was deleted, if it was. */
export const drawDeletion = (draw: Chance, share = 0.12): string | null =>
  drawOrNull(draw, share, () => draw.pick(instants));

/** None, one, a few or many of a kind. */
export const drawCount = (draw: Chance): number => draw.pick([0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 7]);
