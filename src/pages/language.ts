// The language of a page: the one that its address names, or else the one that the browser prefers.
import { listPreferredLanguages } from '../http/negotiation.ts';

export const languages = ['en', 'fr'] as const;
export type Language = (typeof languages)[number];

export const isLanguage = (text: string | null | undefined): text is Language =>
  languages.some((language) => language === text);

/** The first language of `Accept-Language` by weight that the pages have; English for none. */
export const chooseLanguage = (named: string | null, acceptLanguage: string | null): Language => {
  if (isLanguage(named)) return named;
  const preferred = listPreferredLanguages(acceptLanguage).map((range) => range.split('-')[0]!.toLowerCase());
  return preferred.find(isLanguage) ?? 'en';
};
