// Lines before the database: whoever comes while their line is being served goes in with all who came meanwhile, by one statement.
import { setImmediate as turn } from 'node:timers/promises';

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
}

/**
 * Asks for an item of a line: at once, with whoever came at the same moment, when nobody of that line is being asked for; else
 * together with all who wait. They are asked for in their order, `most` at most at a time. `ask` gives an answer for each; when it
 * throws, all it was asked for fail with that.
 */
export const inLines = <Line, Item, Answer>(
  ask: (line: Line, items: Item[]) => Promise<(Answer | Promise<Answer>)[]>,
  most: number,
) => {
  const lines = new Map<Line, Waiting<Item, Answer>[]>();

  const serve = async (line: Line, waiting: Waiting<Item, Answer>[]): Promise<void> => {
    while (waiting.length > 0) {
      // What has arrived already is read in this turn of the event loop, and goes along.
      if (waiting.length < most) await turn();
      const served = waiting.splice(0, most);
      try {
        const answers = await ask(
          line,
          served.map(({ item }) => item),
        );
        for (const [index, { resolve }] of served.entries()) resolve(answers[index]!);
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
    lines.delete(line);
  };

  return (line: Line, item: Item): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const one = { item, resolve, reject };
      const waiting = lines.get(line);
      if (waiting) {
        waiting.push(one);
      } else {
        const begun = [one];
        lines.set(line, begun);
        void serve(line, begun);
      }
    });
};
