// Loaded into a server before it starts: tells, when it is sent SIGUSR2, how long its event loop was held at most since the last time.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolution = 1;
const delay = monitorEventLoopDelay({ resolution });
delay.enable();
process.on('SIGUSR2', () => {
  const held = delay.max / 1e6 - resolution;
  const rss = process.memoryUsage.rss() / 1024 / 1024;
  delay.reset();
  process.stdout.write(`${JSON.stringify({ held, rss, gc: typeof gc })}\n`);
});
