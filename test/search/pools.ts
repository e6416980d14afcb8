// The values that contacts have and queries ask for. Both draw from here, so that a query often finds somebody.
//
// Left out, because a sane fold of them is a matter of taste: typographic quotes, dashes and ligatures (U+2019, U+2013, U+FB01), eth and
// thorn, full-width forms, emoji made of several code points (joiners, variation selectors, skin tones), combining marks other than on the
// letter that they accent.

export const now = '2026-11-21T12:34:56.789012Z';

/** Between bars, so that spaces at the ends are seen. A tilde: this one with its accents taken apart (NFD). */
const list = (...lines: string[]): string[] =>
  lines
    .flatMap((line) => line.split('|'))
    .map((item) => (item.startsWith('~') ? item.slice(1).normalize('NFD') : item));

export const firstnames = list(
  'Zoé|zoe|ZOÉ|~Zoé| Zoé|Zoé |Zoélie|Zo|İpek|ipek|IPEK|Işık|isik|ışık|Jean|JEAN|jean-pierre|Jean-Pierre',
  'Jean Pierre|Hélène|~Hélène|HELENE|Ælfric|aelfric|Łukasz|lukasz|Søren|SOREN|😀|Léa 😀|a_b|axb|100%|Ana',
  'Anaïs|Андрей|АНДРЕИ|~Андрей|Їжак|~їжак|ガブリエル|~ガブリエル|각|~각|Jean  Pierre|\u00a0Zoé\u200b|Jean\u202fPierre|so\u00adren',
);
export const surnames = list(
  `O'Brien|o'brien|O"Brien|OBrien|Œuvrard|OEUVRARD|œuvrard|Weiß|Weiss|WEISS|Weissmann|Lindstrøm|lindstrom`,
  'Đorđević|Dordevic|de La Tour|De la|La Tour|DE LA TOUR |Martin|MARTIN|Martín|~Martín|Martinez|Mart|%|_|\\',
  `a%b|a\\b|a\\%b|acb|D'Ère|Yılmaz|yilmaz|YILMAZ|Παπαδόπουλος|ΠΑΠΑΔΌΠΟΥΛΟΣ|~Παπαδόπουλος|παπαδοπουλοσ|DE LA\tTOUR`,
);
export const marriedNames = list('Martin|martin|Petit|PETIT|Petit-Jean|Weiß|weiss|Été|~été|50% _');
export const genders = list('M|F|O');
export const ages = [0, 1, 2, 3, 4, 5, 6];
export const cities = list(
  'Paris|PARIS| paris|Pâris|Paris 12|Saint-Étienne|~Saint-Étienne|SAINT-ETIENNE|Saint|Saintes',
  `L'Haÿ-les-Roses|l'hay-les-roses|Œuilly|Oeuilly|Besançon|BESANCON|İzmir|izmir|Gdańsk`,
);
export const countries = list('FR|fr|BE|TR|DE|fR ');
export const mails = list(
  'zoe@example.org|Zoe@Example.org|ZOE@EXAMPLE.ORG|zoé@example.org| zoe@example.org|zoe@example.org.uk',
  `zoe_1@example.org|zoex1@example.org|zoe%@example.org|o'brien@example.org|jean+a@example.org`,
  'Jean+A@example.org|jean@example.org|weiß@example.org|weiss@example.org|j|a\\b@example.org',
);
export const phones = list(
  '06 39 98 00 01|+33 6 39 98|0639980001|+33639980001|06.39.98.00.01|+33 6 39 98 00 01|06 39 98|33639980001',
  '0033639980001|(01) 42 00 00 00|01-42-00-00-00| 0142000000 |+32 2 555 12 12|12|0639980001 (maman)|0700',
  '٠٦ ٣٩ ٩٨ ٠٠ ٠١|+33 (0)6 39 98 00 01|639980001|0470 12 34 56|+32 470 12 34 56|0032 (0)470 12 34 56',
);
/** Text without a digit where a telephone number should be. */
export const noPhone = 'néant';
export const tags = list(
  'militant|Militant|militante|adhérent|~adhérent|ADHERENT|donateur|donateur 2026|100%|a_b|axb|bleu, blanc',
  `bleu|Blanc|😀|ami d'été|boîte aux lettres|Strasse|straße`,
);
export const streets = list(
  `rue de l'Église|RUE DE L'EGLISE|rue|Rue du Bac|rue du bac |rue_du_bac|place à 50%|place a 50|C:\\allée`,
  `allée "des Tilleuls"|~allée de l'Été|ALLEE DE L ETE`,
);
export const postcodes = list('75001|75002|01000|1000|7500|2A004|2a004| 75001|75 001');
/** Latitude and longitude: a few that are near each other, on both sides of the antimeridian, near the poles, and on the zero lines. */
export const towns: readonly (readonly [number, number])[] = [
  [48.8566, 2.3522],
  [48.8, 2.4],
  [48.1, 1.7],
  [45.764, 4.8357],
  [-17.7134, 179.95],
  [-17.8, -179.9],
  [89.9, 30],
  [89.95, -150],
  [-90, 0],
  [0, 0],
];
export const houseNumbers = list('1|12|12 bis|12 BIS|0|007|7');
export const addressParts = list('A|a|Bât. B|bat. b|1|-1|RDC|rdc|À gauche|a gauche|%|chez "Léa"');
export const stations = list('1|01|12|Mairie|MAIRIE|École, salle 2|École|ecole');
export const invalids = list('npai|NPAI|npai 2024|incomplete|Incomplète|np');

export const birthdates = list(
  '1992-02-29|2000-02-29|1990-02-28|1990-03-01|1985-12-31|1986-01-01|1970-01-01|1969-12-31|1996-11-21',
  '1996-11-20|1996-11-22|2008-11-21|2008-11-22|2008-11-20|1976-01-31|1976-04-30|1976-12-24|2006-11-21',
  '1900-01-01|0999-05-05',
);
/** Ends of months, leap days, both ends of a day, and what lies exactly at, before and after the relative dates that queries use. */
export const instants = list(
  '2026-11-21T12:34:56.789012Z|2026-11-21T12:34:56.789011Z|2026-11-21T12:34:56.789013Z',
  '2026-11-21T00:00:00.000000Z|2026-11-21T23:59:59.999999Z|2026-11-20T23:59:59.999999Z',
  '2026-11-22T00:00:00.000000Z|2026-11-21T12:00:00.000000Z|2026-11-16T00:00:00.000000Z',
  '2026-11-15T23:59:59.999999Z|2026-11-01T00:00:00.000000Z|2026-10-31T23:59:59.999999Z',
  '2026-10-22T12:34:56.789012Z|2026-10-21T12:34:56.789012Z|2025-11-21T12:34:56.789012Z',
  '2025-11-21T12:34:56.789011Z|2026-01-31T00:00:00.000000Z|2026-01-31T23:59:59.999999Z',
  '2026-02-01T00:00:00.000000Z|2026-02-28T23:59:59.999999Z|2024-02-29T00:00:00.000000Z',
  '2024-02-29T12:00:00.000001Z|2024-03-01T00:00:00.000000Z|2025-12-31T23:59:59.999999Z',
  '2026-01-01T00:00:00.000000Z|2027-01-01T00:00:00.000000Z|2026-12-21T08:15:00.500000Z',
  '1999-12-31T23:59:59.500000Z|2026-03-01T00:00:00.000000Z|2025-02-28T12:34:56.789012Z|2025-03-01T00:00:00.000000Z',
);
export const relatives = list(
  'now|now-30d|now-1M|now-1y|now+30d|now+1M|now-5d|now-1d|now+1d|now-1y-1M|now-1y+1M|now-9M-21d|now/d|now/w',
  'now/M|now/y|now/h|now-1d/d|now+1d/d|now-1w/w|now-2y/y|now-1M/M|now-34m|now-12h|now-56s|now-30y|now-30y/d',
  'now-18y|now-18y/d|now-50y|now+1y/y|now-10M-21d/M|now-2w+3d-1h|now-8M+10d/d',
  // Over the end of a month, and from a leap day into a year without one.
  'now+40d-10M|now+40d-10M+12h|now+40d-10M/d|now-2y-266d+1y|now-2y-266d+1y/d',
);
/** A number as people write it, without an exponent. */
export const writeDecimal = (value: number): string => value.toFixed(6).replace(/\.?0+$/, '');
/** Coordinates, and how sure they are. */
export const degrees = [-180, -0.5, 0, 0.000001, 1, 2.3522, 45.75, 48.8566, 48.85661, 90];
/** Spans of time relative to the request. */
export const periods = list(
  'this_day|this_week|this_month|this_quarter|this_year|previous_day|previous_week|previous_month|previous_quarter',
  'previous_year|following_day|following_week|following_month|following_quarter|following_year|last_1_days|last_90_days',
  'last_2_weeks|last_1_months|last_10_months|last_1_years|last_30_years|next_1_days|next_30_days|next_2_weeks',
  'next_1_months|next_1_years|next_20_years',
);
/** Those that begin or end at the days of the population. */
export const periodsOfDays = list('last_30_years|last_18_years|last_324_days|next_40_days');
/** Start and end of a membership; null: open-ended. */
export const spans: readonly (readonly [string, string | null])[] = [
  ['2026-01-01', '2026-12-31'],
  ['2025-01-01', '2025-12-31'],
  ['2025-12-31', '2026-01-01'],
  ['2024-02-29', '2025-02-28'],
  ['2023-06-15', '2027-06-14'],
  ['2026-12-31', '2026-12-31'],
  ['2026-01-01', '2026-01-01'],
  ['2027-01-01', null],
  ['2026-11-21', null],
  ['2019-01-01', null],
  ['2025-11-22', '2026-11-21'],
  ['2020-05-01', '2022-04-30'],
];
export const years = list('2018|2019|2020|2022|2023|2024|2025|2026|2027|2028');

/** In cents. */
/** Minor units of the pound are hundredths, as those of the euro. */
export const currencies = ['EUR', 'EUR', 'EUR', 'GBP', 'USD'];
export const amounts = [0, 1, -1, 100, 999, 1000, 1000, 5000, -5000, 9990, 10000, 10000, 10001, 250000];
export const hugeAmount = 9007199254740991;
export const codes = list(`NOEL2025|noel2025|Noël2025|NOEL|noel_2025|noel%2025|PRINTEMPS|printemps 2026|l'été`);
export const payments = list('card|Card|cheque|chèque|sepa|cash| cash');
export const emailTypes = list('campaign|Campaign|transactional|test');
export const senders = list('news@example.org|News@Example.org|équipe@example.org|equipe@example.org');
export const goals = list('don|Don|adhésion|adhesion|info');
export const subjects = list(
  `Rejoignez-nous dès l'été|REJOIGNEZ-NOUS|50% de réduction|50 de reduction|Vœux 2026|voeux 2026 !`,
  '😀 bonjour',
);
export const campaignNames = list('Noël|NOEL|Noël 2025|Rentrée_2026|rentree 2026|été|Été "bis"|Noël \\ fin');
export const templateNames = list('Sobre|SOBRE|sobre v2|Élégant|elegant_2|100%');
export const urls = list(
  'https://example.org/don|https://example.org/DON|https://example.org/don?a=1&b=%20|https://example.org',
  'http://example.org/été|http://example.org/ete|https://example.org/a_b|https://example.org/axb',
);
export const sanctionStatuses = list('exclusion|Exclusion|exclusion temporaire|blâme|BLAME|blâme_1|avertissement');
export const numbers = list('10|9|-3,5|-3.5|1e3|abc||10.0| 10 |007|0|100|-10|9.99|1 000|1,000|٣|\u00a012|\u200312');
export const dates = list(
  '2026-01-31|31/01/2026|2026-02-30|2024-02-29|2023-02-29|hier||2026-01-31T23:59:59Z',
  '2026-01-31T00:30:00+01:00|2025-12-31|2026-11-21|2026-11-22|0000-00-00|2026-13-01|now| 2026-01-31 ',
  '2026-11-21T12:34:56.789012Z|2026',
);
/** Of those with more than 160 letters, the first 160 are stored folded. */
const longWords = ['', 'é', 'z'].map((end) => `${'n'.repeat(160)}${end}`);
export const words = [
  ...list('Oui|oui|OUI |non|Nón|peut-être|PEUT ETRE|50%|50|a_b|axb|😀|œuf|oeuf|10|9'),
  ...longWords,
  'n'.repeat(159),
];
