// The doors agree on all records of a space except contacts: REST equals GraphQL for the same record, field by field.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { convertToMidnight, expectSame, fetchOverRest, queryGraph } from './compare.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

/** Degrees of teams are texts for legacy clients. */
const asText = (degrees: number | null): string | null => (degrees === null ? null : `${degrees}`);

describe('REST equals GraphQL, field by field', () => {
  it('for teams and their users', async () => {
    const role = 'role { id: databaseId name color type order: position mobile web }';
    const user = `id: databaseId firstname: firstName surname: lastName mail: email avatar phone ${role} createdAt updatedAt address birthdate: birthDate city
      contacts { id: databaseId } locale location postal: postalCode status twoFactorEnable: twoFactorEnabled twoFactorMethod`;
    const {
      teams: { items: teams },
    } = await queryGraph(
      door,
      `{ teams(first: 100) { totalCount items: nodes { id: databaseId name description private hideUsers users { ${user} } leaders { ${user} } createdAt updatedAt
      address { id: databaseId addition building buildingType city citycode: cityCode country county door floor houseNumber infos: details invalid latitude location longitude pollingStation postalCode score state street } } } }`,
    );
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
      birthdate: convertToMidnight(u.birthdate),
      city: u.city,
      contacts: u.contacts,
      group_id: [1],
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
        latitude: asText(t.address.latitude),
        longitude: asText(t.address.longitude),
        lattitude: asText(t.address.latitude),
        pollingStation: null,
        pollingstation: t.address.pollingStation,
        postalCode: null,
        postalcode: t.address.postalCode,
      },
    });
    expect(teams.length).toBeGreaterThan(2);
    expectSame((await fetchOverRest(door, '/teams')).data.teams, teams.map(team));
    for (const one of teams) expectSame((await fetchOverRest(door, `/teams/${one.id}`)).data.team, team(one));
  });

  it('for users, roles, invitations, forms and settings', async () => {
    const graph = await queryGraph(
      door,
      `{ users(first: 1000) { total: totalCount items: nodes { id: databaseId mail: email surname: lastName role { id: databaseId name order: position type } birthdate: birthDate createdAt } }
      roles { id: databaseId name type order: position color mobile web }
      invitations(first: 1000) { nodes { id: databaseId email mobilePhone role { id: databaseId name order: position type } teamIds: teams { databaseId } userId: acceptedBy { databaseId } createdAt lastSent: lastSentAt } }
      forms(first: 1000) { nodes { id: databaseId kind label type refvalues: options { id: databaseId formId: form { databaseId } label value } } }
      membershipPriceGroups { total: totalCount items: nodes { id: databaseId name hidden createdAt updatedAt membershipPrices { id: databaseId amount { amount currency } kind duration rollingPeriod } } }
      donationPrices { total: totalCount items: nodes { id: databaseId amount { amount currency } name hidden kind allowCustomAmount createdAt updatedAt } } transactionStatuses { total: totalCount items: nodes { id: databaseId name color kind archived createdAt updatedAt } } }`,
    );
    const users = (await fetchOverRest(door, '/users')).data;
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
        convertToMidnight(u.birthdate) ?? null,
        1,
        u.createdAt,
      ]),
    );
    expectSame((await fetchOverRest(door, '/roles')).data.roles, graph.roles);
    expectSame(
      (await fetchOverRest(door, '/users/invitation')).data.invitations,
      graph.invitations.map((i: Json) => ({
        id: i.id,
        group_id: 1,
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
      expectSame((await fetchOverRest(door, `/forms/${form.id}`)).data.form, {
        id: form.id,
        label: form.label,
        type: form.type,
        refvalues: form.refvalues.map((r: Json) => ({ id: r.id, form_id: r.formId, label: r.label, value: r.value })),
      });
    }
    const groups = await fetchOverRest(door, '/v1/membership_price_groups');
    expect([
      groups.total,
      groups.data.map((g: Json) => [g.id, g.membership_prices.map((p: Json) => [p.id, p.amount, p.currency])]),
    ]).toEqual([
      graph.membershipPriceGroups.total,
      graph.membershipPriceGroups.items.map((g: Json) => [
        g.id,
        g.membershipPrices.map((p: Json) => [p.id, p.amount.amount, p.amount.currency]),
      ]),
    ]);
    expectSame(
      (await fetchOverRest(door, '/v1/donation_prices')).data,
      graph.donationPrices.items.map((p: Json) => ({
        id: p.id,
        CreatedAt: p.createdAt,
        UpdatedAt: p.updatedAt,
        amount: p.amount.amount,
        currency: p.amount.currency,
        name: p.name,
        hidden: p.hidden,
        kind: p.kind,
        allow_custom_amount: p.allowCustomAmount,
      })),
    );
    expectSame(
      (await fetchOverRest(door, '/v1/transaction_statuses')).data,
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
