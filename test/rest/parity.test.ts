// The doors agree: REST equals GraphQL for the same record, field by field.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const ask = async (query: string): Promise<Json> => {
  const { body } = await door.graphql(query);
  expect(body.errors).toBeUndefined();
  return body.data;
};
const get = async (path: string): Promise<Json> => (await door.rest('GET', path)).body;
/** Drops what has no value: REST leaves it out. */
const present = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(present)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, inner]) => inner !== null)
            .map(([key, inner]) => [key, present(inner)]),
        )
      : value;
const midnight = (day: string | null): string | undefined => (day ? `${day}T00:00:00Z` : undefined);
const integer = (text: string | null): Json =>
  text === null ? undefined : String(Number(text)) === text ? Number(text) : text;
const same = (rest: Json, graph: Json): void => expect(rest).toEqual(JSON.parse(JSON.stringify(present(graph))));

const address =
  'address { id addition building city citycode country county door floor houseNumber infos invalid latitude location longitude pollingStation postalCode score state street }';
const answer = '{ id formId formRefId data date surveyId createdAt updatedAt groupId contactId }';
const contactFields = `id groupId firstname surname marriedName gender birthdate ageCategory birthCity birthCountry birthDept nationality mail phone
  phoneInvalid mobile mobileInvalid blackList ${address} tags { name color } actionIds answers ${answer} customFields ${answer}
  note { id content pinned contactId groupId userId createdAt updatedAt } lastchange createdAt updatedAt`;

describe('REST equals GraphQL, field by field', () => {
  it('for contacts, bare and as found', async () => {
    const { contacts } = await ask(`{ contacts(first: 40) { nodes { ${contactFields} } } }`);
    for (const c of contacts.nodes) {
      const a = c.address;
      same(await get(`/v1/contacts/${c.id}`), {
        id: c.id,
        created_at: c.createdAt,
        updated_at: c.updatedAt,
        age_category: c.ageCategory,
        birth_city: c.birthCity,
        birth_country: c.birthCountry,
        birthdate: midnight(c.birthdate),
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
        group_id: f.groupId,
        contact_id: f.contactId,
      });
      const found = (await get(`/contacts/${c.id}`)).data.contact;
      if (a) expect(found.address.invalid).toBe(a.invalid);
      if (a && a.invalid === null) delete found.address.invalid;
      same(found, {
        id: c.id,
        group_id: c.groupId,
        CreatedAt: c.createdAt,
        UpdatedAt: c.updatedAt,
        lastchange: c.lastchange,
        firstname: c.firstname,
        surname: c.surname,
        married_name: c.marriedName,
        gender: c.gender,
        birthdate: midnight(c.birthdate),
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
          group_id: c.note.groupId,
          user_id: c.note.userId,
          pinned: c.note.pinned,
        },
        address: a && {
          id: a.id,
          housenumber: integer(a.houseNumber),
          street: a.street,
          postalcode: integer(a.postalCode),
          citycode: integer(a.citycode),
          city: a.city,
          state: a.state,
          country: a.country,
          addition: a.addition,
          infos: a.infos,
          building: a.building,
          floor: integer(a.floor),
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

  it('for teams and their users', async () => {
    const role = 'role { id name color type order mobile web }';
    const user = `id firstname surname mail avatar phone ${role} createdAt updatedAt address birthdate city contacts { id } groupId locale location postal status twoFactorEnable twoFactorMethod`;
    const { teams } =
      await ask(`{ teams { id name description private hideUsers users { ${user} } leaders { ${user} } createdAt updatedAt
      address { id addition building buildingType city citycode country county door floor houseNumber infos invalid latitude location longitude pollingStation postalCode score state street } } }`);
    const person = (u: Json): Json => ({
      id: u.id,
      firstname: u.firstname,
      surname: u.surname,
      mail: u.mail,
      avatar: u.avatar,
      phone: u.phone,
      role: u.role.name,
      role_data: u.role,
      CreatedAt: u.createdAt,
      UpdatedAt: u.updatedAt,
      created: u.createdAt,
      address: u.address,
      birthdate: midnight(u.birthdate),
      city: u.city,
      contacts: u.contacts,
      group_id: [u.groupId],
      locale: u.locale,
      location: u.location,
      postal: u.postal,
      status: u.status,
      two_factor_enable: u.twoFactorEnable,
      two_factor_method: u.twoFactorMethod,
    });
    const team = (t: Json): Json => ({
      id: t.id,
      name: t.name,
      description: t.description,
      private: t.private,
      hide_users: t.hideUsers,
      users: t.users.map(person),
      leaders: t.leaders.map(person),
      created_at: t.createdAt,
      updated_at: t.updatedAt,
      address: t.address && {
        ...t.address,
        buildingType: null,
        building_type: t.address.buildingType,
        houseNumber: null,
        house_number: t.address.houseNumber,
        housenumber: t.address.houseNumber,
        lattitude: t.address.latitude,
        pollingStation: null,
        pollingstation: t.address.pollingStation,
        postalCode: null,
        postalcode: t.address.postalCode,
      },
    });
    expect(teams.length).toBeGreaterThan(2);
    same((await get('/teams')).data.teams, teams.map(team));
    for (const one of teams) same((await get(`/teams/${one.id}`)).data.team, team(one));
  });

  it('for users, roles, invitations, forms and settings', async () => {
    const graph =
      await ask(`{ users(limit: 1000) { total items { id mail surname role { id name order type } birthdate groupId createdAt } }
      roles { id name type order color mobile web } invitations { id groupId email mobilePhone role { id name order type } teamIds userId createdAt lastSent }
      forms { id kind label type refvalues { id formId label value } }
      membershipPriceGroups { total items { id name hidden createdAt updatedAt membershipPrices { id amount currency kind duration rollingPeriod membershipPriceGroupId } } }
      donationPrices { total items { id amount currency name hidden kind allowCustomAmount createdAt updatedAt } } transactionStatuses { total items { id name color kind archived createdAt updatedAt } } }`);
    const users = (await get('/users')).data;
    expect(users.count).toBe(graph.users.total);
    expect(
      users.users.map((u: Json) => [
        u.id,
        u.mail,
        u.surname ?? null,
        u.role_data,
        u.birthdate ?? null,
        u.group_id,
        u.created_at,
      ]),
    ).toEqual(
      graph.users.items.map((u: Json) => [
        u.id,
        u.mail,
        u.surname,
        u.role,
        midnight(u.birthdate) ?? null,
        u.groupId,
        u.createdAt,
      ]),
    );
    same((await get('/roles')).data.roles, graph.roles);
    same(
      (await get('/users/invitation')).data.invitations,
      graph.invitations.map((i: Json) => ({
        id: i.id,
        group_id: i.groupId,
        email: i.email,
        mobile_phone: i.mobilePhone,
        role_id: i.role.id,
        role: i.role,
        team_ids: i.teamIds,
        user_id: i.userId,
        created_at: i.createdAt,
        last_sent: i.lastSent,
      })),
    );
    for (const form of graph.forms) {
      same((await get(`/forms/${form.id}`)).data.form, {
        id: form.id,
        label: form.label,
        type: form.type,
        refvalues: form.refvalues.map((r: Json) => ({ id: r.id, form_id: r.formId, label: r.label, value: r.value })),
      });
    }
    const groups = await get('/v1/membership_price_groups');
    expect([
      groups.total,
      groups.data.map((g: Json) => [g.id, g.membership_prices.map((p: Json) => [p.id, p.amount, p.currency])]),
    ]).toEqual([
      graph.membershipPriceGroups.total,
      graph.membershipPriceGroups.items.map((g: Json) => [
        g.id,
        g.membershipPrices.map((p: Json) => [p.id, p.amount, p.currency]),
      ]),
    ]);
    same(
      (await get('/v1/donation_prices')).data,
      graph.donationPrices.items.map((p: Json) => ({
        id: p.id,
        CreatedAt: p.createdAt,
        UpdatedAt: p.updatedAt,
        amount: p.amount,
        currency: p.currency,
        name: p.name,
        hidden: p.hidden,
        kind: p.kind,
        allow_custom_amount: p.allowCustomAmount,
      })),
    );
    same(
      (await get('/v1/transaction_statuses')).data,
      graph.transactionStatuses.items.map((s: Json) => ({
        id: s.id,
        CreatedAt: s.createdAt,
        UpdatedAt: s.updatedAt,
        name: s.name,
        color: s.color,
        kind: s.kind,
        archived: s.archived,
      })),
    );
  });
});
