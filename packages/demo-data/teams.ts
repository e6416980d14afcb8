// Creates the teams of a space: their members, leaders and addresses.
import { daySeconds, formatInstant, reference } from './calendar.ts';
import { pickStreet } from './places.ts';
import { formatFoundingInstant, type SpaceSeed, type User } from './space.ts';
import { teamNames } from './words.ts';

const emptyTeam = 6;
const deletedTeam = 7;

const makeAddress = (making: SpaceSeed, teamId: number): void => {
  const { rows, random, space } = making;
  const place = making.places.pick(random);
  const latitude = String(place.latitude / 1e6);
  const longitude = String(place.longitude / 1e6);
  rows.add('team_addresses', [
    space,
    rows.id('team_addresses'),
    teamId,
    random.chance(0.3) ? 'Salle du conseil' : null,
    random.chance(0.5) ? random.of(['local', 'mairie', 'domicile']) : null,
    place.city,
    place.citycode,
    place.country,
    place.county,
    String(random.between(1, 90)),
    random.chance(0.1),
    latitude,
    `${latitude},${longitude}`,
    longitude,
    random.chance(0.3) ? '0001' : null,
    random.of(place.postalCodes),
    random.between(50, 100) / 100,
    place.state,
    pickStreet(random),
  ]);
};

/** Creates the teams, and returns the ids of those that still exist. */
export const makeTeams = (making: SpaceSeed, users: User[]): number[] => {
  const { rows, space, main } = making;
  const alive: number[] = [];
  for (const [place, name] of teamNames.entries()) {
    if (!main && place > 2) break;
    const random = making.at('team', place);
    const id = rows.id('teams');
    const deleted = place === deletedTeam;
    rows.add('teams', [
      space,
      id,
      name,
      random.chance(0.7) ? `${name} : une réunion par mois, ouverte aux nouveaux.` : '',
      place === 2 || place === 4,
      place === 4 || place === deletedTeam,
      random.between(1, 9),
      formatFoundingInstant(place),
      formatInstant(reference - random.between(30, 400) * daySeconds + random.below(daySeconds)),
      deleted ? formatInstant(reference - 20 * daySeconds) : null,
    ]);
    if (!deleted) alive.push(id);
    if (place === emptyTeam) continue;
    const size = Math.min(users.length, random.between(2, main ? 14 : 4));
    const start = random.below(users.length);
    const leaders = random.between(place === 1 ? 0 : 1, 2);
    for (let position = 0; position < size; position++) {
      const user = users[(start + position) % users.length] as User;
      rows.add('team_users', [space, id, user.id, position < leaders, position]);
    }
    if (place % 2 === 0) makeAddress(making, id);
  }
  return alive;
};
