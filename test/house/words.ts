// Words of the program: whether functions are named by verbs, and whether sentences of comments begin with their subject.
import { basename } from 'node:path';
import type { SourceFile } from './tree.ts';
import { verbs } from './verbs.ts';

/** The words of a name in camel case, in lower case. */
export const splitName = (name: string): string[] =>
  name.split(/(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());

export const hasLeadingVerb = (name: string): boolean => verbs.has(splitName(name)[0]!);

const inverted = /^(Who|Whoever|Whom|Whose|Of|What|Whatever|That|To|Nor|Where)\b/;

/** The sentences of a comment. */
export const splitSentences = (comment: string): string[] =>
  comment.split(/(?<=[.!?:])\s+(?=[A-Z`])/).filter((sentence) => /^[A-Z]/.test(sentence));

/** Sentences that begin with a clause or an infinitive in place of their subject. */
export const findInvertedSentences = ({ comments }: SourceFile): string[] =>
  comments.flatMap(splitSentences).filter((sentence) => inverted.test(sentence));

export interface WordCounts {
  functions: number;
  withVerb: number;
  words: number;
  ofOneWord: number;
  files: number;
  filesOfOneWord: number;
  sentences: number;
  inverted: number;
}

/** Counts over all files of the program. */
export const countWords = (files: readonly SourceFile[]): WordCounts => {
  const names = files.flatMap(({ functions }) => functions);
  return {
    functions: names.length,
    withVerb: names.filter(hasLeadingVerb).length,
    words: names.reduce((sum, name) => sum + splitName(name).length, 0),
    ofOneWord: names.filter((name) => splitName(name).length === 1).length,
    files: files.length,
    filesOfOneWord: files.filter(({ path }) => !basename(path, '.ts').includes('-')).length,
    sentences: files.flatMap(({ comments }) => comments.flatMap(splitSentences)).length,
    inverted: files.flatMap(findInvertedSentences).length,
  };
};
