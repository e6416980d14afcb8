// Tags in one cell: any names come back as they were, and cells of other programs are read as ever.
import { expect, it } from 'vitest';
import { joinTags, splitTags } from '../../src/import/tag-list.ts';
import { createChance } from '../search/random.ts';

it('is read as names between semicolons', () => {
  expect(splitTags('a; b ;; * VIP ::: c;* myContacts')).toEqual(['a', 'b', 'VIP', 'c']);
  expect(splitTags('"Paris; south"; VIP;"the ""best"""')).toEqual(['Paris; south', 'VIP', 'the "best"']);
});

it.each([
  ['"open; a', ['"open', 'a']],
  ['5" nail; "a" and b', ['5" nail', '"a" and b']],
  ['""; a', ['""', 'a']],
])('has a quote as it is written, in %j', (text, names) => {
  expect(splitTags(text)).toEqual(names);
});

it('is what it was when it was written and read', () => {
  for (let seed = 0; seed < 5000; seed += 1) {
    const draw = createChance(seed);
    const parts = ['a', 'b', ';', '"', ' ::: ', '* ', ',', ' ', "'", '* myContacts'];
    const name = (): string => Array.from({ length: 1 + draw.whole(6) }, () => draw.pick(parts)).join('');
    const names = Array.from({ length: 1 + draw.whole(3) }, name)
      .map((one) => one.trim())
      .filter(Boolean);
    expect(splitTags(joinTags(names.map((one) => ({ name: one }))))).toEqual(names);
  }
});
