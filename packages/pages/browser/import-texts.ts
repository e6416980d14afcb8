// The texts of importing a file, in each language, and the names of the fields that its columns become.
import type { Language } from '../language.ts';
import { ApiProblem } from './api.ts';
import type { Counts, FileFault, Trial } from './contact-file.ts';
import { familyLabels, getFamily, labelAttribute } from './search-labels.ts';
import { textsOf } from './texts.ts';
import { count as countEn } from './texts-en.ts';
import { count as countFr } from './texts-fr.ts';

const en = {
  open: 'Import a file…',
  drop: 'Drop the file here to import it',
  oneFile: 'One file at a time, please.',
  title: (name: string): string => `Import ${name}`,
  sending: 'Sending the file…',
  rows: (rows: number): string => `The file has ${countEn(rows, 'row', 'rows')}.`,
  hint: 'Choose what each column becomes. Nothing is written before you say so.',
  column: 'Column of the file',
  values: 'First values',
  becomes: 'Becomes',
  becomesOf: (column: string): string => `What “${column}” becomes`,
  leftOut: 'Leave out',
  forms: 'Answers to forms',
  days: 'Dates are written',
  orders: { dmy: 'day, month, year', mdy: 'month, day, year', ymd: 'year, month, day' },
  mode: 'People who are there already',
  modes: { upsert: 'are recognised and completed', create: 'are not looked for: everybody is new' },
  country: 'Country of the phone numbers',
  usualCountry: 'that of the space',
  skipCells: 'Leave out a cell with a fault, and import the rest of its row',
  excel: 'A number in a column of dates counts days, as Excel does',
  try: 'Try',
  tried: ({ rows, read, tried, created, updated, unchanged, refused }: Trial): string =>
    `${tried < rows ? `The first ${countEn(tried, 'row', 'rows')} of ${countEn(rows, 'row', 'rows')} were tried, and ${read < rows ? `the first ${textsOf.en.number(read)}` : 'the others'} were read` : countEn(rows, 'row', 'rows')}: ${countEn(created, 'new person', 'new people')}, ${countEn(updated, 'changed', 'changed')}, ${countEn(unchanged, 'as before', 'as before')}, ${countEn(refused, 'row refused', 'rows refused')}. Nothing is written yet.`,
  noFaults: 'No faults were found.',
  faults: 'What is wrong',
  remarks: 'What else to know',
  line: 'Line',
  cell: 'Cell',
  fault: 'Fault',
  wholeRow: 'the row',
  cellLeftOut: '. The cell is left out.',
  more: 'There are more. The list of refused rows after the import has all of them.',
  import: (rows: number): string => `Import ${countEn(rows, 'row', 'rows')}`,
  progress: (done: number, rows: number): string => `${textsOf.en.number(done)} of ${countEn(rows, 'row', 'rows')}`,
  done: ({ created, updated, unchanged, refused }: Counts): string =>
    `Done: ${countEn(created, 'new person', 'new people')}, ${countEn(updated, 'changed', 'changed')}, ${countEn(unchanged, 'as before', 'as before')}, ${countEn(refused, 'row refused', 'rows refused')}.`,
  cancelled: ({ created, updated }: Counts): string =>
    `Stopped: ${countEn(created, 'new person', 'new people')} and ${countEn(updated, 'changed one', 'changed ones')} were written until then.`,
  failed: 'The rest of the file cannot be read. What was written until there stays.',
  rejects: 'Download the refused rows',
  rejectsHint: 'Correct them in that file, and import it here.',
  rejectsName: (name: string): string => `refused rows of ${name}`,
  rejectsHeading: 'Fault',
  undo: 'Undo the import',
  undone: (counts: { deleted: number; restored: number; left: number }): string =>
    `Undone: ${countEn(counts.deleted, 'new person', 'new people')} deleted, ${countEn(counts.restored, 'other', 'others')} as before, ${countEn(counts.left, 'person', 'people')} left as they are${counts.left > 0 ? ', since somebody has changed them' : ''}.`,
  gone: 'This file is not there any more. Choose it again.',
  unreadable: 'This is not a file, or it has changed since it was chosen. Choose it again.',
};

const fr: typeof en = {
  open: 'Importer un fichier…',
  drop: 'Déposez le fichier ici pour l’importer',
  oneFile: 'Un seul fichier à la fois, s’il vous plaît.',
  title: (name) => `Importer ${name}`,
  sending: 'Envoi du fichier…',
  rows: (rows) => `Le fichier a ${countFr(rows, 'ligne', 'lignes')}.`,
  hint: 'Choisissez ce que devient chaque colonne. Rien n’est enregistré avant votre accord.',
  column: 'Colonne du fichier',
  values: 'Premières valeurs',
  becomes: 'Devient',
  becomesOf: (column) => `Ce que devient « ${column} »`,
  leftOut: 'Ne pas importer',
  forms: 'Réponses aux formulaires',
  days: 'Les dates sont écrites',
  orders: { dmy: 'jour, mois, année', mdy: 'mois, jour, année', ymd: 'année, mois, jour' },
  mode: 'Les personnes déjà présentes',
  modes: { upsert: 'sont reconnues et complétées', create: 'ne sont pas recherchées : tout le monde est nouveau' },
  country: 'Pays des numéros de téléphone',
  usualCountry: 'celui de l’espace',
  skipCells: 'Laisser de côté une case avec une erreur, et importer le reste de la ligne',
  excel: 'Un nombre dans une colonne de dates compte les jours, comme dans Excel',
  try: 'Essayer',
  tried: ({ rows, read, tried, created, updated, unchanged, refused }) =>
    `${tried < rows ? `Les ${countFr(tried, 'première ligne', 'premières lignes')} sur ${countFr(rows, 'ligne', 'lignes')} ont été essayées, et ${read < rows ? `les ${textsOf.fr.number(read)} premières` : 'les autres'} ont été lues` : countFr(rows, 'ligne', 'lignes')} : ${countFr(created, 'nouvelle personne', 'nouvelles personnes')}, ${countFr(updated, 'modifiée', 'modifiées')}, ${countFr(unchanged, 'inchangée', 'inchangées')}, ${countFr(refused, 'ligne refusée', 'lignes refusées')}. Rien n’est encore enregistré.`,
  noFaults: 'Aucune erreur n’a été trouvée.',
  faults: 'Ce qui ne va pas',
  remarks: 'À savoir aussi',
  line: 'Ligne',
  cell: 'Case',
  fault: 'Erreur',
  wholeRow: 'la ligne',
  cellLeftOut: ' La case est laissée de côté.',
  more: 'Il y en a d’autres. La liste des lignes refusées les contient toutes, après l’import.',
  import: (rows) => `Importer ${countFr(rows, 'ligne', 'lignes')}`,
  progress: (done, rows) => `${textsOf.fr.number(done)} sur ${countFr(rows, 'ligne', 'lignes')}`,
  done: ({ created, updated, unchanged, refused }) =>
    `Terminé : ${countFr(created, 'nouvelle personne', 'nouvelles personnes')}, ${countFr(updated, 'modifiée', 'modifiées')}, ${countFr(unchanged, 'inchangée', 'inchangées')}, ${countFr(refused, 'ligne refusée', 'lignes refusées')}.`,
  cancelled: ({ created, updated }) =>
    `Arrêté : jusque-là, ${countFr(created, 'nouvelle personne', 'nouvelles personnes')} et ${countFr(updated, 'modifiée', 'modifiées')}.`,
  failed: 'La suite du fichier est illisible. Ce qui a été enregistré jusque-là reste.',
  rejects: 'Télécharger les lignes refusées',
  rejectsHint: 'Corrigez-les dans ce fichier, puis importez-le ici.',
  rejectsName: (name) => `lignes refusées de ${name}`,
  rejectsHeading: 'Erreur',
  undo: 'Annuler l’import',
  undone: ({ deleted, restored, left }) =>
    `Annulé : ${countFr(deleted, 'nouvelle personne supprimée', 'nouvelles personnes supprimées')}, ${countFr(restored, 'autre rétablie', 'autres rétablies')}, ${countFr(left, 'laissée telle quelle', 'laissées telles quelles')}${left > 0 ? ', à cause de modifications faites depuis' : ''}.`,
  gone: 'Ce fichier n’est plus là. Choisissez-le à nouveau.',
  unreadable: 'Ce n’est pas un fichier, ou il a changé depuis. Choisissez-le à nouveau.',
};

export const importTexts: Record<Language, typeof en> = { en, fr };

/** Fields that have other names in searches. */
const searchNames: Record<string, string> = { birthdept: 'birth_dept', age_category: 'age_cat', tags: 'tags.name' };
const findSearchName = (field: string): string => searchNames[field] ?? field.replace(/^address_/, 'address.');

/** The fields with their names, in groups as people know them. */
export const groupFields = (
  fields: readonly string[],
  language: Language,
): [group: string, fields: [field: string, label: string][]][] => {
  const groups = new Map<string, [string, string][]>();
  for (const field of fields) {
    const [form, , ...label] = field.split(':');
    const name = findSearchName(field);
    const group = form === 'form' ? importTexts[language].forms : familyLabels[getFamily(name)]![language];
    const named = form === 'form' ? label.join(':') : labelAttribute(name, field, language);
    groups.set(group, [...(groups.get(group) ?? []), [field, named]]);
  }
  return [...groups];
};

/** The words of a terminal, and those of a page for them. */
const spoken: readonly [RegExp, string][] = [
  [/^No column of the file has a meaning.*/, 'Choose what at least one column becomes.'],
  [/ with --days \w+/, ''],
  [/; --days [^;]* would read it$/, '; another order of day, month and year would read it'],
  [/; --dates excel would read it as a day that Excel counts$/, '; it may count days, as Excel does'],
  [/: whoever opted out is opted in by --lift-opt-outs, or by a user$/, ': the person has opted out'],
  [/; --key external_id would match that contact$/, ''],
];

const speak = (message: string): string => {
  // The page shows the name of the file already.
  const [first = '', ...reasons] = message.split(' cannot be read: ');
  const said = reasons.length > 0 ? `The file cannot be read: ${reasons.join(' ')}` : first;
  return spoken.reduce((text, [form, words]) => text.replace(form, words), said);
};

/** The same problem in words for a page. A fault of the body is one of the file. */
export const speakProblem = ({ code, message, faults, retryAfter }: ApiProblem): ApiProblem => {
  const said = faults.map((fault) => ({
    ...fault,
    message: fault.location === 'body' ? `The file ${fault.message}` : speak(fault.message),
  }));
  return new ApiProblem(code, speak(message), said, retryAfter);
};

const cellLeftOut = ': the cell is left out';

/** A fault in the words of the page, and whether these are in its language. */
export const explainFault = (
  { message }: Pick<FileFault, 'message'>,
  language: Language,
): { text: string; isForeign: boolean } => {
  const isLeftOut = message.endsWith(cellLeftOut);
  const text = speak(isLeftOut ? message.slice(0, -cellLeftOut.length) : message);
  const said = textsOf[language].explain(text);
  return {
    text: `${said ?? text}${isLeftOut ? importTexts[language].cellLeftOut : ''}`,
    isForeign: said === undefined,
  };
};
