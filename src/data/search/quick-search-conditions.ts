// The SQL conditions of a quick search on the search row: one for each of its tokens, by what may match and how well.
import type { Values } from '../../database/statement.ts';
import {
  findUpperBound,
  type Kind,
  type Quality,
  type SearchedToken,
  type SearchedWord,
} from './quick-search-words.ts';

/** The columns in which words may match. */
export type Scope = 'names' | 'everything';

const nameColumns: [column: string, kind: Kind][] = [
  ['surname', 's'],
  ['firstname', 'f'],
  ['married_name', 's'],
];
const columnsOf: Record<Scope, typeof nameColumns> = {
  names: nameColumns,
  everything: [...nameColumns, ['city', 'c']],
};

/** Digits that a number has at least to be looked up among the phones. */
const minPhoneDigits = 4;

/** Gathers conditions and the values that they are bound to. */
export class QuickConditions {
  readonly values: Values = {};
  /** Each value is bound once. */
  readonly #names = new Map<string, string>();

  /** The alternatives by which a contact matches a token; none when no contact can. */
  listArms(token: SearchedToken, quality: Quality, scope: Scope): string[] {
    const arms = scope === 'everything' ? [...this.#matchWhole(token, quality)] : [];
    if (token.text.includes('@')) return arms;
    const words = token.words.map((word) => this.#matchWord(word, quality, scope));
    if (words.length === 1) return [...arms, ...words[0]!];
    if (words.some((alternatives) => alternatives.length === 0)) return arms;
    return [...arms, ...(words.length > 0 ? [words.map(joinArms).join(' and ')] : [])];
  }

  #matchWord(word: SearchedWord, quality: Quality, scope: Scope): string[] {
    const arms = columnsOf[scope].flatMap(([column, kind]) => {
      const begun = quality === 'exact' ? [] : (word.begun[kind] ?? []);
      const misspelt = quality === 'misspelt' ? (word.misspelt[kind] ?? []) : [];
      const texts = [...(word.exact[kind] ?? []), ...begun, ...misspelt];
      return [
        ...(texts.length > 0 ? [`s.${column} = any(cast(${this.#bind(texts)} as text[]))`] : []),
        // There are more texts that begin with a short word than are listed.
        ...(begun.length > 0 ? [this.#beginWith(`s.${column}`, word.text)] : []),
      ];
    });
    if (scope === 'everything' && /\d/.test(word.text)) {
      arms.push(`s.postal_code = ${this.#bind(word.text)}`);
      if (quality !== 'exact' && word.isLast) arms.push(this.#beginWith('s.postal_code', word.text));
    }
    return arms;
  }

  /** Conditions for a token that is an id, an email address or a phone number as a whole. */
  *#matchWhole(token: SearchedToken, quality: Quality): Generator<string> {
    const { text, digits, national, externalIds } = token;
    if (externalIds.length > 0) yield `s.contact_id = any(cast(${this.#bind(externalIds)} as bigint[]))`;
    const mayBegin = token.isLast && quality !== 'exact';
    if (isLikeAddress(token)) {
      if (mayBegin) yield this.#beginWith('s.mail', text);
      else yield text.includes('@') ? `s.mail = ${this.#bind(text)}` : this.#beginWith('s.mail', `${text}@`);
    }
    if (digits.replace(/^[+0]+/, '').length < minPhoneDigits) return;
    const whole = digits.startsWith('+') ? digits : `+${digits}`;
    for (const column of ['s.mobile', 's.phone']) {
      yield `${column}_national = any(cast(${this.#bind(national)} as text[]))`;
      if (mayBegin) for (const text of national) yield this.#beginWith(`${column}_national`, text);
      yield mayBegin ? this.#beginWith(column, whole) : `${column} = ${this.#bind(whole)}`;
    }
  }

  #beginWith(expression: string, text: string): string {
    return `(${expression} >= ${this.#bind(text)} and ${expression} < ${this.#bind(findUpperBound(text))})`;
  }

  #bind(value: string | readonly string[]): string {
    const key = JSON.stringify(value);
    const name = this.#names.get(key) ?? `q${this.#names.size}`;
    this.#names.set(key, name);
    this.values[name] = value;
    return `:${name}`;
  }
}

/** A name is looked up among the names alone, since many addresses begin with it. */
const isLikeAddress = ({ text, words }: SearchedToken): boolean =>
  text !== '' && (/[@._]/.test(text) || words.some(({ exact }) => Object.keys(exact).length === 0));

/** The condition that any of the alternatives holds. */
export const joinArms = (arms: readonly string[]): string => `(${arms.join(' or ')})`;
