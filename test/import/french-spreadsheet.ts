// A list of people as Excel saves it in France, the same bytes every time, and what an import is to make of it.
import { createChance } from '../search/random.ts';

/** The bytes of text in windows-1252, for the characters of these tests. */
export const encodeWindows1252 = (text: string): Buffer => {
  const high: Record<string, number> = { '€': 0x80, œ: 0x9c, Œ: 0x8c, '’': 0x92, '–': 0x96, Ÿ: 0x9f, '\u0081': 0x81 };
  return Buffer.from([...text].map((character) => high[character] ?? character.charCodeAt(0)));
};

/** The bytes of text in UTF-16 with a byte order mark. */
export const encodeUtf16 = (text: string, order: 'le' | 'be'): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};

// Apart also without accents, so that every pair of names is one person.
const surnames = [
  'Abécassis',
  'Bœuf',
  'Chaÿ',
  'Dupré',
  'Étienne',
  'François',
  'Gaël',
  'Hérault',
  'Iñarritu',
  'Jérôme',
  'Kœnig',
  'L’Hôpital',
  'Müller',
  'Noël',
  'Ourançon',
  'Pâris',
  'Quéméneur',
  'Rougé',
  'Sœur',
  'Trémoïlle',
  'Ursaÿ',
  'Vœgelé',
  'Wœrth',
  'Xénard',
  'Yvré',
  'Zoltán',
  'O’Brien',
  'Saint–Just',
];
const firstnames = [
  'Amélie',
  'Benoît',
  'Chloé',
  'Désiré',
  'Éloïse',
  'Françoise',
  'Gaëtan',
  'Hélène',
  'Inès',
  'Joël',
  'Kévin',
  'Léa',
  'Maël',
  'Noémie',
  'Ophélie',
  'Père-Émile',
  'Raphaël',
  'Solène',
  'Théo',
  'Zoé',
];
const cities = ['Châtillon', 'Bourg-en-Bresse', 'Saint-Étienne', 'L’Haÿ-les-Roses', 'Évry', 'Nœux-les-Mines'];
const wrongDays = ['31/02/1980', 'inconnue', '32/01/1980', '1980'];
const wrongMails = ['pas de mail', 'jean.dupont@', '@example.org', 'a b@example.org'];

const two = (number: number): string => String(number).padStart(2, '0');

export interface Sheet {
  content: Buffer;
  map: string;
  rows: number;
  blank: number;
  /** People who have no row with a fault. */
  people: number;
  /** Rows with a day or a gender that cannot be read. */
  wrong: number;
  /** People whose mail is none, and who have a single row: whether these are taken is for the rules of contacts to say. */
  wrongMails: number;
}

/** So many rows, of which some come twice. */
export const generateFrenchSheet = (rows: number): Sheet => {
  const draw = createChance(20_260_101);
  const head = [
    'Genre',
    'Nom',
    'Prénom',
    'Né(e) le',
    'E-mail',
    'Tél. fixe',
    'Portable',
    'Code postal',
    'Ville',
    'Étiquettes',
  ];
  const known = [
    'gender',
    'surname',
    'firstname',
    'birthdate',
    'mail',
    'phone',
    'mobile',
    'address_postalcode',
    'address_city',
    'tags',
  ];
  const sum = { wrong: 0, wrongMails: 0, people: 0 };
  const phone = (start: string): string =>
    draw.pick([
      `${start} ${[0, 0, 0, 0].map(() => two(draw.whole(100))).join(' ')}`,
      `+33 ${start.slice(1)} ${[0, 0, 0, 0].map(() => two(draw.whole(100))).join(' ')}`,
      `+33 (0)${start.slice(1)}${[0, 0, 0, 0].map(() => `.${two(draw.whole(100))}`).join('')}`,
    ]);
  const person = (n: number): string[] => {
    const pair = Math.floor(n / firstnames.length);
    const surname = `${surnames[pair % surnames.length]}-${surnames[Math.floor(pair / surnames.length)]}`;
    const [city, index] = [draw.pick(cities), draw.whole(9000)];
    return [
      draw.pick(['F', 'M', '']),
      surname,
      firstnames[n % firstnames.length]!,
      draw.odds(0.8) ? `${two(1 + draw.whole(28))}/${two(1 + draw.whole(12))}/${1930 + draw.whole(80)}` : '',
      // Couples have one mail; some have none.
      draw.odds(0.9) ? `foyer.${Math.floor(n / 2)}@example.org` : '',
      draw.odds(0.4) ? phone('01') : '',
      draw.odds(0.7) ? phone('06') : '',
      `0${1000 + index}`,
      city,
      draw.odds(0.3) ? '"Adhérent; À relancer"' : draw.odds(0.2) ? 'Élu – 10 €' : '',
    ];
  };
  const written: string[] = [];
  const again: string[][] = [];
  for (let n = 0; written.length < rows; n++) {
    if (again.length > 0 && draw.odds(0.06)) {
      const [cells] = again.splice(draw.whole(again.length), 1);
      written.push(cells!.join(';'));
      continue;
    }
    const cells = person(n);
    const fault = draw.whole(100);
    if (fault === 0) cells[3] = draw.pick(wrongDays);
    else if (fault === 1) cells[0] = '?';
    else if (fault === 2) cells[4] = draw.pick(wrongMails);
    else if (cells[4] !== '') again.push(cells.with(6, phone('07')));
    if (fault <= 1) sum.wrong++;
    else if (fault === 2) sum.wrongMails++;
    else sum.people++;
    written.push(cells.join(';'));
  }
  const blank = Array.from({ length: 25 }, () => ';'.repeat(head.length - 1));
  return {
    ...sum,
    content: encodeWindows1252(`${[head.join(';'), ...written, ...blank].join('\r\n')}\r\n`),
    map: head.map((name, index) => `${name}=${known[index]}`).join(','),
    rows,
    blank: blank.length,
  };
};
