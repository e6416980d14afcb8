// The address of a contact (spec §2.2, §2.3).
import type { AddressRow } from '../src/data/contact/columns.ts';
import { readAddressesOfContacts } from '../src/data/contact/read.ts';
import { builder } from './builder.ts';
import { createRelationLoader } from './loader.ts';

export const Address = builder.objectRef<AddressRow>('Address').implement({
  description: 'Where a contact lives.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'SafeInt', description: 'Id of the address.' }),
    addition: t.exposeString('addition', { nullable: true, description: 'Second line of the address.' }),
    building: t.exposeString('building', { nullable: true, description: 'Building.' }),
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
      description: 'Why it is of no use, such as `npai` or `incomplete`; null while it is thought good.',
    }),
    latitude: t.exposeFloat('latitude', { nullable: true, description: 'Degrees north.' }),
    location: t.exposeString('location', { nullable: true, description: '`latitude,longitude`.' }),
    longitude: t.exposeFloat('longitude', { nullable: true, description: 'Degrees east.' }),
    pollingStation: t.exposeString('polling_station', { nullable: true, description: 'Polling station.' }),
    postalCode: t.exposeString('postal_code', { nullable: true, description: 'Postal code.' }),
    score: t.exposeFloat('score', { nullable: true, description: 'How sure the geocoding is.' }),
    state: t.exposeString('state', { nullable: true, description: 'State or region.' }),
    street: t.exposeString('street', { nullable: true, description: 'Street.' }),
  }),
});

export const addressOf = createRelationLoader(
  (context, ids) => readAddressesOfContacts(context.space, ids),
  (address) => address.contact_id,
);
