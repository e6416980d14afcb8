// The languages of the pages.
export const languages = ['en', 'fr'] as const;
export type Language = (typeof languages)[number];

export const isLanguage = (text: string | null | undefined): text is Language =>
  languages.some((language) => language === text);
