// Turns: of the work of one space only so much is under way at once; the rest waits in line, some of it, for some time.
import type { Problem } from '../problem.ts';

interface TurnsOptions {
  /** Pieces of work of one space at once. */
  atOnce: number;
  /** Pieces that may wait. */
  waiting: number;
  /** In milliseconds: how long one waits. */
  patience: number;
  /** What a piece is told for which there is no room, or no time. */
  refusal(): Problem;
  /** What a piece is told whose client went away while it waited. */
  abandonment(): Problem;
}

interface Line {
  busy: number;
  waiting: (() => void)[];
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #lines = new Map<number, Line>();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Waits for the turn of a piece of work; the turn ends when what this resolves to is called. Throws the refusal. */
  async take(space: number, signal?: AbortSignal): Promise<() => void> {
    const line = this.#lines.get(space) ?? { busy: 0, waiting: [] };
    this.#lines.set(space, line);
    if (line.busy < this.#options.atOnce) line.busy++;
    else await this.#wait(line, signal);
    return () => this.#leave(space);
  }

  #wait(line: Line, signal: AbortSignal | undefined): Promise<void> {
    const { waiting, patience, refusal, abandonment } = this.#options;
    if (line.waiting.length >= waiting) throw refusal();
    return new Promise<void>((resolve, reject) => {
      const leave = (reason: Problem): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        line.waiting = line.waiting.filter((one) => one !== turn);
        reject(reason);
      };
      const abort = (): void => leave(abandonment());
      const timer = setTimeout(() => leave(refusal()), patience);
      const turn = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      line.waiting.push(turn);
    });
  }

  /** Hands the turn to whoever waits longest. */
  #leave(space: number): void {
    const line = this.#lines.get(space)!;
    const next = line.waiting.shift();
    if (next) next();
    else if (--line.busy === 0) this.#lines.delete(space);
  }
}
