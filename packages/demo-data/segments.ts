// Creates the saved segments of a space: of contacts, of donors, and one that uses another.
import { formatFoundingInstant, type SpaceSeed, type User } from './space.ts';

interface SegmentSpec {
  name: string;
  description: string | null;
  watched: boolean;
  /** The places of the segments that it uses in the list. */
  uses: number[];
  /** Its query, given the ids of the segments before it. */
  query(ids: readonly number[]): object;
}

const segments: SegmentSpec[] = [
  {
    name: 'Sympathisants joignables',
    description: 'Sympathisants et bénévoles qui ont une adresse e-mail et acceptent d’être contactés.',
    watched: false,
    uses: [],
    query: () => ({
      and: [
        { tags: { in: ['Sympathisant', 'Bénévole'] } },
        { email: { exists: true } },
        { optedOut: { equals: false } },
      ],
    }),
  },
  {
    name: 'Donateurs de l’année',
    description: null,
    watched: true,
    uses: [],
    query: () => ({ donations: { transactionDate: { gte: 'now-1y' } } }),
  },
  {
    name: 'Donateurs à faire adhérer',
    description: 'Donateurs de l’année sans adhésion en cours.',
    watched: false,
    uses: [1],
    query: (ids) => ({
      and: [{ segment: { in: [ids[1]] } }, { not: { memberships: { endDate: { gte: 'now/d' } } } }],
    }),
  },
];

export const makeSegments = ({ rows, space }: SpaceSeed, [author]: readonly User[]): void => {
  const ids: number[] = [];
  for (const [place, { name, description, watched, uses, query }] of segments.entries()) {
    const id = rows.id('segments');
    const at = formatFoundingInstant(place);
    const text = JSON.stringify(query(ids));
    rows.add('segments', [space, id, name, description, text, watched, author?.id ?? null, at, at]);
    for (const used of uses) rows.add('segment_uses', [space, id, ids[used]!]);
    ids.push(id);
  }
};
