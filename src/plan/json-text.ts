// Writes results as JSON, whole or piece by piece; texts that PostgreSQL wrote are passed on.
import type { Pace } from '../limits/pace.ts';
import { createAnswerTooLargeProblem } from '../problem.ts';

/** JSON that is sent as it is. `etag` is the version of a single record. */
export class JsonText {
  readonly text: string;
  etag: number | undefined;

  constructor(text: string, etag?: number) {
    this.text = text;
    this.etag = etag;
  }
}

/** JSON of a value that contains `JsonText`. */
export const stringifyResult = (value: unknown): string => {
  if (value instanceof JsonText) return value.text;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => stringifyResult(item ?? null)).join(',')}]`;
  // Strings are appended rather than joined: a join copies them at every level.
  let members = '';
  for (const [key, inner] of Object.entries(value))
    if (inner !== undefined && typeof inner !== 'function')
      members += `${members && ','}${JSON.stringify(key)}:${stringifyResult(inner)}`;
  return `{${members}}`;
};

const isLeaf = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || 'toJSON' in value || value instanceof JsonText;

/** A list or an object that is being written: its values, its keys, and how many values are written. */
interface Frame {
  values: readonly unknown[];
  keys: readonly string[] | undefined;
  written: number;
}

const createFrame = (value: object): Frame => {
  if (Array.isArray(value)) return { values: value, keys: undefined, written: 0 };
  const members = value as Record<string, unknown>;
  const keys = Object.keys(members).filter((key) => members[key] !== undefined && typeof members[key] !== 'function');
  return { values: keys.map((key) => members[key]), keys, written: 0 };
};

/** How much is written before other requests run, in characters at least. */
const pieceLength = 65_536;

/** Yields the same text in pieces. It is iterative: a recursive generator passes each piece through every level. */
function* writePieces(root: unknown): Generator<string> {
  const frames: Frame[] = [];
  let text = '';
  const write = (value: unknown): void => {
    if (isLeaf(value)) text += stringifyResult(value);
    else {
      text += Array.isArray(value) ? '[' : '{';
      frames.push(createFrame(value as object));
    }
  };
  write(root);
  for (let frame = frames[0]; frame; frame = frames.at(-1)) {
    const { values, keys } = frame;
    if (frame.written === values.length) {
      text += keys ? '}' : ']';
      frames.pop();
      continue;
    }
    const index = frame.written++;
    if (index > 0) text += ',';
    if (keys) text += `${JSON.stringify(keys[index])}:`;
    write(values[index] ?? null);
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** JSON of a large value, as bytes; other requests run in between. Throws 422 as soon as it exceeds `maxBytes`. */
export const stringifyInPieces = async (
  value: unknown,
  pace: Pace,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> => {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const text of writePieces(value)) {
    const piece = Buffer.from(text);
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw createAnswerTooLargeProblem(maxBytes);
    pieces.push(piece);
    await pace.breathe();
  }
  return Buffer.concat(pieces);
};
