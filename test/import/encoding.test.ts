// The encodings of files that are imported: every byte of windows-1252 there and back, and UTF-8 wherever a file is cut into chunks.
import { describe, expect, it } from 'vitest';
import {
  decodeChunks,
  detectEncoding,
  type Encoding,
  encodeText,
  findEncodingName,
  guessEncodingName,
} from '../../src/import/encoding.ts';

async function* chunks(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < content.length; from += size) yield content.subarray(from, from + size);
}
const textOf = async (content: Buffer, encoding: Encoding, size = 3): Promise<string> => {
  let text = '';
  for await (const piece of decodeChunks(chunks(content, size), encoding)) text += piece;
  return text;
};

describe('windows-1252', () => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  it('has the characters that the web has, and bytes without one stay what they are', async () => {
    const text = await textOf(every, 'windows-1252');
    const latin = every.toString('latin1');
    const special = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
    expect(text).toBe(latin.slice(0, 0x80) + special + latin.slice(0xa0));
    expect(encodeText(text, 'windows-1252')).toEqual(every);
  });

  it.each(['latin1', 'ISO-8859-1', 'cp1252', ' Windows-1252 '])('is what %s means', (name) => {
    expect(findEncodingName(name)).toBe('windows-1252');
  });

  it.each(['constructor', 'utf-32', ''])('is not what %j means, nor is any other', (name) => {
    expect(findEncodingName(name)).toBeUndefined();
  });
});

describe('UTF-8', () => {
  const text = 'é\u20ac\u{1f600}\r\nLœb\n\u2028\n';
  const sizes = [1, 2, 3, 4, 5, 7, 100];
  it.each(sizes)('is known in chunks of %i bytes', async (size) => {
    const content = Buffer.from(text);
    expect(await detectEncoding(chunks(content, size), 'utf-8')).toEqual({ encoding: 'utf-8', bom: false });
    expect(await textOf(content, 'utf-8', size)).toBe(text);
  });

  it.each(sizes)('that is broken is told with its line, in chunks of %i bytes', async (size) => {
    for (const [line, content] of [
      [1, Buffer.from([0x41, 0xe9, 0x0a, 0x42])],
      [3, Buffer.concat([Buffer.from('é\nb\n'), Buffer.from([0xe9, 0x0a])])],
      [2, Buffer.concat([Buffer.from('é\nb'), Buffer.from([0xc3])])],
      // An overlong form, a surrogate, what lies beyond Unicode.
      [2, Buffer.from([0x0a, 0xc0, 0x80])],
      [2, Buffer.from([0x0a, 0xed, 0xa0, 0x80, 0x0a])],
      [1, Buffer.from([0xf4, 0x90, 0x80, 0x80])],
    ] as const)
      await expect(detectEncoding(chunks(content, size), 'utf-8')).rejects.toThrow(`line ${line} is not UTF-8`);
  });

  it('with a byte order mark has none in its text', async () => {
    const content = Buffer.from('\ufeffa');
    expect(await detectEncoding(chunks(content, 100), 'utf-8')).toEqual({ encoding: 'utf-8', bom: true });
    expect(await textOf(content, 'utf-8', 1)).toBe('a');
  });
});

describe('a file that begins with the mark of UTF-8, but has a line in another encoding', () => {
  const content = Buffer.concat([Buffer.from('\ufeffa;b\n'), Buffer.from([0xe9, 0x0a])]);

  it('is not taken for one of windows-1252, which it cannot be read as', async () => {
    expect(await guessEncodingName(chunks(content, 100))).toBe('utf-8');
  });

  it('is refused with its line, and without an option that would be refused too', async () => {
    const message = await detectEncoding(chunks(content, 100), 'utf-8').then(String, ({ message }) => message);
    expect(message).toMatch(/^line 2 is not UTF-8, but the file begins with the byte order mark of utf-8/);
    expect(message).not.toContain('--encoding');
  });
});

it.each(['utf-16le', 'utf-16be'] as const)('%s is what it was when it has been text', async (encoding) => {
  const content = encodeText('\ufeffé\u{1f600}\n', encoding);
  expect(await detectEncoding(chunks(content, 100), 'utf-16')).toEqual({ encoding, bom: true });
  expect(encodeText(`\ufeff${await textOf(content, encoding)}`, encoding)).toEqual(content);
});

it('an empty file is in any encoding', async () => {
  for (const name of ['utf-8', 'windows-1252', 'utf-16'] as const)
    expect((await detectEncoding(chunks(Buffer.alloc(0), 1), name)).bom).toBe(false);
});
