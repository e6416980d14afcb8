// The server's words for a fault, in French. The server speaks English alone, so its sentences are told apart by how they begin.
import { labelAttribute } from './search-labels.ts';

type Explain = (...parts: string[]) => string;

/** The first that matches counts. */
const rules: readonly [RegExp, string | Explain][] = [
  [/^is required$/, 'Il manque une valeur.'],
  [/^must be a date .*relative such as/, 'Il faut une date, par exemple 2026-11-21, ou now-30d pour il y a 30 jours.'],
  [/^must be a date\b/, 'Il faut une date du calendrier, par exemple 2026-11-21.'],
  [/^must be an amount\b/, 'Il faut un montant, par exemple 99,90.'],
  [/^must be a whole number from (\d+) to (\d+)$/, (from, to) => `Il faut un nombre entier de ${from} à ${to}.`],
  [/^must be a whole number\b/, 'Il faut un nombre entier.'],
  [/^must be a number\b/, 'Ce formulaire attend un nombre, avec un point : par exemple 9.99.'],
  [/^must be this, previous or following\b/, 'Il faut une période, par exemple de 1 à 9999 jours.'],
  [/^must be a year\b/, 'Il faut une année, par exemple 2026.'],
  [/^must be a part of the year\b/, 'Il faut un mois et un jour, par exemple 12-31.'],
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
  [/ needs (a token with the scope|the permission|the role) /, 'Votre rôle ou votre jeton ne le permet pas.'],
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
