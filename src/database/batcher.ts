// Lines before the database: whoever comes while their line is being served goes in with all who came meanwhile, by one statement.
import { setImmediate as turn } from 'node:timers/promises';

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
}

interface BatcherOptions {
  /** Items that are asked for at a time. */
  maxBatch: number;
  /**
   * In milliseconds: whoever waits goes ahead of a statement that has taken so long, since its connection may be dead. Without it
   * they wait for its end.
   */
  overtakeAfterMs?: number;
}

/** Statements of one line that are overtaken, at most: each holds a connection. */
const maxOvertaken = 3;

interface BatchQueue<Item, Answer> {
  waiting: Waiting<Item, Answer>[];
  isServed: boolean;
  overtaken: number;
}

/** Whether work takes longer than `ms`, as soon as that is known. */
const takesLonger = (work: Promise<void>, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, true);
    void work.then(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });

/**
 * Asks for an item of a line: at once, with whoever came at the same moment, when nobody of that line is being asked for; else
 * together with all who wait. They are asked for in their order. `ask` gives an answer for each; when it throws, all it was asked
 * for fail with that.
 */
export const createBatcher = <Key, Item, Answer>(
  ask: (key: Key, items: Item[]) => Promise<(Answer | Promise<Answer>)[]>,
  { maxBatch: most, overtakeAfterMs: overtakeAfter }: BatcherOptions,
) => {
  const lines = new Map<Key, BatchQueue<Item, Answer>>();

  const askFor = async (key: Key, served: Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await ask(
        key,
        served.map(({ item }) => item),
      );
      for (const [index, { resolve }] of served.entries()) resolve(answers[index]!);
    } catch (error) {
      for (const { reject } of served) reject(error);
    }
  };

  const forget = (key: Key, { isServed, overtaken }: BatchQueue<Item, Answer>): void => {
    if (!isServed && overtaken === 0) lines.delete(key);
  };

  const serve = async (key: Key, line: BatchQueue<Item, Answer>): Promise<void> => {
    const { waiting } = line;
    line.isServed = true;
    while (waiting.length > 0) {
      // What has arrived already is read in this turn of the event loop, and goes along.
      if (waiting.length < most) await turn();
      const asked = askFor(key, waiting.splice(0, most));
      if (overtakeAfter === undefined || line.overtaken === maxOvertaken) await asked;
      else if (await takesLonger(asked, overtakeAfter)) {
        line.overtaken++;
        void asked.then(() => {
          line.overtaken--;
          forget(key, line);
        });
      }
    }
    line.isServed = false;
    forget(key, line);
  };

  return (key: Key, item: Item): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const line = lines.get(key) ?? { waiting: [], isServed: false, overtaken: 0 };
      line.waiting.push({ item, resolve, reject });
      lines.set(key, line);
      if (!line.isServed) void serve(key, line);
    });
};
