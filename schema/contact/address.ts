// The address of a contact or of a team (spec §2.2–§2.4).

import { readDegrees, type TeamAddressRow } from '../../src/data/access/team.ts';
import type { AddressRow } from '../../src/data/contact/columns.ts';
import { convertToSnakeCase } from '../../src/input/snake-case.ts';
import { builder } from '../graph/builder.ts';
import type { InputBuilder } from '../graph/mutation.ts';
import { shortText } from '../graph/validators.ts';

/** The parts of an address that are texts. */
export const addressTexts = {
  addition: 'Second line of the address.',
  building: 'Building.',
  city: 'City.',
  cityCode: 'Official code of the city.',
  country: 'Country.',
  county: 'County or department.',
  details: 'Anything else that helps to find it.',
  door: 'Door.',
  floor: 'Floor.',
  houseNumber: 'House number.',
  location: '`latitude,longitude`.',
  pollingStation: 'Polling station.',
  postalCode: 'Postal code.',
  state: 'State or region.',
  street: 'Street.',
} as const;

/** Parts whose column has another name. */
export const addressColumns: Readonly<Record<string, string>> = { cityCode: 'citycode', details: 'infos' };

/** Fields of an input that are short texts, by their descriptions. */
export const defineShortTexts = <Name extends string>(t: InputBuilder, described: Readonly<Record<Name, string>>) =>
  Object.fromEntries(
    Object.entries<string>(described).map(([field, description]) => [
      field,
      t.string({ validate: shortText, description }),
    ]),
  ) as Record<Name, ReturnType<typeof t.string<false>>>;

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
    ...Object.fromEntries(
      Object.entries(addressTexts).map(([field, description]) => [
        field,
        t.exposeString((addressColumns[field] ?? convertToSnakeCase(field)) as 'city', { nullable: true, description }),
      ]),
    ),
    buildingType: t.string({
      nullable: true,
      description: 'Kind of building; only of teams.',
      resolve: (row) => row.building_type,
    }),
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
    longitude: t.exposeFloat('longitude', { nullable: true, description: 'Degrees east.' }),
    score: t.exposeFloat('score', { nullable: true, description: 'How sure the geocoding is.' }),
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
