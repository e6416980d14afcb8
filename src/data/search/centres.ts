// The centres of a query that the space has the coordinates of: where a contact, or whom it was merged into, lives now, and the middle of a postal code.
import { defineStatement, type Scoped } from '../../database/statement.ts';
import { type Group, listConditions } from '../../search/parse.ts';
import { type Circle, type Coordinates, isLookedUp } from '../../search/places.ts';

/** Contacts with coordinates whose middle is that of their postal code: the first ones, so that a code of a hundred thousand is read as fast. */
const contactsOfMiddle = 1000;

const isPlaced = 'a.latitude between -90 and 90 and a.longitude between -180 and 180';
// The middle of longitudes would be wrong where some are east and some west of the antimeridian.
const findCentres = defineStatement(
  'search.centres',
  `select c.id as "contactId", null as "postalCode", a.latitude, a.longitude
     from contacts c
     join contact_search s on s.group_id = :group and s.contact_id = coalesce(c.merged_into, c.id)
     join addresses a on a.group_id = :group and a.contact_id = s.contact_id
    where c.group_id = :group and c.id = any(cast(:contacts as bigint[])) and ${isPlaced}
   union all
   select null, c.code, degrees(atan2(p.z, sqrt(p.x * p.x + p.y * p.y))), degrees(atan2(p.y, p.x))
     from unnest(cast(:codes as text[])) c (code) cross join lateral (
       select avg(cos(radians(n.latitude)) * cos(radians(n.longitude))) as x,
              avg(cos(radians(n.latitude)) * sin(radians(n.longitude))) as y, avg(sin(radians(n.latitude))) as z
         from (select a.latitude, a.longitude
                 from contact_search s join addresses a on a.group_id = :group and a.contact_id = s.contact_id
                where s.group_id = :group and s.postal_code = fold(c.code) and ${isPlaced}
                order by s.contact_id limit ${contactsOfMiddle}) n) p
    where p.x is not null`,
);

type Centre = Pick<Circle, 'contactId' | 'postalCode'> & Coordinates;

const placeCentres = ({ parts, ...group }: Group, find: (circle: Circle) => Coordinates | null): Group => ({
  ...group,
  parts: parts.map((part) => {
    if ('parts' in part) return placeCentres(part, find);
    const { place } = part.operand;
    return isLookedUp(place)
      ? { ...part, operand: { ...part.operand, place: { ...place, centre: find(place) } } }
      : part;
  }),
});

/** The query with the centres of its circles at this moment; null where there is none. */
export const locateCentres = async (space: Scoped, query: Group): Promise<Group> => {
  const circles = listConditions(query).flatMap(({ operand: { place } }) => (isLookedUp(place) ? [place] : []));
  if (circles.length === 0) return query;
  const listOf = (name: 'contactId' | 'postalCode') => [...new Set(circles.flatMap((circle) => circle[name] ?? []))];
  const found = await space.rows<Centre>(findCentres, { contacts: listOf('contactId'), codes: listOf('postalCode') });
  return placeCentres(query, ({ contactId = null, postalCode = null }) => {
    const one = found.find((centre) => centre.contactId === contactId && centre.postalCode === postalCode);
    return one ? { latitude: one.latitude, longitude: one.longitude } : null;
  });
};

/** Why nobody is near the centre of a circle, where that is so whatever its size. */
export const explainNowhere = ({ contactId, postalCode, centre }: Circle): string | null => {
  if (centre !== null) return null;
  return contactId === undefined
    ? `No contact with coordinates has the postal code ${postalCode}: nobody is near it.`
    : `There is no contact ${contactId} with coordinates: nobody is near it.`;
};
