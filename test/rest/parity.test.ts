// The doors agree on contacts: REST equals GraphQL for the same record, field by field.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { convertToMidnight, expectSame, fetchOverRest, parseInteger, queryGraph } from './compare.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.sql(`update contacts set external_id = 'crm-' || id, nationality = 'BE', phone_invalid = id % 2 = 0, mobile_invalid = id % 3 = 0,
    black_list = id % 5 = 0 where group_id = 1 and id % 4 > 0`);
  await door.sql(`update addresses set county = 'Rhône' where group_id = 1 and id % 2 = 0`);
});

const address =
  'address { id: databaseId addition building city citycode: cityCode country county door floor houseNumber infos: details invalid: invalidReason latitude location longitude pollingStation postalCode score state street }';
const answer = `{ id: databaseId formId: form { databaseId } formRefId: option { databaseId } data: text date: answeredAt surveyId createdAt updatedAt
  contactId: contact { databaseId } }`;
const contactFields = `id: databaseId externalId firstname: firstName surname: lastName marriedName gender birthdate: birthDate ageCategory birthCity birthCountry
  birthDept: birthDepartment nationality mail: email phone
  phoneInvalid mobile mobileInvalid blackList: optedOut ${address} tags { name color } actionIds: actions { databaseId } answers(first: 100) { nodes ${answer} } customFields ${answer}
  note { id: databaseId content pinned contactId: contact { databaseId } userId: author { databaseId } createdAt updatedAt } lastchange: lastChangedAt createdAt updatedAt`;

describe('REST equals GraphQL, field by field', () => {
  it('for contacts, bare and as found', async () => {
    const { contacts } = await queryGraph(door, `{ contacts(first: 40) { nodes { ${contactFields} } } }`);
    for (const c of contacts) {
      const a = c.address;
      expectSame(await fetchOverRest(door, `/v1/contacts/${c.id}`), {
        id: c.id,
        created_at: c.createdAt,
        updated_at: c.updatedAt,
        age_category: c.ageCategory,
        birth_city: c.birthCity,
        birth_country: c.birthCountry,
        birthdate: convertToMidnight(c.birthdate),
        black_list: c.blackList,
        firstname: c.firstname,
        surname: c.surname,
        gender: c.gender,
        mail: c.mail,
        mobile: c.mobile,
        mobile_invalid: c.mobileInvalid,
        nationality: c.nationality,
        phone: c.phone,
        phone_invalid: c.phoneInvalid,
        tags: c.tags.map(({ name }: Json) => ({ name })),
        formdatas: c.answers.map((f: Json) => ({
          id: f.id,
          data: f.data,
          form_id: f.formId,
          form_ref_id: f.formRefId,
          date: f.date,
          survey_id: f.surveyId,
        })),
        custom_fields: c.customFields.map((f: Json) => ({
          id: f.id,
          data: f.data,
          form_id: f.formId,
          form_ref_id: f.formRefId,
        })),
        address: a && {
          id: a.id,
          addition: a.addition,
          building: a.building,
          city: a.city,
          country: a.country,
          county: a.county,
          door: a.door,
          floor: a.floor,
          house_number: a.houseNumber,
          infos: a.infos,
          latitude: a.latitude?.toString(),
          longitude: a.longitude?.toString(),
          postal_code: a.postalCode,
          state: a.state,
          street: a.street,
        },
      });
      const item = (f: Json): Json => ({
        id: f.id,
        form_id: f.formId,
        form_ref_id: f.formRefId,
        data: f.data,
        created_at: f.createdAt,
        updated_at: f.updatedAt,
        date: f.date,
        group_id: 1,
        contact_id: f.contactId,
      });
      const found = (await fetchOverRest(door, `/contacts/${c.id}`)).data.contact;
      if (a) expect(found.address.invalid).toBe(a.invalid);
      if (a && a.invalid === null) delete found.address.invalid;
      expectSame(found, {
        id: c.id,
        group_id: 1,
        CreatedAt: c.createdAt,
        UpdatedAt: c.updatedAt,
        lastchange: c.lastchange,
        external_id: c.externalId,
        nationality: c.nationality,
        black_list: c.blackList,
        phone_invalid: c.phoneInvalid || null,
        mobile_invalid: c.mobileInvalid || null,
        firstname: c.firstname,
        surname: c.surname,
        married_name: c.marriedName,
        gender: c.gender,
        birthdate: convertToMidnight(c.birthdate),
        age_category: c.ageCategory,
        birthdept: c.birthDept,
        birth_dept: c.birthDept,
        birthcity: c.birthCity,
        birth_city: c.birthCity,
        birthcountry: c.birthCountry,
        birth_country: c.birthCountry,
        mail: c.mail,
        phone: c.phone,
        mobile: c.mobile,
        tags: c.tags,
        actions_ids: c.actionIds,
        action_ids: c.actionIds,
        formdatas: c.answers.map(item),
        customfields: c.customFields.map(item),
        custom_fields: c.customFields.map(item),
        notes: c.note && {
          id: c.note.id,
          created_at: c.note.createdAt,
          updated_at: c.note.updatedAt,
          data: c.note.content,
          contact_id: c.note.contactId,
          group_id: 1,
          user_id: c.note.userId,
          pinned: c.note.pinned,
        },
        address: a && {
          id: a.id,
          housenumber: parseInteger(a.houseNumber),
          street: a.street,
          postalcode: parseInteger(a.postalCode),
          citycode: parseInteger(a.citycode),
          city: a.city,
          county: a.county,
          state: a.state,
          country: a.country,
          addition: a.addition,
          infos: a.infos,
          building: a.building,
          floor: parseInteger(a.floor),
          door: a.door,
          pollingstation: a.pollingStation,
          score: a.score,
          latitude: a.latitude,
          longitude: a.longitude,
          location: a.location,
          invalid: a.invalid,
        },
      });
    }
  });
});
