// Keeps long work from holding the event loop: pieces of it run one after the other, and other requests are served in between.

/** In milliseconds: how long pieces run before the event loop gets its turn. */
const sliceMs = 2;

/** In milliseconds: how long a paced request waits between slices for unpaced ones, which take several turns of the event loop. */
const pauseMs = 8;

/** The number of unpaced requests under way, and callbacks that wait until there are none. */
let others = 0;
const waiting = new Set<() => void>();

const settleOne = (): void => {
  if (--others === 0) for (const go of waiting) go();
};

/** Counts a request as unpaced while it runs. */
export const countArrivedRequest = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  others++;
  try {
    return await work();
  } finally {
    settleOne();
  }
};

/** Calls back when no unpaced request is under way, and after `pauseMs` at the latest. */
export const runAfterOthers = (callback: () => void): void => {
  if (others === 0) {
    setImmediate(callback);
    return;
  }
  const go = (): void => {
    clearTimeout(timer);
    waiting.delete(go);
    setImmediate(callback);
  };
  const timer = setTimeout(go, pauseMs);
  waiting.add(go);
};

/** The pieces of one request. Few requests are paced at once, since what they hold is large. */
export class Pace {
  readonly #enter: () => Promise<() => void>;
  #leave: (() => void) | undefined;
  /** Whether this request no longer counts as unpaced. */
  #isCountedOut = false;
  #queue: (() => void)[] = [];
  #next = 0;
  #idle: (() => void)[] = [];
  #isRunning = false;
  #sliceStart = performance.now();

  /** `enter` waits until the request may begin; what it resolves to ends it. */
  constructor(enter: () => Promise<() => void> = async () => () => {}) {
    this.#enter = enter;
  }

  /** Waits until the request may begin. */
  async begin(): Promise<void> {
    if (this.#isCountedOut) return;
    this.#isCountedOut = true;
    settleOne();
    this.#leave = await this.#enter();
  }

  /** Call it when the answer is made, even if the request never began. */
  end(): void {
    if (this.#isCountedOut) others++;
    this.#isCountedOut = false;
    this.#leave?.();
    this.#leave = undefined;
  }

  /** Resolves when the next piece may run. Its synchronous continuation ends before the piece after it begins. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#start();
    });
  }

  /** Calls back when no piece is left: batched loaders then know everything that is wanted. */
  whenIdle(callback: () => void): void {
    this.#idle.push(callback);
    this.#start();
  }

  /** Lets other requests run when the slice is used up, for loops that can stop anywhere. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#sliceStart < sliceMs) return;
    await new Promise<void>((resolve) => this.#runAfterOthers(resolve));
    this.#sliceStart = performance.now();
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#later();
  }

  /** Calls back after other requests ran. */
  #runAfterOthers(callback: () => void): void {
    if (this.#isCountedOut) runAfterOthers(callback);
    else setImmediate(callback);
  }

  #later(): void {
    this.#runAfterOthers(() => {
      this.#sliceStart = performance.now();
      this.#run();
    });
  }

  #run(): void {
    const piece = this.#queue[this.#next];
    if (piece) {
      this.#queue[this.#next++] = undefined as never;
      piece();
    } else {
      this.#queue = [];
      this.#next = 0;
      const idle = this.#idle.splice(0);
      if (idle.length === 0) {
        this.#isRunning = false;
        return;
      }
      for (const callback of idle) callback();
    }
    // From a microtask, so that all promises that the piece settled have run their continuations: ticks come after them.
    queueMicrotask(() =>
      process.nextTick(() => (performance.now() - this.#sliceStart < sliceMs ? this.#run() : this.#later())),
    );
  }
}
