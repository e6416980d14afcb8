// Creates the users of a space with their roles, and its invitations.
import { countDays, daySeconds, formatDate, formatInstant, reference } from './calendar.ts';
import { type Name, pickFirstName, pickSurname } from './names.ts';
import { pickStreet } from './places.ts';
import { formatFoundingInstant, type SpaceSeed, type User } from './space.ts';
import { mailDomains } from './words.ts';

const roles: [type: string, name: string, color: string, mobile: boolean, web: boolean, permissions?: string][] = [
  ['superadmin', 'Superadministrateur', '#c0392b', true, true],
  ['admin', 'Administrateur', '#d35400', true, true],
  ['manager', 'Responsable', '#f39c12', true, true],
  ['user', 'Militant', '#27ae60', true, true],
  ['custom', 'Trésorerie', '#8e44ad', false, true, '{contacts.read,people.read,money.read,money.write}'],
  ['custom', 'Porte-à-porte', '#16a085', true, false, '{contacts.read,people.read,notes.write}'],
];
const superadmin = 0;
/** The role of each user in order of entry: few high roles, mostly militants; in a small space one of each. */
const chooseRole = (place: number, main: boolean): number =>
  main ? ([superadmin, 1, 1, 2, 2, 2, 4, 5, 2][place] ?? (place % 7 === 3 ? 5 : 3)) : place % roles.length;
const availabilities = ['Disponible le soir', 'Disponible le week-end', 'En congé', 'Référent'];
const camille: Name = { text: 'Camille', folded: 'camille' };

const makeUser = (making: SpaceSeed, place: number, taken: Set<string>): User => {
  const random = making.at('user', place);
  const id = making.rows.id('users');
  const sex = random.chance(0.5) ? 'F' : 'M';
  const first = place === 0 ? camille : pickFirstName(random, sex);
  const last = pickSurname(random);
  const home = making.places.pick(random);
  const domain = random.of(mailDomains);
  const plain = place === 0 ? 'admin@example.org' : `${first.folded}.${last.folded}@${domain}`;
  const mail = taken.has(plain) ? `${first.folded}.${last.folded}.${id}@${domain}` : plain;
  taken.add(mail);
  const created = reference - random.between(100, 2700) * daySeconds + random.below(daySeconds);
  const settled = random.chance(0.7);
  const twoFactor = random.chance(0.25);
  making.rows.add('users', [
    id,
    mail,
    first.text,
    last.text,
    random.chance(0.8) ? `+3363998${random.between(1000, 9999)}` : null,
    settled ? `${random.between(1, 120)} ${pickStreet(random)}` : null,
    settled ? home.city : null,
    settled ? random.of(home.postalCodes) : null,
    settled ? `${home.latitude / 1e6},${home.longitude / 1e6}` : null,
    random.chance(0.9) ? 'fr' : 'en',
    random.chance(0.4) ? `https://example.org/avatars/${id}.png` : null,
    random.chance(0.6) ? formatDate(countDays(1950, 1, 1) + random.below(20_000)) : null,
    random.chance(0.5) ? [random.of(availabilities), 'Joignable par téléphone'].filter(Boolean).join(',') : null,
    twoFactor,
    twoFactor ? random.of(['app', 'sms', 'mail']) : null,
    formatInstant(created),
    formatInstant(created + random.between(0, 90) * daySeconds + random.below(daySeconds)),
  ]);
  return { id, sex, first, last, mail };
};

/** Creates the users and roles of a space. `guest` is a user of another space who also becomes a member. */
export const makePeople = (making: SpaceSeed, taken: Set<string>, guest?: User) => {
  const { rows, space, main } = making;
  const roleIds = roles.map(([type, name, color, mobile, web, permissions = null], position) => {
    const id = rows.id('roles');
    const at = formatFoundingInstant(position);
    rows.add('roles', [space, id, name, type, position, color, mobile, web, permissions, at, at]);
    return id;
  });
  const users = Array.from({ length: main ? 30 : 5 }, (_, place) => makeUser(making, place, taken));
  const join = (user: User, place: number, role: number): void =>
    rows.add('members', [space, user.id, roleIds[role]!, formatFoundingInstant(place + 10)]);
  for (const [place, user] of users.entries()) join(user, place, chooseRole(place, main));
  if (guest) {
    join(guest, users.length, roles.length - 1);
    users.push(guest);
  }
  return { users, roleIds };
};

/** Creates invitations. Some are pending; accepted ones refer to the new user. */
type Entered = ReturnType<typeof makePeople>;
export const makeInvitations = (making: SpaceSeed, { users, roleIds }: Entered, teamIds: number[]): void => {
  const { rows, space, main } = making;
  const invite = (index: number, user: User | null): void => {
    const random = making.at('invitation', index);
    const id = rows.id('invitations');
    const created =
      reference - (user ? random.between(60, 2000) : random.between(1, 45)) * daySeconds + random.below(12 * 3600);
    const sent = created + (random.chance(0.3) ? random.between(1, 20) * 3600 : 0);
    const email = user ? user.mail : `${pickFirstName(random, 'F').folded}.invite${index}@${random.of(mailDomains)}`;
    rows.add('invitations', [
      space,
      id,
      email,
      random.chance(0.4) ? `+3363998${random.between(1000, 9999)}` : null,
      roleIds[random.between(2, roleIds.length - 1)] as number,
      user?.id ?? null,
      random.chance(0.9) ? (users[0]?.id ?? null) : null,
      formatInstant(sent),
      user ? formatInstant(sent + random.between(600, 40_000)) : null,
      formatInstant(created),
      formatInstant(user ? sent + 40_000 : sent),
      // One was withdrawn before it was accepted.
      !user && index % 10 === 9 ? formatInstant(created + 3600 * 12) : null,
    ]);
    if (teamIds.length > 0 && random.chance(0.5)) rows.add('invitation_teams', [space, id, random.of(teamIds)]);
    else if (teamIds.length > 1 && index === 0) {
      for (const team of teamIds.slice(0, 2)) rows.add('invitation_teams', [space, id, team]);
    }
  };
  const pending = main ? 10 : 2;
  for (let index = 0; index < pending; index++) invite(index, null);
  const accepted = users.slice(1, main ? 16 : 4);
  for (const [index, user] of accepted.entries()) invite(pending + index, user);
};
