// Loaded into a server before it starts. On SIGUSR2 it reports the longest time for which its event loop was blocked since the last report, and how long the same work takes there each time: in CPU time of its thread where the system tells it.
import { readFileSync } from 'node:fs';

const schedule = `/proc/self/task/${process.pid}/schedstat`;
/** In milliseconds. */
const readCpu = () => {
  try {
    return Number(readFileSync(schedule, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
};

const records = Array.from({ length: 2000 }, (_, id) => ({
  id,
  name: `Name ${id}`,
  tags: ['alpha', 'beta'],
  address: { city: 'Town', floor: null },
}));
/** Writes and reads JSON as the operations do. */
const measureYardstick = () => {
  const start = readCpu();
  for (let count = 0; count < 3; count++) JSON.parse(JSON.stringify(records));
  return readCpu() - start;
};

let last = readCpu();
let held = 0;
setInterval(() => {
  const now = readCpu();
  held = Math.max(held, now - last);
  last = now;
}, 1).unref();
process.on('SIGUSR2', () => {
  const report = { held, yardstick: measureYardstick() };
  process.stdout.write(`${JSON.stringify(report)}\n`);
  held = 0;
  last = readCpu();
});
