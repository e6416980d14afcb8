// The texts of the page in the language that is chosen, for every component.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Language } from '../language.ts';
import { en, type Texts } from './texts-en.ts';
import { fr } from './texts-fr.ts';

export type { Texts } from './texts-en.ts';

export const textsOf: Record<Language, Texts> = { en, fr };

export const LanguageContext = createContext<Language>('en');

export const useLanguage = (): Language => useContext(LanguageContext);

export const useTexts = (): Texts => textsOf[useLanguage()];
