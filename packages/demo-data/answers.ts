// Creates the answers of a contact to the forms of its space.
import { daySeconds, formatInstant, reference } from './calendar.ts';
import { createWeightedPicker } from './random.ts';
import type { Form, Lists, SpaceSeed } from './space.ts';

const counts = createWeightedPicker<number>([0, 40], [1, 16], [2, 15], [3, 11], [4, 8], [5, 5], [7, 3], [10, 2]);

const answer = ({ rows, random, space }: SpaceSeed, contact: number, form: Form, ref: Form['refs'][number]): void => {
  const at = reference - 1 - random.below(1400 * daySeconds);
  const changed = random.chance(0.1) ? Math.min(reference - 1, at + random.below(200 * daySeconds)) : at;
  rows.add('answers', [
    space,
    rows.id('answers'),
    contact,
    form.id,
    ref.id,
    form.survey ? form.id : null,
    form.write ? form.write(random) : ref.value,
    random.chance(0.7) ? formatInstant(changed) : null,
    formatInstant(at),
    formatInstant(changed),
  ]);
};

export const makeAnswers = (making: SpaceSeed, { forms, formPicker }: Lists, index: number, contact: number): void => {
  const random = making.at('answers', index);
  // One bit per form (there are fewer than 32): radio and select are answered once.
  let seen = 0;
  for (let left = counts.pick(random); left > 0; left--) {
    const place = formPicker.pick(random);
    if ((seen & (1 << place)) !== 0) continue;
    seen |= 1 << place;
    const form = forms[place] as Form;
    // The lower of two random values, so that the first values of a form are chosen more often.
    const chosen = Math.min(random.below(form.refs.length), random.below(form.refs.length));
    const upTo = form.many ? Math.min(form.refs.length, random.between(1, 3)) : 1;
    for (let n = 0; n < upTo; n++) {
      answer(making, contact, form, form.refs[(chosen + n) % form.refs.length] as Form['refs'][number]);
    }
  }
};
