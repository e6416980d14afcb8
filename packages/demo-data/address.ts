// Creates the address of a contact.
import { abroad, pickStreet, type Town } from './places.ts';
import type { Random } from './random.ts';
import type { SpaceSeed } from './space.ts';

/** Picks the home separately from the address, since the landline depends on its region. */
export const pickHome = (making: SpaceSeed, index: number): Town | null => {
  const random = making.at('home', index);
  if (random.chance(0.15)) return null;
  return random.chance(0.02) ? random.of(abroad) : making.places.pick(random);
};

const houseNumber = (random: Random): string | null => {
  if (random.chance(0.08)) return null;
  const number = String(random.between(1, random.of([9, 30, 120, 250])));
  if (random.chance(0.93)) return number;
  return number + random.of([' bis', ' bis', ' ter', 'B', '-12']);
};

export const makeAddress = (
  making: SpaceSeed,
  index: number,
  contact: number,
  home: Town,
  created: string,
  updated: string,
): void => {
  const { rows, space } = making;
  const random = making.at('address', index);
  const located = random.chance(0.92);
  // Within about a kilometre of the centre of the commune.
  const latitude = (home.latitude + random.between(-9000, 9000)) / 1e6;
  const longitude = (home.longitude + random.between(-12_000, 12_000)) / 1e6;
  const flat = random.chance(0.18);
  rows.add('addresses', [
    space,
    rows.id('addresses'),
    contact,
    random.chance(0.05) ? random.of(['Résidence les Lilas', 'Chez Mme Petit', 'Appt 12', 'BP 40']) : null,
    flat && random.chance(0.7) ? random.of(['A', 'B', 'C', 'Bât. 2', 'Tour Est']) : null,
    home.city,
    home.citycode,
    random.chance(0.97) ? home.country : null,
    home.county,
    flat && random.chance(0.6) ? String(random.between(1, 45)) : null,
    flat ? String(random.below(random.between(1, 14))) : null,
    houseNumber(random),
    random.chance(0.03) ? random.of(['Digicode 45B9', 'Sonner deux fois', 'Portail vert']) : null,
    random.chance(0.03) ? random.of(['npai', 'npai', 'incomplete']) : null,
    located ? latitude : null,
    located ? `${latitude},${longitude}` : null,
    located ? longitude : null,
    random.chance(0.45) ? String(random.between(1, random.between(1, 120))).padStart(4, '0') : null,
    random.of(home.postalCodes),
    located ? random.between(40, 100) / 100 : null,
    home.state,
    random.chance(0.97) ? pickStreet(random) : null,
    created,
    updated,
  ]);
};
