// Reads a stream of server-sent events: each with its name and its data, in their order.

export interface ServerEvent {
  name: string;
  data: string;
}

/** The next chunk; rejects with a TimeoutError when none comes in time. Servers send comments to keep a quiet stream alive. */
const readChunk = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  idleMs: number,
): Promise<ReadableStreamReadResult<Uint8Array>> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException(`Nothing came for ${idleMs} ms`, 'TimeoutError')), idleMs);
  });
  return Promise.race([reader.read(), late]).finally(() => clearTimeout(timer));
};

/** The event of the lines of a block; undefined for one that has comments only. */
const parseBlock = (block: string): ServerEvent | undefined => {
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r\n|\r|\n/)) {
    const [, field, value = ''] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
  }
  return data.length > 0 ? { name, data: data.join('\n') } : undefined;
};

/** Yields the events of a body until it ends. Cancels it when the loop is left. Rejects when the connection breaks, or is silent for `idleMs`. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  idleMs: number,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await readChunk(reader, idleMs);
      if (done) return;
      text += decoder.decode(value, { stream: true });
      // The last block is not complete yet; a line end may be split between chunks, so one at the very end waits too.
      const blocks = text.split(/\r\n\r\n|\n\n|\r\r(?!\n)/);
      text = blocks.pop()!;
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
