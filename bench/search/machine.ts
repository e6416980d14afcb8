// Says when and on what a table was measured.
import { cpus, loadavg, totalmem } from 'node:os';

export const describeMachine = (): string =>
  `${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB; load average ${loadavg()[0]!.toFixed(1)} at the end.`;
