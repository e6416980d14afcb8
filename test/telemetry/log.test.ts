// The lines of the log, written to a fake that fails: which are dropped, how they are counted, and when that is reported.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LogLines, type Write } from '../../src/telemetry/log.ts';

/** A fake sink: it accepts bytes, keeps them waiting, or fails after so many. */
const openSink = () => {
  const sink = {
    text: '',
    writes: 0,
    fail: undefined as { code: string; after: number } | undefined,
    isStuck: false,
    release: () => {},
    write: ((bytes, done) => {
      sink.writes++;
      const finish = (): void => {
        const { code, after } = sink.fail ?? { after: bytes.length };
        const taken = bytes.subarray(0, after);
        sink.text += taken;
        done(code ? Object.assign(new Error(code), { code }) : null, taken.length);
      };
      if (sink.isStuck) sink.release = finish;
      else setImmediate(finish);
    }) as Write,
    lines: () => sink.text.split('\n').slice(0, -1),
  };
  return sink;
};
/** All lines have the same length. */
const line = (number: number): string => `{"n":${1000 + number}}\n`;
const size = line(0).length;
const notice = (dropped: number, reason: string) => ({
  level: 40,
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  dropped,
  reason,
  msg: 'lines of the log were dropped',
});
const writeAll = (lines: LogLines, from: number, count: number): void => {
  for (let number = from; number < from + count; number++) lines.write(line(number));
};

it('lines of one tick are written together, in their order, in writes of at most one batch', async () => {
  const sink = openSink();
  const lines = new LogLines({ write: sink.write, batch: 10 * size });
  writeAll(lines, 0, 25);
  expect(sink.writes).toBe(0);
  await lines.flush();
  expect([sink.writes, sink.text]).toEqual([3, Array.from({ length: 25 }, (_, n) => line(n)).join('')]);
  // A longer line is written by itself.
  const long = `${'é'.repeat(20 * size)}\n`;
  for (const text of [line(1), long, line(2)]) lines.write(text);
  await lines.flush();
  expect([sink.writes, sink.text.endsWith(line(1) + long + line(2))]).toEqual([6, true]);
});

it('lines that cannot be written are dropped, and the next successful write starts with a notice', async () => {
  const sink = openSink();
  const lines = new LogLines({ write: sink.write, batch: 10 * size, base: { worker: 2 } });
  sink.fail = { code: 'ENOSPC', after: 0 };
  writeAll(lines, 0, 25);
  await lines.flush(50);
  lines.write('Two lines\nat once\n');
  await lines.flush(50);
  // Each was tried once: failed notices do not loop.
  expect([sink.writes, sink.text]).toEqual([4, '']);
  sink.fail = undefined;
  lines.write(line(26));
  await lines.flush();
  lines.write(line(27));
  await lines.flush();
  expect(sink.lines().map((text) => JSON.parse(text))).toEqual([
    { ...notice(27, 'ENOSPC'), worker: 2 },
    { n: 1026 },
    { n: 1027 },
  ]);
});

it('a torn line is ended before the next, and the complete lines of a batch are not counted', async () => {
  const sink = openSink();
  const lines = new LogLines({ write: sink.write });
  sink.fail = { code: 'ENOSPC', after: 2 * size + 4 };
  writeAll(lines, 0, 5);
  await lines.flush(50);
  // The space left on the disk takes the end of the torn line, the notice and a bit more.
  sink.fail = {
    code: 'ENOSPC',
    after: 1 + JSON.stringify({ ...notice(3, 'ENOSPC'), time: new Date() }).length + 1 + 3,
  };
  writeAll(lines, 5, 2);
  await lines.flush(50);
  sink.fail = { code: 'EIO', after: 1 };
  writeAll(lines, 7, 1);
  await lines.flush(50);
  sink.fail = undefined;
  writeAll(lines, 8, 1);
  await lines.flush();
  const [first, second, torn, told, tornToo, toldToo, last] = sink.lines().filter(Boolean);
  expect([`${first}\n`, `${second}\n`, torn, tornToo, `${last}\n`]).toEqual([line(0), line(1), '{"n"', '{"n', line(8)]);
  expect([JSON.parse(told!), JSON.parse(toldToo!)]).toEqual([notice(3, 'ENOSPC'), notice(3, 'EIO')]);
});

it('while nothing is accepted the newest lines are kept, up to the limit, and the others counted', async () => {
  const sink = openSink();
  const lines = new LogLines({ write: sink.write, batch: 10 * size, limit: 100 * size });
  sink.isStuck = true;
  writeAll(lines, 0, 10);
  await turn();
  writeAll(lines, 10, 500);
  expect(sink.writes).toBe(1);
  sink.isStuck = false;
  sink.release();
  await lines.flush();
  const [told, ...kept] = sink.lines().slice(10);
  expect(JSON.parse(told!)).toEqual(notice(400, 'unread'));
  expect(kept.map((text) => JSON.parse(text).n)).toEqual(Array.from({ length: 100 }, (_, n) => 1410 + n));
});

it('a flush waits for the current write, but no longer than its limit', async () => {
  const sink = openSink();
  const lines = new LogLines({ write: sink.write });
  sink.isStuck = true;
  writeAll(lines, 0, 1);
  const before = performance.now();
  await lines.flush(100);
  expect(performance.now() - before).toBeGreaterThan(95);
  setTimeout(sink.release, 50);
  writeAll(lines, 1, 1);
  sink.isStuck = false;
  await lines.flush(10_000);
  expect([sink.text, performance.now() - before < 5000]).toEqual([line(0) + line(1), true]);
});

it('a flush reports dropped lines even when no further line is written', async () => {
  const sink = openSink();
  const lines = new LogLines({ write: sink.write });
  sink.fail = { code: 'EPIPE', after: 0 };
  writeAll(lines, 0, 3);
  await lines.flush(50);
  sink.fail = undefined;
  await lines.flush();
  expect(sink.lines().map((text) => JSON.parse(text))).toEqual([notice(3, 'EPIPE')]);
});
