// Creates the forms of a space: their questions, kinds and possible answers.
import { Picker, type Random } from './random.ts';
import { type Form, formatFoundingInstant, type SpaceSeed } from './space.ts';
import { employers, noteEndings, noteMatters, professions } from './words.ts';

type Write = (random: Random) => string;
type Choice = [value: string, label: string];
interface Spec {
  label: string;
  type: string;
  weight: number;
  choices?: Choice[];
  write?: Write;
}

const choices = (...labels: string[]): Choice[] => labels.map((label) => [label, label]);
const yesNo: Choice[] = [
  ['yes', 'Oui'],
  ['no', 'Non'],
];
const support: Choice[] = [
  ['5', 'Très favorable'],
  ['4', 'Plutôt favorable'],
  ['3', 'Indécis'],
  ['2', 'Plutôt opposé'],
  ['1', 'Très opposé'],
];
const presence: Choice[] = [
  ['registered', 'Inscrit'],
  ['present', 'Présent'],
  ['absent', 'Absent'],
  ['excused', 'Excusé'],
];
const progress: Choice[] = [
  ['todo', 'À faire'],
  ['doing', 'En cours'],
  ['done', 'Fait'],
];

const offer =
  (type: string) =>
  (label: string, weight: number, options: Choice[]): Spec => ({ label, type, weight, choices: options });
const [radio, select, checkbox] = [offer('radio'), offer('select'), offer('checkbox')];
const text = (label: string, weight: number, write: Write): Spec => ({ label, type: 'text', weight, write });
const date = (label: string, weight: number, from: number): Spec => ({
  label,
  type: 'date',
  weight,
  write: (random) => {
    const month = random.between(1, 12);
    return `${random.between(from, 2025)}-${month < 10 ? '0' : ''}${month}-${random.between(10, 28)}`;
  },
});
// Some answers to numeric forms are not numbers. Searches must cope with them.
const numeric = (label: string, weight: number, write: Write): Spec => ({
  label,
  type: 'numeric',
  weight,
  write: (random) => (random.chance(0.005) ? random.of(['environ 10', 'ne sait pas']) : write(random)),
});

const specs: Record<string, Spec[]> = {
  consent: [
    radio('Recevoir la lettre d’information', 30, yesNo),
    radio('Recevoir des SMS', 14, yesNo),
    radio('Être appelé au téléphone', 6, yesNo),
    checkbox('Partage avec nos partenaires', 3, choices('section locale', 'fédération', 'partenaires')),
  ],
  level_of_support: [radio('Niveau de soutien', 40, support), radio('Soutien aux municipales 2026', 12, support)],
  presence_status: [
    select('Assemblée générale 2026', 10, presence),
    select('Université d’été 2026', 5, presence),
    select('Réunion de rentrée', 4, presence),
    select('Congrès 2025', 2, presence),
  ],
  custom_fields: [
    text('Profession', 25, (random) => random.of(professions)),
    checkbox(
      'Centres d’intérêt',
      20,
      choices('climat', 'école', 'santé', 'logement', 'transports', 'culture', 'sport', 'énergie'),
    ),
    numeric('Nombre d’enfants', 12, (random) => String(random.below(random.between(1, 6)))),
    text('Employeur', 8, (random) => random.of(employers)),
    date('Date d’adhésion au syndicat', 6, 1985),
    select('Taille de t-shirt', 5, choices('S', 'M', 'L', 'XL', 'XXL')),
    checkbox('Disponibilités', 9, choices('matin', 'après-midi', 'soir', 'week-end')),
    numeric('Don envisagé', 5, (random) =>
      random.chance(0.2) ? `${random.below(500)}.50` : String(random.below(60) * 5),
    ),
    text(
      'Remarques',
      7,
      (random) => `${random.of(noteMatters)} ; ${random.of(noteMatters)}. ${random.of(noteEndings)}`,
    ),
    checkbox('Langues parlées', 4, choices('français', 'anglais', 'arabe', 'espagnol', 'portugais', 'breton', 'LSF')),
    date('Dernière visite', 3, 2019),
    radio('Permis de conduire', 3, yesNo),
  ],
  survey: [
    radio(
      'Quelle est votre première priorité ?',
      12,
      choices('Pouvoir d’achat', 'École', 'Santé', 'Climat', 'Sécurité', 'Logement'),
    ),
    text(
      'Que faudrait-il changer dans le quartier ?',
      7,
      (random) => `${random.of(noteMatters)} (${random.between(1, 400)})`,
    ),
    numeric('Satisfaction de 0 à 10', 8, (random) => String(random.between(random.below(7), 10))),
    checkbox('Comment vous déplacez-vous ?', 6, choices('à pied', 'vélo', 'bus', 'train', 'voiture')),
    date('Depuis quand habitez-vous ici ?', 3, 1960),
  ],
  tasks: [
    select('Distribuer des tracts', 5, progress),
    select('Tenir un bureau de vote', 3, progress),
    checkbox('Accueillir', 2, choices('réunion', 'militant de passage', 'permanence')),
  ],
};

/** Creates the forms of a space, and returns them with their picker. */
export const makeForms = ({ rows, space }: SpaceSeed): { forms: Form[]; formPicker: Picker<number> } => {
  const forms: Form[] = [];
  for (const [kind, list] of Object.entries(specs)) {
    for (const spec of list) {
      const id = rows.id('forms');
      const at = formatFoundingInstant(forms.length);
      rows.add('forms', [space, id, kind, spec.label, spec.type, at, at, null]);
      const refs = (spec.choices ?? [[null, spec.label] as const]).map(([value, label], position) => {
        const ref = rows.id('form_refs');
        rows.add('form_refs', [space, ref, id, label, value, position, at, at]);
        return { id: ref, value };
      });
      const { weight, write } = spec;
      forms.push({ id, refs, many: spec.type === 'checkbox', survey: kind === 'survey', write, weight });
    }
  }
  return { forms, formPicker: new Picker([...forms.keys()], (place) => forms[place]?.weight ?? 0) };
};
