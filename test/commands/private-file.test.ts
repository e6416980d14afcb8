// The files that commands write beside long work.
import { createWriteStream } from 'node:fs';
import { expect, it } from 'vitest';
import { createLineWriter } from '../../src/commands/private-file.ts';

it('a file of lines that cannot be written is an error at its next line, and at its end', async () => {
  const lines = createLineWriter('rejects.ndjson', createWriteStream('/dev/full'));
  const failure = /^rejects\.ndjson cannot be written: ENOSPC/;
  lines.write({ id: 1 });
  await expect(lines.end()).rejects.toThrow(failure);
  expect(() => lines.write({ id: 2 })).toThrow(failure);
  await expect(lines.end()).rejects.toThrow(failure);
});
