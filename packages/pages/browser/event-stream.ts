// Reads the events of a subscription, as the server writes them.

/** Whether an answer has events. A request that is refused before it is read is answered as usual. */
export const isEventStream = ({ headers }: Response): boolean =>
  headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;

/** The JSON of each event; undefined for a comment, with which each stream begins. Cancels the answer when the loop is left. */
export async function* readEvents({ body }: Response): AsyncGenerator<string | undefined> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let text = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) yield /^data: (.+)$/m.exec(block)?.[1];
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
