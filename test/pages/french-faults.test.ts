// The French words of the segment builder for faults: the server's own sentences are asked for, so that a new wording of one is noticed here.
import { beforeAll, expect, it } from 'vitest';
import { explainInFrench } from '../../packages/pages/browser/french-faults.ts';
import { saidOtherwise } from '../../src/data/import/contact-change.ts';
import { kindRows } from '../../src/search/operand.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let reader: string;
let [donors, nested, outer] = [0, 0, 0];

const createSegment = async (name: string, query: Json): Promise<number> => {
  const document = `mutation ($input: SegmentCreateInput!) { createSegment(input: $input) { segment { databaseId } } }`;
  return (await door.graphql(document, { input: { name, query } })).body.data.createSegment.segment.databaseId;
};

beforeAll(async () => {
  door = await openApp();
  const [{ id }] = await door.sql(
    `with role as (insert into roles (group_id, name, type, permissions) values (1, 'Reader', 'custom', '{contacts.read}') returning id),
          person as (insert into users (mail) values ('fault-reader@example.org') returning id)
     insert into members (group_id, user_id, role_id) select 1, person.id, role.id from person, role returning user_id as id`,
  );
  reader = await door.token(1, id);
  donors = await createSegment('Donors', { donations: { count: { gte: 1 } } });
  nested = await createSegment('Inner', { answer: { form: 1, options: [1] } });
  outer = await createSegment('Outer', { segment: { in: [nested] } });
});

/** What the server says of a query: each fault, or why it was refused as a whole. */
const listMessages = async (query: Json, token?: string): Promise<string[]> => {
  const document = 'query ($query: ContactQuery) { searchContacts(query: $query) { totalCount } }';
  const [{ message, extensions }] = (await door.graphql(document, { query }, token)).body.errors;
  return extensions.errors?.map((fault: Json) => fault.message) ?? [message];
};

const women = { gender: { equals: 'F' } };
const nestIn = (levels: number): Json => (levels === 0 ? women : { or: [nestIn(levels - 1), women] });

it.each<[query: Json, said: string]>([
  [{ birthDate: { gte: 'tomorrow' } }, 'Il faut une date, par exemple 2026-11-21, ou now-30d pour il y a 30 jours.'],
  [{ birthDate: { gte: 'now-9999y' } }, 'Il faut une date, par exemple 2026-11-21, ou now-30d pour il y a 30 jours.'],
  [{ birthDate: { between: { from: '2026-01-01' } } }, 'Il manque une valeur.'],
  [{ birthDate: { inPeriod: { from: 'mai', to: '06-01' } } }, 'Il faut un mois et un jour, par exemple 12-31.'],
  [{ donations: { count: { gte: 'x' } } }, 'Il faut un nombre entier.'],
  [{ memberships: { year: { equals: 12 } } }, 'Il faut une année, par exemple 2026.'],
  [{ ageCategory: { equals: 7 } }, 'Il faut un nombre entier de 0 à 6.'],
  [{ phone: { equals: 'aucun' } }, 'Il faut au moins un chiffre.'],
  [{ lastName: { equals: ' ' } }, 'Il faut un texte qui n’est pas vide, de 256 caractères au plus.'],
  [{ gender: { equals: 'X' } }, 'Il faut F (femme), M (homme) ou O (autre).'],
  [{ sanctions: { validity: { equals: 'X' } } }, 'Cette valeur n’est pas permise.'],
  [{ optedOut: { equals: 'X' } }, 'Il faut oui ou non.'],
  [{ emails: { campaignId: { equals: 'x' } } }, 'Il faut le numéro d’une fiche.'],
  [{ id: { equals: 'Note:1' } }, 'Il faut le numéro d’une fiche.'],
  [{ answer: { form: 99_999, options: [1] } }, 'Ce formulaire n’existe plus, ou n’est pas de cette sorte.'],
  [{ answer: { form: 1, options: [99_999] } }, 'Le formulaire n’a plus cette option.'],
  [
    { answer: { form: 25, value: { gte: 'dix' } } },
    'Ce formulaire attend un nombre, avec un point : par exemple 9.99.',
  ],
  [{ answer: { form: 27, value: { equals: 'now' } } }, 'Il faut une date du calendrier, par exemple 2026-11-21.'],
  [{ address: { near: { postalCode: '75001', km: 0 } } }, 'Il faut plus de 0 et au plus 20037 kilomètres.'],
  [{ address: { near: { point: { latitude: 91, longitude: 2 }, km: 1 } } }, 'Il faut de -90 à 90 degrés.'],
  [
    { address: { near: { postalCode: ' ', km: 1 } } },
    'Il faut un texte qui n’est pas vide, de 256 caractères au plus.',
  ],
  [{ address: { near: { km: 1 } } }, 'Il faut un centre, et un seul.'],
  [{ segment: { in: [99_999] } }, 'Ce segment n’existe plus.'],
  [{ tags: { in: Array(1001).fill('a') } }, 'Il faut une liste de 1000 valeurs au plus.'],
  [{ and: Array(101).fill(women) }, 'Il y a plus de 100 conditions.'],
  [nestIn(9), 'Trop de groupes sont imbriqués.'],
])('%j', async (query, said) => {
  expect([...new Set((await listMessages(query)).map(explainInFrench))]).toEqual([said]);
});

it('a search for people with too many words', async () => {
  const document = 'query ($text: String) { searchContacts(search: $text) { totalCount } }';
  const [{ extensions }] = (await door.graphql(document, { text: 'a '.repeat(13) })).body.errors;
  expect(explainInFrench(extensions.errors[0].message)).toBe('Il faut 12 mots au plus.');
});

it('what is wrong in a segment that a condition names, and what the caller may not search by', async () => {
  const denied = await listMessages({ donations: { count: { gte: 1 } } }, reader);
  expect(denied.map(explainInFrench)).toEqual([
    'La condition « Nombre de dons » demande un droit que votre rôle ou votre jeton n’a pas.',
  ]);
  const within = await listMessages({ segment: { in: [donors] } }, reader);
  expect(within.map(explainInFrench)).toEqual([expect.stringContaining('votre rôle ou votre jeton')]);
  await door.sql('update forms set deleted_at = now() where group_id = 1 and id = 1');
  for (const id of [nested, outer])
    expect((await listMessages({ segment: { in: [id] } })).map(explainInFrench)).toEqual([
      'Dans le segment « Inner » : Ce formulaire n’existe plus, ou n’est pas de cette sorte.',
    ]);
});

it('what becomes of a change of many contacts', async () => {
  const [{ id }] = await door.sql('select id from contacts where group_id = 1 order by id limit 1');
  const send = async (document: string, input: Json): Promise<Json> =>
    (await door.graphql(`mutation ($input: ${document}`, { input })).body;
  const addTags = async (from: number, more: Json = {}): Promise<Json> =>
    send('ContactsChangeInput!) { changeContacts(input: $input) { job { id } preview { faults { message } } } }', {
      of: { ids: [id] },
      change: { addTags: Array.from({ length: 150 }, (_, index) => `full ${from + index}`) },
      ...more,
    });
  const cancel = async (of: string): Promise<Json> =>
    send('ContactChangeCancelInput!) { cancelContactChange(input: $input) { job { id } } }', { id: of });
  const { job } = (await addTags(0)).data.changeContacts;
  const { preview } = (await addTags(150, { dryRun: true })).data.changeContacts;
  const undo = async (): Promise<Json> =>
    send('ContactChangeUndoInput!) { undoContactChange(input: $input) { restored } }', { id: job.id });
  await undo();
  const refusals = [preview.faults[0], (await cancel(job.id)).errors[0], (await undo()).errors[0]];
  const said = refusals.map(({ message }) => explainInFrench(message));
  expect(said).toEqual([
    'Une fiche a 200 étiquettes au plus.',
    'Cette modification est déjà terminée.',
    'C’est déjà annulé.',
  ]);
  expect(explainInFrench(saidOtherwise.message)).toBe('La personne s’est prononcée autrement depuis.');
});

it('every kind of value has words, and what nobody foresaw has none', () => {
  expect(kindRows.filter(({ want }) => explainInFrench(`must be ${want}`) === undefined)).toEqual([]);
  expect(explainInFrench('must be green')).toBeUndefined();
});
