// Places: the communes of France with their postal codes, picked by population, and a few towns abroad.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { middleOf } from './departements.ts';
import { Picker, Random } from './random.ts';

export interface Town {
  city: string;
  citycode: string | null;
  postalCodes: string[];
  departement: string;
  county: string | null;
  state: string | null;
  country: string;
  /** The first digits of a landline there, from the number ranges reserved for fiction. */
  landline: string;
  /** In millionths of a degree. */
  latitude: number;
  longitude: number;
  population: number;
}
export type Places = Picker<Town>;

type Named = Record<'code' | 'nom', string>;
interface Commune extends Named {
  type: string;
  zone: string;
  departement: string;
  region: string;
  codesPostaux?: string[];
  population?: number;
}
const { resolve } = createRequire(import.meta.url);
const read = <T>(file: string): T[] =>
  JSON.parse(readFileSync(resolve(`@etalab/decoupage-administratif/data/${file}.json`), 'utf8'));

const landlines = ['+3319900', '+3326191', '+3335301', '+3346571', '+3353649'] as const;
/** The phone zone of each mainland region. Others belong to the south-west. */
const zones: Record<string, number> = { 11: 0, 24: 1, 28: 1, 52: 1, 53: 1, 27: 2, 32: 2, 44: 2, 84: 3, 93: 3, 94: 3 };

const placeOf = (commune: Commune, counties: Map<string, string>, states: Map<string, string>): Town => {
  const { latitude, longitude, spread } = middleOf.get(commune.departement) ?? { latitude: 0, longitude: 0, spread: 0 };
  // The coordinates of a commune depend only on its code, so that its inhabitants live near each other with any seed.
  const random = new Random().at(0, 0, 0, Number.parseInt(commune.code, 36));
  return {
    city: commune.nom,
    citycode: commune.code,
    postalCodes: commune.codesPostaux ?? [],
    departement: commune.departement,
    county: counties.get(commune.departement) ?? null,
    state: states.get(commune.region) ?? null,
    country: 'FR',
    landline: landlines[zones[commune.region] ?? 4] ?? landlines[4],
    latitude: latitude + random.between(-spread, spread),
    longitude: longitude + random.between(-spread, spread),
    population: commune.population ?? 0,
  };
};

/** Reads the inhabited communes of the mainland and the overseas départements. */
export const readPlaces = (): Places => {
  const readNames = (file: string) => new Map(read<Named>(file).map(({ code, nom }) => [code, nom]));
  const [counties, states] = [readNames('departements'), readNames('regions')];
  const places = read<Commune>('communes')
    .filter((commune) => commune.type === 'commune-actuelle' && commune.zone !== 'com')
    .filter((commune) => commune.population && commune.codesPostaux?.length)
    .map((commune) => placeOf(commune, counties, states));
  return new Picker(places, (place) => place.population);
};

const town = (city: string, postalCode: string, country: string, latitude: number, longitude: number): Town => ({
  city,
  citycode: null,
  postalCodes: [postalCode],
  departement: '99',
  county: null,
  state: null,
  country,
  landline: landlines[0],
  latitude: latitude * 1e4,
  longitude: longitude * 1e4,
  population: 1,
});

/** In hundredths of a degree. */
export const abroad: Town[] = [
  town('Bruxelles', '1000', 'BE', 5085, 435),
  town('Liège', '4000', 'BE', 5063, 557),
  town('Tournai', '7500', 'BE', 5061, 339),
  town('Genève', '1201', 'CH', 4620, 614),
  town('Lausanne', '1003', 'CH', 4652, 663),
  town('Luxembourg', '1660', 'LU', 4961, 613),
  town('Saarbrücken', '66111', 'DE', 4923, 700),
  town('Barcelona', '08001', 'ES', 4138, 217),
  town('Montréal', 'H2X 1Y4', 'CA', 4551, -7357),
  town('Lisboa', '1100-148', 'PT', 3871, -914),
];

/** Birth places outside France. */
export const birthTowns: [string, string][] = [
  ['Alger', 'DZ'],
  ['Casablanca', 'MA'],
  ['Porto', 'PT'],
  ['Tunis', 'TN'],
  ['Bruxelles', 'BE'],
  ['Dakar', 'SN'],
  ['Genève', 'CH'],
  ['Torino', 'IT'],
  ['Abidjan', 'CI'],
  ['Hà Nội', 'VN'],
];

const kinds = new Picker(
  ['rue', 'avenue', 'boulevard', 'place', 'chemin', 'impasse', 'allée', 'route', 'quai', 'cours'],
  (_, rank) => 1 / (rank + 1),
);
const eponyms =
  "de la République|Victor Hugo|de l'Église|Jean Jaurès|du Général de Gaulle|des Écoles|Pasteur|de la Gare|du Château|de la Mairie|des Lilas|du Moulin|de la Fontaine|Louise Michel|Gambetta|du 8 Mai 1945|du 11 Novembre|Jean Moulin|Émile Zola|des Acacias|de la Liberté|Marie Curie|Anatole France|du Stade|des Tilleuls|de la Paix|Olympe de Gouges|Simone Veil|de Verdun|Voltaire|Léon Blum|Aristide Briand|du Four|de la Poste|Saint-Exupéry|des Cerisiers|de l'Hôtel de Ville|du Lavoir|Rosa Parks|Diderot|Lamartine|de la Croix|du Puits|Aimé Césaire|des Jardins|de l'Abbaye|Molière|des Francs-Bourgeois|de Rivoli|Oberkampf|d'Alésia|des Grands Augustins|du Faubourg Saint-Honoré|de Provence|de la Commune de Paris|du Marché|de Bretagne|Ambroise Croizat|des Peupliers|du Val|Salvador Allende|de la Résistance|Paul Éluard|Nelson Mandela|du Pressoir|de la Source|Frédéric Chopin|des Vignes|du Cimetière|de l'Industrie";
const streets = new Picker(eponyms.split('|'), (_, rank) => 1 / (rank + 8));

export const pickStreet = (random: Random): string => {
  const kind = kinds.pick(random);
  const name = `${kind} ${streets.pick(random)}`;
  return random.chance(0.02) ? name.toUpperCase() : name;
};
