// Loaded into a server before it starts: tells, when it is sent SIGUSR2, how long its event loop was held at most since the last time.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolution = 1;
const delay = monitorEventLoopDelay({ resolution });
delay.enable();
process.on('SIGUSR2', () => {
  const held = Math.max(0, delay.max / 1e6 - resolution);
  delay.reset();
  process.stdout.write(`${JSON.stringify({ held })}\n`);
});
