// The server's words for a fault, in French. The server speaks English alone, so its sentences are told apart by how they begin.
import { labelAttribute } from './search-labels.ts';

type Explain = (...parts: string[]) => string;

/** The first that matches counts. */
const rules: readonly [RegExp, string | Explain][] = [
  [/^is required$/, 'Il manque une valeur.'],
  [/^must be a date .*relative such as/, 'Il faut une date, par exemple 2026-11-21, ou now-30d pour il y a 30 jours.'],
  [/^must be a date\b.*; another order /, 'Cette date se lit dans un autre ordre du jour, du mois et de l’année.'],
  [/^must be a date\b.*; it may count days/, 'Ce nombre compte peut-être les jours, comme dans Excel.'],
  [/^must be a date\b/, 'Il faut une date du calendrier, par exemple 2026-11-21.'],
  [/^must be an amount\b/, 'Il faut un montant, par exemple 99,90.'],
  [/^must be a whole number from (\d+) to (\d+)$/, (from, to) => `Il faut un nombre entier de ${from} à ${to}.`],
  [/^must be a whole number\b/, 'Il faut un nombre entier.'],
  [/^must be a number\b/, 'Ce formulaire attend un nombre, avec un point : par exemple 9.99.'],
  [/^must be this, previous or following\b/, 'Il faut une période, par exemple de 1 à 9999 jours.'],
  [/^must be a year\b/, 'Il faut une année, par exemple 2026.'],
  [/^must be a (part|day) of the year\b/, 'Il faut un mois et un jour, par exemple 12-31.'],
  [/^must be a mail address\b/, 'Il faut une adresse électronique, par exemple ada@example.org.'],
  [/^must be one of F, M, O$/, 'Il faut F (femme), M (homme) ou O (autre).'],
  [/^must be true or false$/, 'Il faut oui ou non.'],
  [/^must be at most (\d+) characters$/, (most) => `Il faut ${most} caractères au plus.`],
  [/^must be a text with a digit$/, 'Il faut au moins un chiffre.'],
  [/^must be a text that is not blank\b/, 'Il faut un texte qui n’est pas vide, de 256 caractères au plus.'],
  [
    /^must be (one of|true or false|M, F or O|ongoing or ended|conditions on one record)\b/,
    'Cette valeur n’est pas permise.',
  ],
  [/^must be the id of a form\b/, 'Ce formulaire n’existe plus, ou n’est pas de cette sorte.'],
  [/^must be a reference value of the form\b/, 'Le formulaire n’a plus cette option.'],
  [/^must be (an id|the id of)\b/, 'Il faut le numéro d’une fiche.'],
  [/^must be (?:1 to|at most) (\d+) (?:values|items|ids)$/, (most) => `Il faut une liste de ${most} valeurs au plus.`],
  [/^must be more than 0 and at most (\d+) kilometres$/, (most) => `Il faut plus de 0 et au plus ${most} kilomètres.`],
  [/^must have exactly one of point\b/, 'Il faut un centre, et un seul.'],
  [/^must be from -(\d+) to \d+ degrees$/, (most) => `Il faut de -${most} à ${most} degrés.`],
  [/^must be `\{ (km|polygon)/, 'Il faut un lieu : un centre et des kilomètres, ou un polygone.'],
  [
    /^No contact with coordinates has the postal code (.*): nobody/,
    (code) => `Aucune fiche avec des coordonnées n’a le code postal ${code} : personne n’est proche.`,
  ],
  [
    /^There is no contact (\d+) with coordinates: nobody/,
    (id) => `Il n’y a pas de fiche ${id} avec des coordonnées : personne n’est proche.`,
  ],
  [/^is not a segment of the space$/, 'Ce segment n’existe plus.'],
  [/^is the name of another segment$/, 'Un autre segment porte déjà ce nom.'],
  [/^would make a segment depend on itself\b/, 'Ce segment dépendrait de lui-même.'],
  [/^would break the segment “(.*?)”/, (name) => `Le segment « ${name} » ne fonctionnerait plus.`],
  [/^tags must be at most (\d+) tags\b/, (most) => `Une fiche a ${most} étiquettes au plus.`],
  [/^(\d+) changes of contacts are under way\b/, (many) => `${many} modifications sont déjà en cours.`],
  [/^The contact change \d+ is over already$/, 'Cette modification est déjà terminée.'],
  [/^has agreed to something else, or opted out\b/, 'La personne s’est prononcée autrement depuis.'],
  [/^must have at most (\d+) words$/, (most) => `Il faut ${most} mots au plus.`],
  [/^is too deep: segments\b/, 'Trop de segments sont imbriqués.'],
  [/^is too deep\b/, 'Trop de groupes sont imbriqués.'],
  [/^has more than (\d+) conditions$/, (most) => `Il y a plus de ${most} conditions.`],
  [/^has more than (\d+) values in its lists$/, (most) => `Il y a plus de ${most} valeurs dans les listes.`],
  [/^has, with its segments, more than\b/, 'Avec ses segments, la recherche a trop de conditions ou de valeurs.'],
  [
    /^A condition on (\S+) needs /,
    (name) =>
      `La condition « ${labelAttribute(name, name, 'fr')} » demande un droit que votre rôle ou votre jeton n’a pas.`,
  ],
  // Files that are imported.
  [
    /^The file is a spreadsheet\b/,
    'C’est un classeur de tableur. Ouvrez-le dans le tableur, enregistrez-le au format « CSV UTF-8 », puis importez ce fichier-là.',
  ],
  [
    /^The file is a PDF\b/,
    'C’est un PDF. Demandez la liste sous forme de tableau, et enregistrez-la au format « CSV UTF-8 ».',
  ],
  [
    /^The file is (a text document|not a text)\b/,
    'Ce n’est pas un fichier CSV. Enregistrez la liste au format « CSV UTF-8 » dans votre tableur.',
  ],
  [/^The file is empty\b/, 'Le fichier est vide.'],
  [/^The file ended early$/, 'L’envoi du fichier a été interrompu.'],
  [/^The file is compressed\b/, 'Le fichier compressé est incomplet ou endommagé.'],
  [/^The file is larger than\b/, 'Le fichier est trop grand : partagez-le en plusieurs.'],
  [/^The file has more than (\d+) rows\b/, (most) => `Le fichier a plus de ${most} lignes : partagez-le en plusieurs.`],
  [/^The file has (\d+) columns\b/, (many) => `Le fichier a trop de colonnes : ${many}.`],
  [/^The file has no rows\b/, 'Le fichier n’a pas de ligne sous les noms de ses colonnes.'],
  [
    /^The space has (\d+) uploaded files\b/,
    (many) => `${many} fichiers attendent déjà. Réessayez quand l’un d’eux aura été importé, ou demain.`,
  ],
  [/^Choose what at least one column becomes\b/, 'Choisissez ce que devient une colonne au moins.'],
  [
    /^The file cannot be read: it has two columns named (.*): rename one of them$/,
    (name) => `Deux colonnes du fichier s’appellent « ${name} » : renommez l’une d’elles.`,
  ],
  [/^The file cannot be read\b/, 'Ce fichier est illisible.'],
  [/^The import \d+ is over\b/, 'Cet import est terminé.'],
  [/^The import \d+ was undone already$/, 'C’est déjà annulé.'],
  [/^The import \d+ has begun with other options$/, 'Cet import a déjà commencé, avec d’autres choix.'],
  [/^has no field of a contact\b/, 'La ligne ne dit rien de la personne : il faut un nom ou une adresse électronique.'],
  [/^has (\d+) cells, but the head has (\d+)$/, (cells, names) => `Il y a ${cells} cases pour ${names} colonnes.`],
  [/^has a quote that is not closed$/, 'Un guillemet n’est pas fermé.'],
  [
    /^was shortened by a spreadsheet\b/,
    'Le tableur a raccourci ce nombre, et des chiffres sont perdus : donnez à la colonne le format « Texte », et saisissez le nombre à nouveau.',
  ],
  [/^has an invisible character\b/, 'Un caractère invisible s’y cache.'],
  [
    /^has several mails: (\S+) is the mail of the contact, (\S+) is left out$/,
    (first, other) => `Il y a plusieurs adresses : ${first} est gardée, ${other} est laissée de côté.`,
  ],
  [
    /^is a second \S+, which is left out: the first is (.*)$/,
    (first) => `Cette seconde valeur est laissée de côté : la première est ${first}.`,
  ],
  [/^is of a second address\b/, 'Cette seconde adresse est laissée de côté.'],
  [/^has no year, and is left out$/, 'Il manque l’année : la date est laissée de côté.'],
  [
    /^is more than (\d+) years ago\b/,
    (years) => `C’était il y a plus de ${years} ans : la date est gardée, vérifiez-la.`,
  ],
  [/^stays true: the person has opted out$/, 'La personne s’oppose à tout contact : cela reste ainsi.'],
  [
    /^has a later answer than this one\b/,
    'La personne a répondu autrement depuis : cette réponse est laissée de côté.',
  ],
  [
    /^is not that of contact (\d+), of the same name\b/,
    (id) => `La fiche ${id} porte le même nom, avec une autre adresse : c’est peut-être la même personne.`,
  ],
  [/^belongs to another contact\b/, 'Cette valeur est déjà celle d’une autre fiche.'],
  [/^is not a form of kind\b/, 'Ce formulaire n’existe pas.'],
  [/^is no possible number\b/, 'Aucun téléphone n’a un tel numéro : il est gardé, vérifiez-le.'],
  [/^has several values: "(.*)" is /, (other) => `Il y a plusieurs numéros : le second est ${other}.`],
  [/ needs (an access token with the scope|the permission|the role) /, 'Votre rôle ou votre jeton ne le permet pas.'],
];

/** The faults of a segment that a condition names say so at their end. */
const [ofSegment, end] = [' (segment “', '”)'];

/** Undefined for what the page has no words for. */
export const explainInFrench = (message: string): string | undefined => {
  const at = message.endsWith(end) ? message.indexOf(ofSegment) : -1;
  const segment = at < 0 ? undefined : message.slice(at + ofSegment.length, -end.length);
  const said = at < 0 ? message : message.slice(0, at);
  for (const [form, explanation] of rules) {
    const found = form.exec(said);
    if (!found) continue;
    const text = typeof explanation === 'string' ? explanation : explanation(...found.slice(1));
    return segment === undefined ? text : `Dans le segment « ${segment} » : ${text}`;
  }
  return undefined;
};
