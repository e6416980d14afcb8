// The address of a contact or of a team (spec §2.2–§2.4).

import { readDegrees, type TeamAddressRow } from '../../src/data/access/team.ts';
import type { AddressRow } from '../../src/data/contact/columns.ts';
import { readAddressesOfContacts } from '../../src/data/contact/read.ts';
import { createRelationLoader } from '../../src/plan/loader.ts';
import { builder } from '../graph/builder.ts';

/** A team's address has parts that a contact's lacks, and its degrees are texts, which legacy clients are given as they sent them. */
type AddressSource = Omit<AddressRow, 'contact_id'> & {
  building_type?: string | null;
  is_invalid?: boolean | null;
  sent?: { latitude: string | null; longitude: string | null };
};

export const Address = builder.objectRef<AddressSource>('Address').implement({
  description: 'Where a contact lives, or where a team meets.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'SafeInt', description: 'Id of the address.' }),
    addition: t.exposeString('addition', { nullable: true, description: 'Second line of the address.' }),
    building: t.exposeString('building', { nullable: true, description: 'Building.' }),
    buildingType: t.string({
      nullable: true,
      description: 'Kind of building; only of teams.',
      resolve: (row) => row.building_type,
    }),
    city: t.exposeString('city', { nullable: true, description: 'City.' }),
    cityCode: t.exposeString('citycode', { nullable: true, description: 'Official code of the city.' }),
    country: t.exposeString('country', { nullable: true, description: 'Country.' }),
    county: t.exposeString('county', { nullable: true, description: 'County or department.' }),
    door: t.exposeString('door', { nullable: true, description: 'Door.' }),
    floor: t.exposeString('floor', { nullable: true, description: 'Floor.' }),
    houseNumber: t.exposeString('house_number', { nullable: true, description: 'House number.' }),
    details: t.exposeString('infos', { nullable: true, description: 'Anything else that helps to find it.' }),
    invalidReason: t.exposeString('invalid', {
      nullable: true,
      description: 'Why it is wrong, such as `npai` or `incomplete`; only of contacts.',
    }),
    invalid: t.boolean({
      nullable: true,
      description: 'Whether it is known to be wrong; null when nobody said.',
      extensions: { json: { column: 'invalid', kind: 'presence' } },
      resolve: (row) => (row.is_invalid === undefined ? row.invalid !== null : row.is_invalid),
    }),
    latitude: t.exposeFloat('latitude', { nullable: true, description: 'Degrees north.' }),
    legacyLatitude: t.string({
      nullable: true,
      extensions: { legacy: true },
      description: 'Degrees north, as they were sent.',
      resolve: ({ sent }) => sent?.latitude,
    }),
    legacyLongitude: t.string({
      nullable: true,
      extensions: { legacy: true },
      description: 'Degrees east, as they were sent.',
      resolve: ({ sent }) => sent?.longitude,
    }),
    location: t.exposeString('location', { nullable: true, description: '`latitude,longitude`.' }),
    longitude: t.exposeFloat('longitude', { nullable: true, description: 'Degrees east.' }),
    pollingStation: t.exposeString('polling_station', { nullable: true, description: 'Polling station.' }),
    postalCode: t.exposeString('postal_code', { nullable: true, description: 'Postal code.' }),
    score: t.exposeFloat('score', { nullable: true, description: 'How sure the geocoding is.' }),
    state: t.exposeString('state', { nullable: true, description: 'State or region.' }),
    street: t.exposeString('street', { nullable: true, description: 'Street.' }),
  }),
});

/** The address of a team, from its row. */
export const convertTeamAddress = ({ invalid, ...row }: TeamAddressRow): AddressSource => ({
  ...row,
  invalid: null,
  is_invalid: invalid,
  latitude: row.latitude === null ? null : readDegrees(row.latitude),
  longitude: row.longitude === null ? null : readDegrees(row.longitude),
  sent: { latitude: row.latitude, longitude: row.longitude },
});

export const addressOf = createRelationLoader(
  (context, ids) => readAddressesOfContacts(context.space, ids),
  (address) => address.contact_id,
);
