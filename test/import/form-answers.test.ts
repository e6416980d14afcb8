// Answers in cells: which value of a form a word means.
import { expect, it } from 'vitest';
import { createAnswerReader, type ImportForm } from '../../src/import/form-answers.ts';

const read = (type: ImportForm['type'], refs: ImportForm['refs'], text: string): string[] =>
  createAnswerReader('survey', 'Choice', [{ kind: 'survey', label: 'Choice', type, refs }], {} as never)(text);

it('a word means the value that is written so, before another that differs by case, and before a label', () => {
  const refs = ['a', 'A'].map((label) => ({ label, value: label }));
  for (const text of ['a', 'A']) expect(read('radio', refs, text)).toEqual([text]);
  expect(read('checkbox', refs, 'A; a')).toEqual(['A', 'a']);
  const crossed = [
    { label: 'Yes', value: 'No' },
    { label: 'No', value: 'Yes' },
  ];
  for (const text of ['Yes', 'No']) expect(read('radio', crossed, text)).toEqual([text]);
  expect(read('radio', crossed, 'yes')).toEqual(['Yes']);
});
