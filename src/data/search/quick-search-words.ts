// The words of a quick search: splits its text, and finds the texts of the space that contain each word, as it is written or misspelt.
import { defineStatement, type RunStatement } from '../../database/statement.ts';

/** How a word of the space matches: as it is written, as the beginning, or with one error. */
export type Quality = 'exact' | 'begun' | 'misspelt';
/** The columns of a word: first names, surnames with married names, or cities. */
export type Kind = 'f' | 's' | 'c';
/** The texts of the space that contain a word. */
type Texts = Partial<Record<Kind, readonly string[]>>;

export interface SearchedWord extends Record<Quality, Texts> {
  text: string;
  /** The last word of a search may be the beginning of one. */
  isLast: boolean;
}

/** A part of the text between two blanks. All of its words must match, or all of it is an email address, a phone number or an external id. */
export interface SearchedToken {
  /** Without case and accents. */
  text: string;
  words: SearchedWord[];
  /** The digits of a number, after a plus if it has a calling code; empty for anything else. */
  digits: string;
  /** The digits by which it may be dialled within a country. */
  national: readonly string[];
  /** The contacts with this external id. */
  externalIds: readonly string[];
  isLast: boolean;
}

/** Texts that are compared for one word. Texts with more words of the search come first, then shorter ones. */
const maxTexts = 100;
/** Rows of words that are read for one word of the search. */
const maxRows = 5000;
/** A shorter word has more neighbours than letters. */
const minMisspeltLetters = 3;

/** After all texts that begin with `text`. */
export const findUpperBound = (text: string): string => `${text}\u{10FFFF}`;

/** A group of digits as people write phone numbers: `06 12.34-56 78`, `+33`, `(0)6`. Longer ones are postal codes or whole numbers, unless they are the rest of a number. */
const digitGroup = /^[+(]*\p{Nd}{1,4}(?:[).-]+\p{Nd}{1,4})*[).-]*$/u;
const number = /^\+?[().-]*\p{Nd}[\p{Nd}().-]*$/u;

/** The rest of a number behind its calling code or its area code: `+33 612345678`, `030 1234567`. Behind an area code it is longer than a postal code. */
const restOfNumber = {
  called: /^(?:\(0\))?\p{Nd}{5,12}(?:[).-]+\p{Nd}{1,4})*[).-]*$/u,
  dialled: /^\p{Nd}{6,12}(?:[).-]+\p{Nd}{1,4})*[).-]*$/u,
};
/** Digits that the codes before such a rest have at most. */
const maxCodeDigits = 7;

/** Whether a part is the rest of the number that a token begins. */
const isRestOf = (token: string, part: string): boolean => {
  const digits = token.replace(/\P{Nd}/gu, '');
  if (digits.length > maxCodeDigits) return false;
  if (token.startsWith('+') || digits.startsWith('00')) return restOfNumber.called.test(part);
  return digits.startsWith('0') && restOfNumber.dialled.test(part);
};

/** Splits a text at its blanks, and joins consecutive groups of digits to a number. */
const splitText = (text: string): string[] => {
  const tokens: string[] = [];
  let joins = false;
  for (const part of text.split(/\s+/u).filter((part) => part !== '')) {
    const isGroup = digitGroup.test(part);
    if (joins && ((isGroup && !part.startsWith('+')) || isRestOf(tokens.at(-1)!, part)))
      tokens[tokens.length - 1] += part;
    else tokens.push(part);
    joins = isGroup;
  }
  return tokens;
};

const readTokensStatement = defineStatement(
  'quick.tokens',
  `select fold(t.text) as text, words_of(fold(t.text)) as words, dialled(t.number) as digits,
          case when dialled(t.number) like '+%' then array[(phone_forms(t.number, null))[2]] else national_forms(dialled(t.number)) end as national,
          array(select cast(c.id as text) from contacts c where c.group_id = :group and c.deleted_at is null and c.external_id = any(e.ids)
                 union select cast(c.merged_into as text) from contacts c
                        where c.group_id = :group and c.merged_into is not null and c.external_id = any(e.ids)) as ids
     from unnest(cast(:tokens as text[]), cast(:written as text[]), cast(:numbers as text[])) with ordinality t (text, written, number, place)
    cross join lateral (select array_agg(i.id) as ids from unnest(array[t.text, t.written, cast(:whole as text)]) one,
                               unnest(array[one, upper(one), lower(one)]) i (id)) e
    order by t.place`,
);

/** The first texts of each word, by kind and quality. */
const buildTextsSql = (found: string): string => `
  select place, quality, kind, array_agg(value order by nth) as texts
    from (
      select place, quality, kind, value, row_number() over (partition by place, quality, kind order by shared desc, length(value), value) as nth
        from (select place, quality, kind, value, count(*) over (partition by kind, value) as shared
                from (select distinct place, quality, kind, value from (${found}) read) once) counted) ranked
   where nth <= ${maxTexts}
   group by place, quality, kind`;

const asked = 'unnest(cast(:words as text[])) with ordinality w (word, place)';
const ofSpace = 'select k.kind, k.value from search_words k where k.group_id = :group';

const readTextsStatement = defineStatement(
  'quick.texts',
  buildTextsSql(`
    select w.place, 'exact' as quality, k.* from ${asked}
     cross join lateral (${ofSpace} and k.word = w.word limit ${maxRows}) k
    union all
    select w.place, 'begun', k.* from ${asked}
     cross join lateral (${ofSpace} and k.word > w.word and k.word < w.word || cast(:end as text) order by k.word limit ${maxRows}) k
     where w.word = :last`),
);

/**
 * Words that differ by one letter too many, too few or another, or by two that changed places. The words with a letter missing or two letters exchanged
 * are spelt out and looked up. A word with another or an additional letter keeps its first or its last half: indexes find the words with
 * that half, and patterns choose among them.
 */
const readNeighboursStatement = defineStatement(
  'quick.neighbours',
  `with asked as materialized (
     select w.word, w.place, length(w.word) as size, length(w.word) / 2 as half,
            array(select left(w.word, i - 1) || substr(w.word, i + 1) from generate_series(1, length(w.word)) i)
              || array(select left(w.word, i - 1) || substr(w.word, i + 1, 1) || substr(w.word, i, 1) || substr(w.word, i + 2)
                         from generate_series(1, length(w.word) - 1) i) as spelt,
            array(select left(w.word, i - 1) || '_' || substr(w.word, i + 1) from generate_series(1, length(w.word)) i)
              || array(select left(w.word, i) || '_' || substr(w.word, i + 1) from generate_series(0, length(w.word)) i) as patterns
       from ${asked})
   ${buildTextsSql(`
     select w.place, 'misspelt' as quality, k.* from asked w
      cross join lateral (
        (${ofSpace} and k.word = any(w.spelt) and k.word <> w.word limit ${maxRows})
        union all
        (${ofSpace} and k.word >= left(w.word, w.half) and k.word < left(w.word, w.half) || cast(:end as text)
            and length(k.word) in (w.size, w.size + 1) and k.word like any(w.patterns) and k.word <> w.word limit ${maxRows})
        union all
        (${ofSpace} and reverse(k.word) >= reverse(right(w.word, w.size - w.half))
            and reverse(k.word) < reverse(right(w.word, w.size - w.half)) || cast(:end as text)
            and length(k.word) in (w.size, w.size + 1) and k.word like any(w.patterns) and k.word <> w.word limit ${maxRows})) k`)}`,
);

interface FoundTexts {
  place: number;
  quality: Quality;
  kind: Kind;
  texts: string[];
}

/** Reads the tokens of a text, with the texts of the space that contain their words. */
export const readTokens = async (rows: RunStatement, text: string): Promise<SearchedToken[]> => {
  const split = splitText(text);
  const isNumber = split.map((token) => number.test(token));
  const read = await rows<Omit<SearchedToken, 'words' | 'isLast' | 'externalIds'> & { words: string[]; ids: string[] }>(
    readTokensStatement,
    {
      // An external id may look like a number, `2026-0012`, or have blanks: then all tokens mean its contact.
      written: split,
      whole: text.trim(),
      tokens: split.map((token, place) => (isNumber[place] ? token.replace(/\P{Nd}/gu, '') : token)),
      numbers: split.map((token, place) => (isNumber[place] ? token : '')),
    },
  );
  const tokens = read.map(({ words, ids, ...token }, index): SearchedToken => {
    const isLast = index === read.length - 1;
    const word = (text: string, place: number): SearchedWord => ({
      text,
      isLast: isLast && place === words.length - 1,
      exact: {},
      begun: {},
      misspelt: {},
    });
    return { ...token, words: words.map(word), externalIds: ids, isLast };
  });
  const words = tokens.flatMap(({ words }) => words);
  const found = await rows<FoundTexts>(readTextsStatement, {
    words: words.map(({ text }) => text),
    last: words.find(({ isLast }) => isLast)?.text ?? null,
    end: '\u{10FFFF}',
  });
  for (const { place, quality, kind, texts } of found) words[place - 1]![quality][kind] = texts;
  // A word that stands twice in a search is last in one place only.
  for (const word of words) if (!word.isLast) word.begun = {};
  return tokens;
};

/** Adds the texts with a word that differs by one error. */
export const readMisspeltWords = async (rows: RunStatement, tokens: readonly SearchedToken[]): Promise<void> => {
  const words = tokens
    .flatMap(({ words }) => words)
    .filter(({ text }) => !/^\d+$/.test(text) && [...text].length >= minMisspeltLetters);
  if (words.length === 0) return;
  const asked = { words: words.map(({ text }) => text), end: '\u{10FFFF}' };
  for (const { place, kind, texts } of await rows<FoundTexts>(readNeighboursStatement, asked))
    words[place - 1]!.misspelt[kind] = texts;
};
