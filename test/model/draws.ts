// What random writes say: few names, mails and places, so that records often mean the same person; and how content is spelled over REST.
import type { Json } from '../harness/app.ts';
import type { Chance } from '../search/random.ts';
import type { Ground } from './ground.ts';

const pools: Record<string, Json[]> = {
  firstname: ['Ana', 'ANA', 'Élise', 'elise', 'Bo', '', null],
  surname: ['Martin', 'martin ', 'Durand', 'Dürand', 'Øst', null],
  mail: ['a@x.org', 'A@X.org', 'b@x.org', 'é@x.org', 'E@x.org', '', null],
  marriedName: ['Petit', ' ', null],
  birthCity: ['Foix', null],
  birthCountry: ['FR', null],
  birthDept: ['09', null],
  nationality: ['FR', 'BE', null],
  phone: ['05 61 00 00 00', '+33561000000', '', null],
  mobile: ['0612345678', null],
  gender: ['M', 'F', 'O', null],
  birthdate: ['1980-02-29', '1990-01-01', null],
  ageCategory: [0, 3, 6, null],
  phoneInvalid: [true, false, null],
  mobileInvalid: [true, false, null],
  blackList: [true, false, null],
};
const places: Record<string, Json[]> = {
  city: ['Albi', 'ALBI', 'Agen'],
  postalCode: ['81000', '01000'],
  street: ['rue A', 'RUE A', 'rue B'],
};
const parts: Record<string, Json[]> = {
  houseNumber: ['12', '12 bis', null],
  building: ['C', null],
  floor: ['3', '0', '', null],
  invalid: ['npai', null],
  latitude: [43.93, -1.5, 90.5, null],
  country: ['FR', null],
};
export const tagNames = ['red', 'Red', 'a,b', 'été'];
export const urls = ['https://x.org/a', 'https://x.org/b'];

/** Each name of a pool in this share of the draws. */
const some = (draw: Chance, pool: Record<string, Json[]>, share: number): Json =>
  Object.fromEntries(Object.keys(pool).flatMap((name) => (draw.odds(share) ? [[name, draw.pick(pool[name]!)]] : [])));

/** An address that says at least a place. */
const address = (draw: Chance): Json => {
  const place = draw.pick(Object.keys(places));
  return { ...some(draw, places, 0.5), [place]: draw.pick(places[place]!), ...some(draw, parts, 0.2) };
};

export const drawDay = (draw: Chance): string => `20${20 + draw.whole(8)}-0${1 + draw.whole(9)}-1${draw.whole(10)}`;
export const drawInstant = (draw: Chance): string => `${drawDay(draw)}T0${draw.whole(10)}:00:00Z`;
/** Now and then a number that is no id of the space. */
export const drawStrangeId = (draw: Chance, id: number): number => (draw.odds(0.03) ? 987_654_321 : id);

const answers = (draw: Chance, ground: Ground, custom: boolean): Json[] =>
  ground.forms
    .filter(({ kind }) => (kind === 'custom_fields') === custom)
    .flatMap((form) => {
      if (draw.odds(0.5)) return [];
      const refs = draw.some(form.refs, form.type === 'checkbox' ? 1 + draw.whole(2) : 1);
      return refs.map(({ id, label }) => ({
        formId: drawStrangeId(draw, form.id),
        formRefId: id,
        ...(draw.odds(0.8) && { data: draw.pick(['1', '42', label, '', null]) }),
        ...(draw.odds(0.2) && { date: drawInstant(draw) }),
        ...(!custom && draw.odds(0.2) && { surveyId: 7 }),
      }));
    });

/** What contacts are created, changed and upserted with, in the words of the graph. */
const common = (draw: Chance, ground: Ground): Json => ({
  ...some(draw, pools, 0.25),
  ...(draw.odds(0.12) && { externalId: draw.pick(['x1', 'x2', 'x3', '', null]) }),
  ...(draw.odds(0.02) && draw.pick([{ mail: 'a at x' }, { phone: 'none' }, { mobile: '+' }])),
  ...(draw.odds(0.05) && { userContactId: drawStrangeId(draw, ground.plain) }),
  ...(draw.odds(0.02) && { ageCategory: 7 }),
  ...(draw.odds(0.3) && { address: draw.odds(0.1) ? null : address(draw) }),
  ...(draw.odds(0.25) && {
    tags: draw.odds(0.1)
      ? null
      : draw.some(tagNames, draw.whole(3)).map((name) => (draw.odds(0.5) ? { name } : { name, color: '#123456' })),
  }),
  ...(draw.odds(0.2) && { actionIds: draw.some(ground.actions, draw.whole(3)).map((id) => drawStrangeId(draw, id)) }),
  ...(draw.odds(0.25) && { answers: answers(draw, ground, false) }),
});

export const drawContent = (draw: Chance, ground: Ground): Json => ({
  ...common(draw, ground),
  ...(draw.odds(0.2) && { customFields: answers(draw, ground, true) }),
});

const listOf: Record<string, string> = {
  consent: 'consents',
  level_of_support: 'status',
  survey: 'forms',
  custom_fields: 'customFields',
};

/** A record to upsert: who it is matters more than the rest. */
export const drawRecord = (draw: Chance, ground: Ground, id: number): Json => {
  const identity = { firstname: 0.5, surname: 0.7, mail: 0.4, birthdate: 0.3 };
  const who = Object.entries(identity).flatMap(([name, share]) =>
    draw.odds(share) ? [[name, draw.pick(pools[name]!)]] : [],
  );
  const lists: Record<string, Json[]> = {};
  for (const form of ground.forms) {
    if (!draw.odds(0.12)) continue;
    const free = !['radio', 'select', 'checkbox'].includes(form.type);
    const ref = draw.pick(form.refs);
    const word = free
      ? draw.pick(['1', 'a word', ''])
      : draw.pick([ref.value ?? ref.label, ` ${ref.label.toUpperCase()}`]);
    const value = draw.odds(0.15) ? null : draw.odds(0.04) && !free ? 'no such value' : word;
    const answer = { ...(draw.odds(0.5) ? { id: drawStrangeId(draw, form.id) } : { label: form.label }), value };
    const list = listOf[form.kind]!;
    lists[list] = [...(lists[list] ?? []), answer];
  }
  const rest = common(draw, ground);
  if (draw.odds(0.5)) delete rest.answers;
  return { ...rest, ...Object.fromEntries(who), ...lists, ...(draw.odds(0.35) && { id }) };
};

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names that clients write in more than one way. */
const spellings: Record<string, string[]> = {
  birthCity: ['birthcity', 'birth_city'],
  birthCountry: ['birthcountry', 'birth_country'],
  birthDept: ['birthdept', 'birth_dept'],
  ageCategory: ['age_category', 'age_cat'],
  actionIds: ['actions_ids', 'action_ids'],
  answers: ['formdatas'],
  customFields: ['custom_fields', 'customfields'],
  namePresences: ['name_presences', 'presence_status'],
  houseNumber: ['housenumber', 'house_number'],
  postalCode: ['postalcode', 'postal_code'],
};

/** A value as it may stand in JSON over REST: text that is an integer as one, tags as texts, birthdates as date-times. */
const onWire = (draw: Chance, name: string, value: Json): Json => {
  if (Array.isArray(value) && name === 'tags')
    return value.map((tag) => (tag.color === undefined && draw.odds(0.5) ? tag.name : tag));
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'object' ? translateToWire(draw, item) : item));
  if (name === 'birthdate' && value && draw.odds(0.5)) return `${value}T00:00:00Z`;
  if (['houseNumber', 'postalCode', 'floor'].includes(name) && /^[1-9]\d*$/.test(value ?? '')) return Number(value);
  if (name === 'latitude' && value !== null && draw.odds(0.5)) return String(value);
  return value !== null && typeof value === 'object' ? translateToWire(draw, value) : value;
};

/** Content in the words of the REST contract, with properties that nobody knows. */
export const translateToWire = (draw: Chance, said: Json): Json => ({
  ...(draw.odds(0.2) && { unknown_property: { deep: [1] }, created_at: 'not a date' }),
  ...Object.fromEntries(
    Object.entries(said).map(([name, value]) => [
      draw.pick(spellings[name] ?? [snake(name)]),
      onWire(draw, name, value),
    ]),
  ),
});
