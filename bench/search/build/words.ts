// The vocabulary: names, places and words, each list from the most frequent value to the rarest.

const list = (text: string): string[] => text.split(/[|\n]/).map((word) => word.trim());

/** The spelling in a mail address. */
export const foldText = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Zoé is frequent and sorts last, so that a search for her in the order of first names passes all others. */
export const firstNames = list(`Marie|Paul|Léa|Étienne|Zoé|Jérôme|Hélène|Nicolas|Chloé|Sébastien|Nathalie
  Michel|Isabelle|Maëlle|Alain|Sophie|Bernard|Camille|Mathéo|Julie|Thomas|Élodie|Antoine|Loïc|Anaïs|Gaël|Inès|Joël|Agnès
  Raphaël|Océane|Benoît|Théo|Aurélie|Clément|Valérie|Rémi|Stéphane|Emma|Patrice|Manon|Hugo|Sarah|Lucas|Laura|Margaux|Pauline|Noël|Jean|Françoise`);

const heads = list('ma|lé|be|ro|gau|la|mo|pi|fé|vi|che|ri|sa|lu|no|ca|dé|bou|tho|je');
const middles = list('rt|nn|r|v|ll|ch|mm|b|ss|t|nd|rr|l|gn|ç|ff|d|tr|p|z');
const tails = list('in|eau|et|ier|on|ard|el|ot|é|ois|and|ez|as|oux|elle|y|ais|ière|er|ou');
const ends = ['', 'val', 'mont', 'court'];

const mixed = (index: number, ...digits: string[][]): string =>
  digits.reduce<[text: string, rest: number]>(
    ([text, rest], part) => [text + part[rest % part.length], Math.floor(rest / part.length)],
    ['', index],
  )[0];

/** Martin is the most frequent, Légnon one of the rarest. */
export const surnames = Array.from({ length: 20_000 }, (_, index) =>
  capital(mixed(index, heads, middles, tails, ends)),
);

const towns = list('Paris|Lyon|Marseille|Nantes|Toulouse|Lille|Saint-Étienne|Bordeaux|Besançon|Orléans|Béziers|Nîmes');
const places = [
  list('saint-|ville|mont|châtel-|bourg-|pont-|le |la '),
  list('mar|bel|vau|rou|fré|cham|dié|gran|per|lau'),
  list('tin|mont|ville|court|ange|fort|bois|y|ac|on'),
  ['', ...list('-sur-loire|-sur-seine|-sur-mer|-en-forêt|-le-vieux|-sur-isère|-les-bains')],
];

export const cities = Array.from({ length: 5000 }, (_, index) => towns[index] ?? capital(mixed(index, ...places)));

const topics = list(`soutien|bénévole|réunion|climat|école|santé|transport|logement|retraite|énergie|marché|quartier
  militant|tract|affiche|débat|sécurité|emploi|culture|sport`);
const qualities = list('fort|moyen|faible|local|régional|national|régulier|ponctuel|été|hiver');

/** Words of answers and mailings: every twentieth belongs to one topic. */
export const words = Array.from({ length: 2000 }, (_, index) => {
  const topic = topics[index % topics.length]!;
  if (index < topics.length) return topic;
  return `${topic} ${qualities[Math.floor(index / topics.length) % qualities.length]} ${Math.floor(index / 200)}`;
});
