// A sync of any length goes on where it was: what is remembered of pages, when there are more than are remembered.
import { expect, it } from 'vitest';
import { Anchors } from '../../src/data/search-memory.ts';

const place = (id: number) => ({ part: 0, key: null, id });

it('the first page begins at the beginning, and any other is reached from the nearest known before it', () => {
  const anchors = new Anchors();
  expect(anchors.before(0)).toEqual({ after: null, pages: 0 });
  expect(anchors.before(7)).toEqual({ after: null, pages: 7 });
  anchors.learn(3, place(30));
  anchors.learn(9, place(90));
  expect(anchors.before(7)).toEqual({ after: place(30), pages: 4 });
  expect(anchors.before(9)).toEqual({ after: place(90), pages: 0 });
});

it('a place that is learnt again is the later one', () => {
  const anchors = new Anchors();
  anchors.learn(3, place(30));
  anchors.learn(3, place(31));
  expect(anchors.before(3)).toEqual({ after: place(31), pages: 0 });
});

it('of twenty thousand pages, one after the other, each begins where the last one ended', () => {
  const anchors = new Anchors();
  for (let page = 1; page <= 20_000; page++) {
    anchors.learn(page, place(page * 50));
    expect(anchors.before(page)).toEqual({ after: place(page * 50), pages: 0 });
  }
});
