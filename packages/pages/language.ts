// The languages of the pages.
export const languages = ['en', 'fr'] as const;
export type Language = (typeof languages)[number];
export const languageNames: Record<Language, string> = { en: 'English', fr: 'Français' };

export const isLanguage = (text: string | null | undefined): text is Language =>
  languages.some((language) => language === text);

export type Label = Record<Language, string>;
export const say = (en: string, fr: string): Label => ({ en, fr });

/** The language of a list of preferred ones, such as `fr-CA`, the best first; English for others. */
export const findLanguage = (preferred: readonly string[]): Language =>
  preferred.map((one) => one.split('-')[0]!.toLowerCase()).find(isLanguage) ?? 'en';
