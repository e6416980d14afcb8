// Loaded into a server before it starts. On SIGUSR2 it reports the longest time for which its event loop was blocked since the last report: in CPU time of its thread where the system tells it, which other load on the machine does not change.
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

let last = readCpu();
let held = 0;
setInterval(() => {
  const now = readCpu();
  held = Math.max(held, now - last);
  last = now;
}, 1).unref();
process.on('SIGUSR2', () => {
  process.stdout.write(`${JSON.stringify({ held })}\n`);
  held = 0;
});
