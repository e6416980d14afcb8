// Creates the tags, actions, notes, interactions with files and sanctions of a contact.
import { daySeconds, formatInstant, formatPastInstant, reference } from './calendar.ts';
import { createWeightedPicker, type Picker, type Random } from './random.ts';
import type { Lists, SpaceSeed } from './space.ts';
import { noteEndings, noteMatters, noteOpenings } from './words.ts';

const tagCounts = createWeightedPicker<number>(
  [0, 30],
  [1, 20],
  [2, 18],
  [3, 12],
  [4, 8],
  [5, 5],
  [7, 4],
  [10, 2],
  [16, 1],
);

/** Picks so many ids, without those that are picked again. */
const pickSeveral = (random: Random, picker: Picker<number>, count: number): number[] => {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    const id = picker.pick(random);
    if (!ids.includes(id)) ids.push(id);
  }
  return ids;
};

export const makeLinks = (making: SpaceSeed, lists: Lists, index: number, contact: number): void => {
  const { rows, space } = making;
  const random = making.at('links', index);
  for (const tag of pickSeveral(random, lists.tags, tagCounts.pick(random))) {
    rows.add('contact_tags', [space, contact, tag]);
  }
  const actions = random.chance(0.15) ? random.between(1, random.between(1, 3)) : 0;
  for (const action of pickSeveral(random, lists.actions, actions))
    rows.add('contact_actions', [space, contact, action]);
};

const past = (random: Random): number =>
  reference - 1 - Math.floor(random.share() * random.share() * 1800 * daySeconds);
const sentence = (random: Random): string =>
  `${random.of(noteOpenings)} : ${random.of(noteMatters)}. ${random.of(noteEndings)}`;

export const makeNotes = (making: SpaceSeed, lists: Lists, index: number, contact: number): void => {
  const { rows, space } = making;
  const random = making.at('notes', index);
  const count = random.chance(0.3) ? random.between(1, random.between(1, 3)) : 0;
  for (let n = 0; n < count; n++) {
    const at = past(random);
    const changed = random.chance(0.15) ? Math.min(reference - 1, at + random.below(60 * daySeconds)) : at;
    rows.add('notes', [
      space,
      rows.id('notes'),
      contact,
      random.chance(0.95) ? lists.editors.pick(random) : null,
      random.chance(0.1)
        ? `${sentence(random)}\n- ${random.of(noteMatters)}\n- ${random.of(noteMatters)}`
        : sentence(random),
      random.chance(0.12),
      formatInstant(at),
      formatInstant(changed),
      random.chance(0.02) ? formatInstant(changed) : null,
    ]);
  }
};

const interactionKinds = createWeightedPicker<[type: string, subTypes: (string | null)[], title: string]>(
  [['call', ['outgoing', 'outgoing', 'incoming', 'missed', null], 'Appel téléphonique'], 45],
  [['door', ['opened', 'absent', 'refused'], 'Porte-à-porte'], 25],
  [['email', ['outgoing', 'incoming'], 'Échange de courriels'], 18],
  [['meeting', ['individual', 'public', 'video', null], 'Rendez-vous'], 12],
);
const fileKinds = createWeightedPicker<[extension: string, mime: string, subject: string]>(
  [['pdf', 'application/pdf', 'Compte rendu'], 5],
  [['jpg', 'image/jpeg', 'Photo'], 3],
  [['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'Courrier'], 1],
);

const makeFile = (
  { rows, random, space }: SpaceSeed,
  interaction: number | null,
  owner: number | null,
  at: string,
): void => {
  const id = rows.id('files');
  const [extension, mime, subject] = fileKinds.pick(random);
  rows.add('files', [
    space,
    id,
    interaction,
    owner,
    random.chance(0.8) ? subject : null,
    `https://example.org/files/${space}/${id}.${extension}`,
    random.chance(0.6) ? random.of(['interactions', 'courriers', '2026']) : null,
    mime,
    `${subject.toLowerCase().replace(' ', '-')}-${id}.${extension}`,
    at,
  ]);
};

export const makeInteractions = (making: SpaceSeed, lists: Lists, index: number, contact: number): void => {
  const { rows, space } = making;
  const random = making.at('interactions', index);
  const count = random.chance(0.25) ? random.between(1, random.between(1, 4)) : 0;
  for (let n = 0; n < count; n++) {
    const id = rows.id('interactions');
    const [type, subTypes, title] = interactionKinds.pick(random);
    const user = random.chance(0.97) ? lists.editors.pick(random) : null;
    const at = past(random);
    rows.add('interactions', [
      space,
      id,
      contact,
      user,
      type,
      random.of(subTypes),
      random.chance(0.9) ? title : null,
      random.chance(0.75) ? sentence(random) : null,
      random.chance(0.04),
      formatInstant(at),
      formatInstant(at),
      random.chance(0.01) ? formatPastInstant(at + daySeconds) : null,
    ]);
    if (random.chance(0.12)) makeFile(making, id, user, formatInstant(at));
  }
};

/** Creates documents of the space that belong to no contact. */
export const makeDocuments = (making: SpaceSeed, lists: Lists): void => {
  const random = making.at('settings', 2);
  for (let n = 0; n < 6; n++) makeFile(making, null, lists.editors.pick(random), formatInstant(past(random)));
};

export const makeSanctions = (making: SpaceSeed, index: number, contact: number): void => {
  const { rows, space } = making;
  const random = making.at('sanctions', index);
  const count = random.chance(0.02) ? random.between(1, random.between(1, 3)) : 0;
  for (let n = 0; n < count; n++) {
    const start = reference - random.below(1500 * daySeconds);
    const end = start + random.between(30, 1100) * daySeconds;
    rows.add('sanctions', [
      space,
      rows.id('sanctions'),
      contact,
      random.chance(0.95) ? random.of(['warning', 'warning', 'suspension', 'exclusion']) : null,
      random.chance(0.9) ? formatInstant(start) : null,
      random.chance(0.65) ? formatInstant(end) : null,
      formatInstant(start),
      formatInstant(start),
    ]);
  }
};
