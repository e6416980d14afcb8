// The pause between two attempts of a delivery: it doubles up to a limit, is moved by chance, and is as long as the receiver asks. The settings end all of them.
import { afterEach, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { computePause } from '../../src/jobs/deliver-webhook.ts';
import { readDeliveryPolicy } from '../../src/jobs/run.ts';

const hour = 3600;
afterEach(() => void vi.restoreAllMocks());

/** The pauses after these numbers of attempts. `chance` is from 0 to 1. */
const listPauses = (attempts: number[], chance: number, firstPause = 30): number[] => {
  vi.spyOn(Math, 'random').mockReturnValue(chance);
  return attempts.map((count) => computePause(count, firstPause, null));
};

it('doubles after each attempt, up to six hours', () => {
  expect(listPauses([1, 2, 3, 4, 10, 11, 40, 5000], 0.5)).toEqual([
    30,
    60,
    120,
    240,
    512 * 30,
    6 * hour,
    6 * hour,
    6 * hour,
  ]);
});

it('is moved by a fifth at most, in both directions', () => {
  const listRounded = (chance: number) => listPauses([1, 3, 5000], chance).map(Math.round);
  expect(listRounded(0)).toEqual([24, 96, 4.8 * hour]);
  expect(listRounded(1)).toEqual([36, 144, 7.2 * hour]);
});

it('differs from one delivery to the next', () => {
  const pauses = Array.from({ length: 100 }, () => computePause(1, 30, null));
  expect(new Set(pauses).size).toBeGreaterThan(90);
  expect(pauses.every((pause) => pause >= 24 && pause <= 36)).toBe(true);
});

it('is at least what the receiver asks for, up to a day, and never less than its own', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const asked = [10, 31, 7 * hour, 24 * hour, 25 * hour].map((seconds) => computePause(1, 30, seconds));
  expect(asked).toEqual([30, 31, 7 * hour, 24 * hour, 24 * hour]);
});

it('begins, and comes to an end, as the settings say, in seconds', () => {
  const config = readConfig({
    WEBHOOK_TIMEOUT_SECONDS: '7',
    WEBHOOK_RETRY_SECONDS: '11',
    WEBHOOK_RETRY_DAYS: '2',
    WEBHOOK_DISABLE_DAYS: '4',
  });
  expect(readDeliveryPolicy(config)).toMatchObject({
    timeout: 7,
    firstPause: 11,
    giveUpAfter: 48 * hour,
    disableAfter: 96 * hour,
  });
});
