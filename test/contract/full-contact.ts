// A contact with something in every field of spec §2.3: its rows, and how contact search answers it.
import type { Door, Json } from '../harness/app.ts';

const at = '2024-02-29T10:20:30.123456Z';

/** Writes the contact into space 1, and returns the expected answer. */
export const insertFullContact = async (door: Door): Promise<Json> => {
  const rows = async (sql: string, ...values: unknown[]): Promise<Json> => (await door.sql(sql, values))[0];
  const { id } = await rows(
    `insert into contacts (group_id, external_id, nationality, phone_invalid, mobile_invalid, black_list, firstname, surname, married_name, gender, birthdate, age_category, birth_dept, birth_city,
       birth_country, mail, phone, mobile, user_id, lastchange, created_at, updated_at)
     values (1, 'crm-7', 'FR', true, true, true, 'Zoé', 'Quillfeather', 'Marchand', 'F', '1980-02-29', 3, '69', 'Lyon', 'FR', 'zoe@example.org', '+33 4 00 00 00 00',
       '06 00 00 00 00', 1, ?, ?, ?) returning id`,
    at,
    at,
    at,
  );
  const address = await rows(
    `insert into addresses (group_id, contact_id, house_number, street, postal_code, citycode, city, county, state, country, addition, infos,
       building, floor, door, polling_station, score, latitude, longitude, location)
     values (1, ?, '12', 'rue de la Paix', '69001', '69381', 'Lyon', 'Rhône', 'ARA', 'FR', 'c/o Doe', 'code 12', 'B', '3', '31', '104', 0.5,
       45.75, 4.85, 'POINT(4.85 45.75)') returning id`,
    id,
  );
  await door.sql(`insert into tags (group_id, name, color) values (1, 'quill', '#ff0000'), (1, 'feather', null)`);
  await door.sql(`insert into contact_tags select 1, ?, id from tags where name in ('quill', 'feather')`, [id]);
  const actions = await door.sql(`insert into actions (group_id, name) values (1, 'a'), (1, 'b') returning id`);
  for (const action of actions) await door.sql('insert into contact_actions values (1, ?, ?)', [id, action.id]);
  const answer = async (kind: string): Promise<Json> => {
    const ref = await rows(
      `select r.form_id, r.id from forms f join form_refs r on r.group_id = 1 and r.form_id = f.id
        where f.group_id = 1 and f.kind = ? and f.deleted_at is null order by f.id, r.id limit 1`,
      kind,
    );
    return rows(
      `insert into answers (group_id, contact_id, form_id, form_ref_id, data, date, created_at, updated_at)
       values (1, ?, ?, ?, 'yes', ?, ?, ?) returning id, form_id, form_ref_id`,
      id,
      ref.form_id,
      ref.id,
      at,
      at,
      at,
    );
  };
  const [form, custom] = [await answer('survey'), await answer('custom_fields')];
  const note = await rows(
    `insert into notes (group_id, contact_id, user_id, content, pinned, created_at, updated_at)
     values (1, ?, 1, 'pinned', true, ?, ?), (1, ?, 1, 'newer', false, now(), now()) returning id`,
    id,
    at,
    at,
    id,
  );
  const interactions = await door.sql(
    `insert into interactions (group_id, contact_id, user_id, type, sub_type, title, comments, only_super_admin, created_at, updated_at)
     values (1, ?, 1, 'call', 'outgoing', 'Called', 'Nobody there', false, ?, ?), (1, ?, null, 'visit', null, null, null, true, ?, ?)
     returning id`,
    [id, at, at, id, at, at],
  );
  const file = await rows(
    `insert into files (group_id, interaction_id, owner_id, subject, url, folder, mime, name, created_at)
     values (1, ?, 1, 'minutes', 'https://files.example.org/1', 'calls', 'text/plain', 'minutes.txt', ?) returning id`,
    interactions[0].id,
    at,
  );
  await door.sql('select refresh_search(1, array[?]::bigint[])', [id]);
  const data = (row: Json): Json => ({
    ...row,
    data: 'yes',
    created_at: at,
    updated_at: at,
    date: at,
    group_id: 1,
    contact_id: id,
  });
  const ids = actions.map((action) => action.id);
  const full: Json = {
    id,
    group_id: 1,
    CreatedAt: at,
    UpdatedAt: at,
    lastchange: at,
    firstname: 'Zoé',
    surname: 'Quillfeather',
    married_name: 'Marchand',
    gender: 'F',
    age_category: 3,
    birthdate: '1980-02-29T00:00:00Z',
    birthdept: '69',
    birth_dept: '69',
    birthcity: 'Lyon',
    birth_city: 'Lyon',
    birthcountry: 'FR',
    birth_country: 'FR',
    mail: 'zoe@example.org',
    phone: '+33 4 00 00 00 00',
    mobile: '06 00 00 00 00',
    external_id: 'crm-7',
    nationality: 'FR',
    phone_invalid: true,
    mobile_invalid: true,
    black_list: true,
    address: {
      id: address.id,
      housenumber: 12,
      street: 'rue de la Paix',
      postalcode: 69001,
      citycode: 69381,
      city: 'Lyon',
      county: 'Rhône',
      state: 'ARA',
      country: 'FR',
      addition: 'c/o Doe',
      infos: 'code 12',
      building: 'B',
      floor: 3,
      door: '31',
      pollingstation: '104',
      score: 0.5,
      latitude: 45.75,
      longitude: 4.85,
      location: 'POINT(4.85 45.75)',
      invalid: null,
    },
    tags: [{ name: 'quill', color: '#ff0000' }, { name: 'feather' }],
    actions_ids: ids,
    action_ids: ids,
    formdatas: [data(form)],
    customfields: [data(custom)],
    custom_fields: [data(custom)],
    notes: {
      id: note.id,
      created_at: at,
      updated_at: at,
      data: 'pinned',
      contact_id: id,
      group_id: 1,
      user_id: 1,
      pinned: true,
    },
  };
  const interaction = { contact_id: id, group_id: 1, created_at: at, updated_at: at };
  full.interactions = [
    {
      ...interaction,
      id: interactions[0].id,
      user_id: 1,
      type: 'call',
      sub_type: 'outgoing',
      title: 'Called',
      comments: 'Nobody there',
      only_super_admin: false,
      files: [
        {
          id: file.id,
          created: at,
          owner_id: 1,
          group_id: 1,
          subject: 'minutes',
          folder: 'calls',
          url: 'https://files.example.org/1',
          mime: 'text/plain',
          name: 'minutes.txt',
          is_interaction: true,
        },
      ],
    },
    { ...interaction, id: interactions[1].id, type: 'visit', only_super_admin: true, files: [] },
  ];
  return full;
};
