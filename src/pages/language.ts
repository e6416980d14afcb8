// The language of a page: the one that its address names, or else the one that the browser prefers.

export const languages = ['en', 'fr'] as const;
export type Language = (typeof languages)[number];

export const isLanguage = (text: string | null | undefined): text is Language =>
  languages.some((language) => language === text);

/** The first language of `Accept-Language` by weight that the pages have; English for none. */
export const chooseLanguage = (named: string | null, acceptLanguage: string | null): Language => {
  if (isLanguage(named)) return named;
  const weighed = (acceptLanguage ?? '').split(',').map((entry, place) => {
    const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return { language: range.split('-')[0], weight: Number(weight) || 0, place };
  });
  const [best] = weighed
    .filter(({ language, weight }) => isLanguage(language) && weight > 0)
    .sort((one, other) => other.weight - one.weight || one.place - other.place);
  return (best?.language as Language | undefined) ?? 'en';
};
