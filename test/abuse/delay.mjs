// Loaded into a server before it starts. On SIGUSR2 it reports the longest time for which the event loop was blocked since the last report.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolution = 1;
const delay = monitorEventLoopDelay({ resolution });
delay.enable();
process.on('SIGUSR2', () => {
  const held = Math.max(0, delay.max / 1e6 - resolution);
  delay.reset();
  process.stdout.write(`${JSON.stringify({ held })}\n`);
});
