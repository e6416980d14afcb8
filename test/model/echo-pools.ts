// Values that the fields of contacts, users and teams are given when a record is edited.
import type { Json } from '../harness/app.ts';

/** The values that a field may be given. */
export type Pool = readonly Json[];

const lines = (...values: string[]): Pool => [...values, null];
export const contactPools: Record<string, Pool> = {
  firstname: lines('Ana', 'Élise', "D'Arc"),
  surname: lines('Martin', '=Øst'),
  marriedName: lines('Petit'),
  gender: ['M', 'F', 'O', null],
  birthdate: ['1980-02-29', '0999-01-01', null],
  ageCategory: [0, 3, 6, null],
  birthCity: lines('Foix', 'Agen'),
  birthCountry: lines('FR', 'BE'),
  birthDept: lines('09', '2A'),
  nationality: lines('FR', 'BE'),
  phone: lines('05 61 00 00 00', '+33561000000'),
  mobile: lines('0612345678', '06-1'),
  phoneInvalid: [true, false],
  mobileInvalid: [true, false],
};
export const addressPools: Record<string, Pool> = {
  ...Object.fromEntries(
    [
      'addition',
      'building',
      'city',
      'country',
      'county',
      'door',
      'infos',
      'invalid',
      'location',
      'state',
      'street',
    ].map((name) => [name, lines(`${name} a`, '7')]),
  ),
  citycode: lines('81004', '01004'),
  floor: lines('3', '0', 'RdC'),
  houseNumber: lines('12', '12 bis'),
  pollingStation: lines('104', '0104'),
  postalCode: lines('81000', '01000'),
  latitude: [43.93, -1.5, 0, null],
  longitude: [2.15, -180, null],
  score: [0.5, 1, null],
};
export const userPools: Record<string, Pool> = {
  ...Object.fromEntries(
    ['firstname', 'surname', 'phone', 'address', 'city', 'postal'].map((name) => [
      name,
      lines(`${name} 1`, `${name} 2`),
    ]),
  ),
  location: lines('43.93,2.15', '0,0'),
  avatar: lines('https://x.org/a.png', 'https://x.org/b.png'),
  birthdate: ['1980-02-29', '1990-12-31', null],
};
export const teamAddressPools: Record<string, Pool> = {
  ...Object.fromEntries(
    [
      'addition',
      'building',
      'buildingType',
      'city',
      'citycode',
      'country',
      'county',
      'door',
      'floor',
      'houseNumber',
    ].map((name) => [name, lines(`${name} a`, '7')]),
  ),
  ...Object.fromEntries(
    ['infos', 'location', 'pollingStation', 'postalCode', 'state', 'street'].map((name) => [name, lines('1.5', '02')]),
  ),
  latitude: [43.93, 2, null],
  longitude: [2.15, -180, null],
  score: [0.5, 2, null],
  invalid: [true, false, null],
};
