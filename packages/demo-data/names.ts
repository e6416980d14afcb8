// Names of people: first names by sex, surnames, and their spelling in a mail address.
import { faker as spanish } from '@faker-js/faker/locale/es';
import { faker as french } from '@faker-js/faker/locale/fr';
import { faker as swiss } from '@faker-js/faker/locale/fr_CH';
import { faker as senegalese } from '@faker-js/faker/locale/fr_SN';
import { faker as italian } from '@faker-js/faker/locale/it';
import { faker as polish } from '@faker-js/faker/locale/pl';
import { faker as portuguese } from '@faker-js/faker/locale/pt_PT';
import { createWeightedPicker, createZipfPicker, Picker, type Random } from './random.ts';

export type Sex = 'F' | 'M';
export interface Name {
  text: string;
  /** Only lower case ASCII letters. */
  folded: string;
}

// The package lists first names alphabetically, rare ones included. These frequent ones come first.
const frequent: Record<Sex, string> = {
  F: "Marie Camille Nathalie Isabelle Sylvie Catherine Léa Françoise Sophie Julie Chloé Céline Aurélie Émilie Sandrine Valérie Stéphanie Hélène Anne Martine Monique Christine Brigitte Nicole Jacqueline Emma Manon Inès Sarah Laura Pauline Margaux Clara Lucie Mathilde Élodie Zoé Jeanne Louise Alice Jade Ambre Anaïs Océane Maëlle Noémie Fatima Aïcha Nadia Samira Yasmine Leïla Maria Fatou Aminata Agnès Véronique Claire Florence Laurence Anne-Sophie Marie-Thérèse Marie-Claude Maïwenn Solène Éva D'Jamila",
  M: "Jean Michel Philippe Thomas Nicolas Pierre Alain Bernard Camille Christophe Laurent Patrick Éric François Julien David Sébastien Olivier Stéphane Frédéric Antoine Hugo Lucas Louis Mathieu Alexandre Maxime Clément Rémi Benoît Jérôme Théo Raphaël Gaël Loïc Joël Noël Mathéo Arthur Paul Jules Léo Gabriel Nathan Enzo Mohamed Karim Mehdi Rachid Youssef Mamadou Ibrahima Yann Erwan Hervé Gérard René André Jacques Daniel Dominique Jean-Pierre Jean-François Jean-Luc Jean-Baptiste Étienne José Kévin N'Golo",
};
const commonest =
  'Martin Bernard Thomas Petit Robert Richard Durand Dubois Moreau Laurent Simon Michel Lefebvre Leroy Roux David Bertrand Morel Fournier Girard Bonnet Dupont Lambert Fontaine Rousseau Vincent Muller Garcia Nguyen';
const accented =
  "Lefèvre Hervé Noël Gérard Müller Le Goff Le Bihan Le Dû Kerbrat Guéguen Béranger Côté Géraud Bénard Prévost Rémond Jégou Quéré Pélissier Séguin Besnard Gonçalves Etchégaray Ibáñez D'Angelo D'Almeida N'Diaye N'Guyen De La Fontaine Du Pré L'Hermitte Saint-Martin Benali Haddad Bouazza Cherif Mansouri Traoré Diallo Keïta Cissé Konaté Ben Salah El Amrani Yıldız Đặng Trần Ørsted Łukasik Sörensen O'Neill";

const replacements: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ı: 'i', œ: 'oe', æ: 'ae', ß: 'ss' };
const foldAccents = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[łøđıœæß]/g, (letter) => replacements[letter] as string)
    .normalize('NFD')
    .replace(/[^a-z0-9]/g, '');
const named = (text: string): Name => ({ text, folded: foldAccents(text) });
// The package writes "Da silva", and curly apostrophes in some first names.
const normalizeName = (text: string): string =>
  text.replace(/ [a-z]/g, (word) => word.toUpperCase()).replace(/’/g, "'");

type Locale = typeof french;
const surnames = (...locales: Locale[]): string[] =>
  locales.flatMap((locale) => (locale.rawDefinitions.person?.last_name?.generic ?? []).map(normalizeName));

const firstOf = (sex: Sex, key: 'female' | 'male'): Picker<Name> => {
  const head = frequent[sex].split(' ');
  const tail = (french.rawDefinitions.person?.first_name?.[key] ?? []).filter((name) => !head.includes(name));
  const weigh = (_: Name, rank: number): number => (rank < head.length ? 1 / (rank + 12) : 0.06 / (rank + 12));
  return new Picker([...head, ...tail.map(normalizeName)].map(named), weigh);
};
const particles = /^(Le|De|De La|Du|Ben|El)$/;
const splitNames = (text: string): string[] => {
  const names: string[] = [];
  let start = '';
  for (const word of text.split(' ')) {
    start = start ? `${start} ${word}` : word;
    if (particles.test(start)) continue;
    names.push(start);
    start = '';
  }
  return names;
};

const first: Record<Sex, Picker<Name>> = { F: firstOf('F', 'female'), M: firstOf('M', 'male') };
const families = createWeightedPicker<Picker<Name>>(
  [createZipfPicker([...new Set([...commonest.split(' '), ...surnames(french)])].map(named), 20), 0.66],
  [createZipfPicker(splitNames(accented).map(named), 10), 0.12],
  [createZipfPicker(surnames(swiss, portuguese, senegalese).map(named), 60), 0.12],
  [createZipfPicker(surnames(spanish, italian, polish).map(named), 300), 0.1],
);

export const pickFirstName = (random: Random, sex: Sex): Name => first[sex].pick(random);

export const pickSurname = (random: Random): Name => {
  const name = families.pick(random).pick(random);
  if (!random.chance(0.03)) return name;
  const second = families.pick(random).pick(random);
  return { text: `${name.text}-${second.text}`, folded: name.folded + second.folded };
};
