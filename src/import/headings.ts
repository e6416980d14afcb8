// The headings of columns in lists as people have them, by language and source, and the column of contacts that each means.

import { columnNames } from '../../packages/pages/column-names.ts';
import { languages } from '../../packages/pages/language.ts';

export interface HeadingSource {
  name: string;
  /** Headings that only this source has. A file with one of them is of this source, and what it has beside is ignored. */
  signs?: readonly string[];
  /**
   * Headings by their column of contacts, best first. Two columns of a file may mean one column: the first with a value counts. In a source with signs, the
   * parts of an address at the same place of their lists belong together: home, business, other.
   */
  headings: Readonly<Record<string, readonly string[]>>;
}

/** The first source of a heading counts. A file of a source with signs is read by that source first. */
export const headingSources: readonly HeadingSource[] = [
  {
    name: 'French',
    headings: {
      external_id: ['Identifiant externe', 'ID externe'],
      gender: ['Civilité', 'Genre', 'Sexe'],
      firstname: ['Prénom', 'Prénoms', 'Prénom(s)'],
      surname: ['Nom', 'Nom de famille', 'Nom de naissance'],
      married_name: ["Nom d'usage", 'Nom marital', "Nom d'épouse"],
      birthdate: ['Date de naissance', 'Né le', 'Née le', 'Né(e) le', 'Naissance', 'Date naissance'],
      nationality: ['Nationalité'],
      birthcity: ['Ville de naissance', 'Lieu de naissance', 'Commune de naissance'],
      birthdept: ['Département de naissance'],
      birthcountry: ['Pays de naissance'],
      mail: ['Courriel', 'Adresse e-mail', 'Adresse mail', 'Adresse courriel', 'Adresse électronique', 'E-mail', 'Mél'],
      phone: ['Téléphone', 'Téléphone fixe', 'Tél', 'Tél fixe', 'Fixe', 'Numéro de téléphone', 'N° de téléphone'],
      mobile: ['Téléphone mobile', 'Téléphone portable', 'Tél mobile', 'Tél portable', 'Portable', 'Mobile', 'GSM'],
      address_housenumber: ['Numéro de rue', 'N° de rue', 'Numéro de voie', 'N° de voie'],
      address_street: ['Adresse', 'Rue', 'Voie', 'Adresse postale'],
      address_addition: ["Complément d'adresse", 'Complément adresse', 'Adresse 2'],
      address_building: ['Bâtiment'],
      address_floor: ['Étage'],
      address_postalcode: ['Code postal', 'CP'],
      address_city: ['Ville', 'Commune', 'Localité'],
      address_citycode: ['Code INSEE'],
      address_county: ['Département'],
      address_state: ['Région'],
      address_country: ['Pays'],
      address_pollingstation: ['Bureau de vote'],
      tags: ['Étiquettes', 'Étiquette', 'Mots-clés', 'Tags'],
    },
  },
  {
    name: 'English',
    headings: {
      external_id: ['External ID'],
      gender: ['Gender', 'Sex'],
      firstname: ['First name', 'Given name', 'Forename'],
      surname: ['Last name', 'Surname', 'Family name'],
      married_name: ['Married name'],
      birthdate: ['Date of birth', 'Birth date', 'Birthday', 'Born', 'DOB'],
      nationality: ['Nationality'],
      birthcity: ['Birth city', 'Place of birth', 'City of birth'],
      birthcountry: ['Country of birth', 'Birth country'],
      mail: ['Email', 'E-mail', 'Email address', 'E-mail address', 'Mail'],
      phone: ['Phone', 'Phone number', 'Telephone', 'Home phone', 'Landline'],
      mobile: ['Mobile', 'Mobile phone', 'Mobile number', 'Cell', 'Cell phone'],
      address_housenumber: ['House number', 'Street number'],
      address_street: ['Street', 'Address', 'Street address', 'Address line 1'],
      address_addition: ['Address line 2', 'Address 2'],
      address_postalcode: ['Postal code', 'Postcode', 'Zip code', 'Zip'],
      address_city: ['City', 'Town'],
      address_county: ['County'],
      address_state: ['State', 'Region', 'Province'],
      address_country: ['Country'],
      address_latitude: ['Latitude', 'Lat'],
      address_longitude: ['Longitude', 'Lng', 'Lon'],
      tags: ['Tags', 'Tag', 'Labels'],
    },
  },
  {
    name: 'German',
    headings: {
      external_id: ['Externe ID'],
      gender: ['Anrede', 'Geschlecht'],
      firstname: ['Vorname', 'Vornamen'],
      surname: ['Nachname', 'Familienname', 'Zuname'],
      birthdate: ['Geburtsdatum', 'Geburtstag', 'Geboren am'],
      nationality: ['Nationalität', 'Staatsangehörigkeit'],
      birthcity: ['Geburtsort'],
      birthcountry: ['Geburtsland'],
      mail: ['E-Mail-Adresse', 'Mailadresse', 'E-Mail'],
      phone: ['Telefon', 'Telefonnummer', 'Festnetz', 'Tel'],
      mobile: ['Mobiltelefon', 'Handy', 'Handynummer', 'Mobilnummer', 'Mobil'],
      address_housenumber: ['Hausnummer', 'Hausnr'],
      address_street: ['Straße', 'Anschrift', 'Adresse'],
      address_addition: ['Adresszusatz'],
      address_postalcode: ['PLZ', 'Postleitzahl'],
      address_city: ['Ort', 'Stadt', 'Wohnort'],
      address_county: ['Landkreis'],
      address_state: ['Bundesland'],
      address_country: ['Land'],
      tags: ['Schlagwörter', 'Stichwörter'],
    },
  },
  {
    name: 'Google Contacts',
    signs: ['E-mail 1 - Value', 'Phone 1 - Value', 'Address 1 - City', 'E-mail 1 - Label', 'E-mail 1 - Type'],
    headings: {
      gender: ['Gender'],
      firstname: ['First Name', 'Given Name'],
      surname: ['Last Name', 'Family Name'],
      birthdate: ['Birthday'],
      mail: ['E-mail 1 - Value', 'E-mail 2 - Value', 'E-mail 3 - Value'],
      phone: ['Phone 1 - Value', 'Phone 3 - Value'],
      mobile: ['Phone 2 - Value'],
      address_street: ['Address 1 - Street', 'Address 2 - Street'],
      address_postalcode: ['Address 1 - Postal Code', 'Address 2 - Postal Code'],
      address_city: ['Address 1 - City', 'Address 2 - City'],
      address_state: ['Address 1 - Region', 'Address 2 - Region'],
      address_country: ['Address 1 - Country', 'Address 2 - Country'],
      tags: ['Labels', 'Group Membership'],
    },
  },
  {
    name: 'Outlook in English',
    signs: ['E-mail Display Name', 'Business Street', 'Home Street', 'Business Phone', 'E-mail 2 Address'],
    headings: {
      gender: ['Gender'],
      firstname: ['First Name'],
      surname: ['Last Name'],
      birthdate: ['Birthday'],
      mail: ['E-mail Address', 'E-mail 2 Address', 'E-mail 3 Address'],
      phone: ['Home Phone', 'Primary Phone', 'Business Phone', 'Home Phone 2', 'Business Phone 2', 'Other Phone'],
      mobile: ['Mobile Phone'],
      address_street: ['Home Street', 'Business Street', 'Other Street'],
      address_postalcode: ['Home Postal Code', 'Business Postal Code', 'Other Postal Code'],
      address_city: ['Home City', 'Business City', 'Other City'],
      address_state: ['Home State', 'Business State', 'Other State'],
      address_country: ['Home Country/Region', 'Business Country/Region', 'Other Country/Region'],
      tags: ['Categories'],
    },
  },
  {
    name: 'Outlook in French',
    signs: ['Adresse de messagerie', 'Rue (domicile)', 'Rue (bureau)', 'Téléphone (bureau)', 'Téléphone (domicile)'],
    headings: {
      gender: ['Sexe'],
      firstname: ['Prénom'],
      surname: ['Nom'],
      birthdate: ['Anniversaire'],
      mail: ['Adresse de messagerie', 'Adresse de messagerie 2', 'Adresse de messagerie 3'],
      phone: ['Téléphone (domicile)', 'Téléphone principal', 'Téléphone (bureau)', 'Téléphone 2 (domicile)'],
      mobile: ['Tél. mobile', 'Téléphone mobile'],
      address_street: ['Rue (domicile)', 'Rue (bureau)', 'Rue (autre)'],
      address_postalcode: ['Code postal (domicile)', 'Code postal (bureau)', 'Code postal (autre)'],
      address_city: ['Ville (domicile)', 'Ville (bureau)', 'Ville (autre)'],
      address_state: ['Dép/Région (domicile)', 'Dép/Région (bureau)', 'Dép/Région (autre)'],
      address_country: ['Pays/Région (domicile)', 'Pays/Région (bureau)', 'Pays/Région (autre)'],
      tags: ['Catégories'],
    },
  },
  {
    name: 'Outlook in German',
    signs: [
      'E-Mail: Angezeigter Name',
      'Straße privat',
      'Straße geschäftlich',
      'Telefon geschäftlich',
      'Telefon privat',
    ],
    headings: {
      gender: ['Geschlecht'],
      firstname: ['Vorname'],
      surname: ['Nachname'],
      birthdate: ['Geburtstag'],
      mail: ['E-Mail-Adresse', 'E-Mail 2: Adresse', 'E-Mail 3: Adresse'],
      phone: ['Telefon privat', 'Haupttelefon', 'Telefon geschäftlich', 'Telefon privat 2', 'Telefon geschäftlich 2'],
      mobile: ['Mobiltelefon'],
      address_street: ['Straße privat', 'Straße geschäftlich', 'Weitere Straße'],
      address_postalcode: ['Postleitzahl privat', 'Postleitzahl geschäftlich', 'Weitere Postleitzahl'],
      address_city: ['Ort privat', 'Ort geschäftlich', 'Weiterer Ort'],
      address_state: ['Bundesland/Kanton privat', 'Region geschäftlich', 'Weiteres/r Bundesland/Kanton'],
      address_country: ['Land/Region privat', 'Land/Region geschäftlich', 'Weitere/s Land/Region'],
      tags: ['Kategorien'],
    },
  },
];

const findHeadings = (source: string, known: string): readonly string[] =>
  headingSources.find(({ name }) => name === source)!.headings[known]!;

/** Headings of ordinary lists of records. A heading may mean several columns: the first one that the records have counts. */
export const recordHeadings: readonly HeadingSource[] = [
  {
    name: 'French',
    headings: {
      contact_external_id: findHeadings('French', 'external_id'),
      contact_mail: findHeadings('French', 'mail'),
      content: ['Note', 'Texte', 'Contenu', 'Commentaire'],
      title: ['Titre', 'Objet'],
      comments: ['Commentaire', 'Commentaires', 'Remarques'],
      amount_decimal: ['Montant', 'Somme', 'Montant payé'],
      currency: ['Devise'],
      date: ['Date', 'Date de paiement', 'Date de versement', 'Payé le'],
      transaction_date: ['Date', 'Date du don', 'Date de paiement', 'Date de versement', 'Payé le'],
      payment_method_kind: ['Moyen de paiement', 'Mode de paiement', 'Mode de règlement'],
      transaction_status: ['Statut'],
      code_campaign: ['Code campagne'],
      donation_price: ['Tarif'],
      membership_price: ['Tarif', 'Cotisation', 'Formule'],
      status: ['Statut', 'Sanction'],
      start_date: ['Début', 'Date de début', 'Depuis le'],
      end_date: ['Fin', 'Date de fin', "Jusqu'au"],
      created_at: ['Date', 'Créé le', 'Date de création'],
    },
  },
  {
    name: 'English',
    headings: {
      contact_external_id: findHeadings('English', 'external_id'),
      contact_mail: findHeadings('English', 'mail'),
      content: ['Note', 'Text', 'Comment'],
      comments: ['Comment', 'Notes', 'Remarks'],
      title: ['Subject'],
      amount_decimal: ['Amount', 'Sum', 'Amount paid'],
      date: ['Payment date', 'Paid on', 'Date paid'],
      transaction_date: ['Date', 'Donation date', 'Payment date', 'Paid on', 'Date paid'],
      payment_method_kind: ['Payment method', 'Method'],
      transaction_status: ['Status'],
      code_campaign: ['Campaign code'],
      donation_price: ['Price'],
      membership_price: ['Price', 'Plan'],
      status: ['Sanction'],
      start_date: ['Start', 'From', 'Begins'],
      end_date: ['End', 'Until', 'Ends'],
      created_at: ['Date', 'Created', 'Created on'],
    },
  },
  {
    name: 'German',
    headings: {
      contact_external_id: findHeadings('German', 'external_id'),
      contact_mail: findHeadings('German', 'mail'),
      content: ['Notiz', 'Text', 'Kommentar'],
      comments: ['Kommentar', 'Bemerkung', 'Bemerkungen'],
      title: ['Titel', 'Betreff'],
      amount_decimal: ['Betrag', 'Summe'],
      currency: ['Währung'],
      date: ['Datum', 'Zahlungsdatum', 'Bezahlt am'],
      transaction_date: ['Datum', 'Spendendatum', 'Zahlungsdatum', 'Bezahlt am'],
      payment_method_kind: ['Zahlungsart', 'Zahlungsweise'],
      transaction_status: ['Status'],
      donation_price: ['Tarif'],
      membership_price: ['Tarif', 'Beitrag'],
      status: ['Sanktion'],
      start_date: ['Beginn', 'Startdatum', 'Von'],
      end_date: ['Ende', 'Enddatum', 'Bis'],
      created_at: ['Datum', 'Erstellt am'],
    },
  },
];

/** A heading without what does not distinguish headings: case, accents, signs. */
export const foldHeading = (heading: string): string =>
  heading
    .replaceAll('ß', 'ss')
    .replaceAll('œ', 'oe')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The column of contacts of a heading, and the place of the heading in its list. */
interface Meaning {
  known: string;
  rank: number;
}

const mapSource = ({ headings }: HeadingSource): Map<string, Meaning> =>
  new Map(
    Object.entries(headings).flatMap(([known, list]) =>
      list.map((heading, rank) => [foldHeading(heading), { known, rank }] as const),
    ),
  );
/** The meaning of a list in words, which an export for Excel has and nothing reads again. */
export const listInWords = 'list in words';
/** Columns of lists that are JSON in a file. */
export const jsonLists = ['action_ids', 'formdatas', 'custom_fields'];
/** The heads of an export for Excel, which come after those of lists as people have them. */
const excelHeadings = languages.flatMap((language) =>
  Object.entries(columnNames).map(([name, names]): [string, Meaning] => [
    foldHeading(names[language]),
    { known: jsonLists.includes(name) ? listInWords : name, rank: 0 },
  ]),
);
const plainSources = headingSources.filter(({ signs }) => !signs);
const plainHeadings = new Map(
  [...plainSources.flatMap((source) => [...mapSource(source)]), ...excelHeadings].reverse(),
);

/** Whether an ordinary list or a known source has this heading. */
export const isKnownHeading = (heading: string): boolean => plainHeadings.has(foldHeading(heading));

/** In a file of a special source, its own headings come before those of ordinary lists. */
const firstPlainRank = 100;

/** A column of a file, and the column of contacts that it means. */
export interface RecognizedColumn extends Meaning {
  column: string;
  /** The address that a part belongs to: a source may have several. */
  address: number;
}

const mapOwnNames = (names: readonly string[]): Map<string, string> =>
  new Map(names.map((name) => [foldHeading(name), name]));

/**
 * Finds what the columns of a file of records mean, by the names of an export, else by their headings, else by these names without regard to
 * case and signs: `amount` is in minor units, `Amount` is not. `read` are the names that an import reads. The first of several columns with one meaning has it.
 */
export const recognizeRecordColumns = (
  columns: readonly string[],
  { names, read }: { names: readonly string[]; read: readonly string[] },
): Map<string, string> => {
  const own = mapOwnNames(names);
  const meanings = recordHeadings.flatMap(({ headings }) =>
    Object.entries(headings)
      .filter(([known]) => read.includes(known))
      .flatMap(([known, list]) => list.map((heading): [string, string] => [foldHeading(heading), known])),
  );
  const byHeading = new Map(meanings.reverse());
  const taken = new Set(columns.filter((column) => names.includes(column)));
  const recognized = [...taken].map((column): [string, string] => [column, column]);
  for (const column of columns) {
    const name = foldHeading(column);
    const known = byHeading.get(name) ?? own.get(name);
    if (known === undefined || taken.has(known) || taken.has(column)) continue;
    taken.add(known);
    recognized.push([column, known]);
  }
  return new Map(recognized);
};

/**
 * Recognizes the columns of a file: by the names of an export, else by their headings. Columns that are not recognized are left out. When
 * several have one meaning, the best come first. `source` is that of the file, when it has headings of only one.
 */
export const recognizeColumns = (columns: readonly string[], ownNames: readonly string[]) => {
  const folded = new Set(columns.map(foldHeading));
  const source = headingSources.find(({ signs }) => signs?.some((sign) => folded.has(foldHeading(sign))));
  const headings = source && mapSource(source);
  const own = mapOwnNames(ownNames);
  const recognized = columns.flatMap((column): RecognizedColumn[] => {
    if (column.startsWith('form:') || ownNames.includes(column))
      return [{ column, known: column, rank: -1, address: 0 }];
    const name = foldHeading(column);
    const special = headings?.get(name);
    if (special) return [{ column, ...special, address: special.rank }];
    const plain = plainHeadings.get(name);
    if (plain) return [{ column, ...plain, address: 0, rank: plain.rank + (source ? firstPlainRank : 0) }];
    const known = own.get(name);
    return known === undefined ? [] : [{ column, known, rank: -1, address: 0 }];
  });
  // Beside a first name, a name is the surname. Alone it may be the whole name.
  const has = (known: string): boolean => recognized.some((one) => one.known === known);
  const name = columns.find((column) => foldHeading(column) === 'name');
  if (name !== undefined && !source && has('firstname') && !has('surname'))
    recognized.push({ column: name, known: 'surname', rank: 0, address: 0 });
  const isEach = new Set(recognized.map((one) => one.known)).size === recognized.length;
  return {
    columns: isEach ? recognized : recognized.sort((one, other) => one.rank - other.rank),
    source: source?.name,
  };
};
