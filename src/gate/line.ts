// Lines before the database: whoever comes while their line is being served goes in with all who came meanwhile, by one question.

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Asks for an item of a line: at once when nobody of that line is being asked for, else together with all who wait, in their order
 * and at most `most` at a time. `ask` gives an answer for each; when it throws, all it was asked for fail with that.
 */
export const inLines = <Item, Answer>(ask: (line: string, items: Item[]) => Promise<Answer[]>, most: number) => {
  const lines = new Map<string, Waiting<Item, Answer>[]>();

  const serve = async (name: string, line: Waiting<Item, Answer>[]): Promise<void> => {
    while (line.length > 0) {
      const served = line.splice(0, most);
      try {
        const answers = await ask(
          name,
          served.map(({ item }) => item),
        );
        for (const [index, { resolve }] of served.entries()) resolve(answers[index]!);
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
    lines.delete(name);
  };

  return (name: string, item: Item): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject };
      const line = lines.get(name);
      if (line) {
        line.push(waiting);
      } else {
        const begun = [waiting];
        lines.set(name, begun);
        void serve(name, begun);
      }
    });
};
