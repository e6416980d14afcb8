// Mounts a disk for a test, so small that it can be filled. Mounting needs root.
import { execFileSync } from 'node:child_process';
import { onTestFinished, type TestContext } from 'vitest';

/** Mounts a disk of this size at `place` until the test is over. Skips the test, with the reason, where that is impossible. */
export const mountSmallDisk = (context: TestContext, place: string, size: string): void => {
  try {
    if (process.getuid?.() !== 0) throw new Error('it needs root');
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', place], { stdio: 'pipe' });
  } catch (error) {
    const reason = `no small disk can be mounted: ${(error as Error).message}`;
    console.warn(`skipped: ${reason}`);
    context.skip(reason);
  }
  onTestFinished(() => void execFileSync('umount', ['-l', place]));
};
