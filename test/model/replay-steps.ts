// Random writes of every noun by both doors, of whom only the ids are known: what becomes of them is read afterwards.
import { schema } from '../../schema/index.ts';
import type { Json } from '../harness/app.ts';
import type { Chance } from '../search/random.ts';
import { drawContent, drawDay, drawInstant, drawRecord, tagNames, translateToWire, urls } from './draws.ts';
import { translateArgument } from './graph-names.ts';
import type { Ground } from './ground.ts';

export interface Replay {
  draw: Chance;
  ground: Ground;
  /** An id of a table of the space; mostly of a row that is not deleted. */
  pick(table: string): Promise<number>;
}

/** A write: its name in the graph or its route, and how it is sent. */
export type Write = { name: string } & (
  | { door: 'graphql'; input: Json }
  | { door: 'rest'; method: string; path: string; body?: Json }
);

const getArgument = (name: string) => schema.getMutationType()!.getFields()[name]!.args[0]!.type;

/** Sends a write as the superadmin; yields the status, and the refusal. */
export const sendWrite = async (
  { door, space, boss }: Ground,
  write: Write,
): Promise<{ status: number; data: Json }> => {
  const token = await door.token(space, boss);
  if (write.door === 'rest') {
    const { status, body } = await door.rest(write.method, write.path, write.body, token);
    return { status, data: body };
  }
  const type = getArgument(write.name);
  const { body } = await door.graphql(
    `mutation ($input: ${type}) { ${write.name}(input: $input) { __typename } }`,
    { input: translateArgument(type, write.input) },
    token,
  );
  return { status: body.errors ? (body.errors[0].extensions?.status ?? 500) : 200, data: body };
};

type DrawInput = (replay: Replay) => Promise<Json> | Json;

const some = (draw: Chance, fields: Json): Json =>
  Object.fromEntries(draw.some(Object.entries(fields), 1 + draw.whole(Object.keys(fields).length)));

const word = (draw: Chance): string => `${draw.pick(['red', 'blue', 'été'])} ${draw.whole(1000)}`;
const maybe = <Value>(draw: Chance, value: Value): Value | null => (draw.odds(0.7) ? value : null);
/** Mostly a record of the table, else none. */
const maybeOne = async ({ draw, pick }: Replay, table: string): Promise<number | null> =>
  draw.odds(0.5) ? pick(table) : null;
const several = async (replay: Replay, table: string, most = 3): Promise<number[]> => {
  const ids: number[] = [];
  for (let count = 1 + replay.draw.whole(most); count > 0; count--) ids.push(await replay.pick(table));
  return [...new Set(ids)];
};

const records: Record<string, [table: string, fields: (replay: Replay) => Promise<Json> | Json]> = {
  Transaction: [
    'transactions',
    async (replay) => ({
      amount: replay.draw.pick([100, 9990, -500]),
      currency: replay.draw.pick(['EUR', 'CHF']),
      date: drawInstant(replay.draw),
      codeCampaign: maybe(replay.draw, 'SPRING'),
      statusId: await maybeOne(replay, 'transaction_statuses'),
    }),
  ],
  Donation: [
    'donations',
    async (replay) => ({
      amount: replay.draw.pick([100, 9990]),
      currency: replay.draw.pick(['EUR', 'CHF']),
      transactionDate: drawInstant(replay.draw),
      transactionId: await maybeOne(replay, 'transactions'),
      donationPriceId: await maybeOne(replay, 'donation_prices'),
    }),
  ],
  Membership: [
    'memberships',
    async (replay) => ({
      amount: replay.draw.pick([100, 9990]),
      startDate: `2026-0${1 + replay.draw.whole(9)}-01`,
      endDate: maybe(replay.draw, '2027-01-01'),
      transactionDate: maybe(replay.draw, drawInstant(replay.draw)),
      membershipPriceId: await maybeOne(replay, 'membership_prices'),
    }),
  ],
  Sanction: [
    'sanctions',
    ({ draw }) => ({
      status: maybe(draw, 'banned'),
      startDate: maybe(draw, '2026-01-01T10:00:00+02:00'),
      endDate: maybe(draw, '2027-01-01T00:00:00.123456Z'),
    }),
  ],
  Interaction: [
    'interactions',
    ({ draw }) => ({
      type: draw.pick(['call', 'visit']),
      title: maybe(draw, word(draw)),
      comments: maybe(draw, '2026-01-01T00:00:00+00:00'),
      onlySuperAdmin: draw.odds(0.3),
    }),
  ],
  Note: ['notes', ({ draw }) => ({ content: draw.pick(['called', 'wrote']), pinned: draw.odds(0.4) })],
};

const prices = ({ draw }: Replay): Json => ({
  name: word(draw),
  amount: draw.pick([500, 2000]),
  currency: draw.pick(['EUR', 'CHF']),
  hidden: draw.odds(0.3),
  kind: maybe(draw, 'yearly'),
});

/** Nouns that are of no contact: their tables, and what they are created and changed with. */
const settings: Record<string, [table: string, fields: DrawInput]> = {
  Action: ['actions', ({ draw }) => ({ name: word(draw), startsAt: maybe(draw, drawInstant(draw)) })],
  Tag: ['tags', ({ draw }) => ({ name: word(draw), color: maybe(draw, '#123456') })],
  Template: ['templates', ({ draw }) => ({ name: word(draw) })],
  Campaign: [
    'campaigns',
    async (replay) => ({
      name: word(replay.draw),
      subject: maybe(replay.draw, 'Hello'),
      isSuccessful: maybe(replay.draw, true),
      performanceRating: maybe(replay.draw, 50),
      sentAt: maybe(replay.draw, drawInstant(replay.draw)),
      templateId: await maybeOne(replay, 'templates'),
    }),
  ],
  MembershipPriceGroup: ['membership_price_groups', ({ draw }) => ({ name: word(draw), hidden: draw.odds(0.3) })],
  MembershipPrice: [
    'membership_prices',
    async (replay) => ({ ...prices(replay), membershipPriceGroupId: await replay.pick('membership_price_groups') }),
  ],
  DonationPrice: ['donation_prices', prices],
  TransactionStatus: [
    'transaction_statuses',
    ({ draw }) => ({ name: word(draw), color: maybe(draw, '#123456'), archived: draw.odds(0.3) }),
  ],
  Segment: [
    'segments',
    ({ draw, ground }) => ({
      name: word(draw),
      description: maybe(draw, 'Some people'),
      isWatched: false,
      query: draw.pick([
        { tags: { in: ['red'] } },
        { gender: { equals: 'F' }, or: [{ actions: { in: ground.actions } }, { lastName: { startsWith: 'mar' } }] },
        { answer: { form: ground.forms[0]!.id, value: { exists: true } } },
      ]),
    }),
  ],
};

const team = async (replay: Replay): Promise<Json> => {
  const { draw, ground } = replay;
  const users = draw.some([ground.boss, ground.plain], draw.whole(3));
  return {
    name: word(draw),
    ...(draw.odds(0.7) && { description: 'a team' }),
    private: draw.odds(0.3),
    users: users.map((id) => ({ id })),
    leaders: draw.some(users, draw.whole(2)).map((id) => ({ id })),
    ...(draw.odds(0.6) && {
      address: {
        city: draw.pick(['Albi', 'Agen']),
        latitude: 43.5,
        longitude: maybe(draw, -1.25),
        invalid: draw.odds(0.5),
      },
    }),
  };
};

/** Degrees of teams are texts over REST. */
const teamOnWire = async (replay: Replay): Promise<Json> => {
  const { address, ...rest } = await team(replay);
  const { latitude, longitude, ...parts } = address ?? {};
  return {
    ...rest,
    ...(address && { address: { ...parts, latitude: `${latitude}`, ...(longitude && { longitude: `${longitude}` }) } }),
  };
};

interface WriteKind {
  name: string;
  draw(replay: Replay): Promise<Write>;
}

const graph = (name: string, draw: DrawInput): WriteKind => ({
  name,
  draw: async (replay) => ({ door: 'graphql', name, input: await draw(replay) }),
});
const rest = (
  method: string,
  route: string,
  draw: (replay: Replay) => Promise<{ path?: string; body?: Json }>,
): WriteKind => ({
  name: `${method} ${route}`,
  draw: async (replay) => ({
    door: 'rest',
    name: `${method} ${route}`,
    method,
    path: route,
    ...(await draw(replay)),
  }),
});

const idOf =
  (table: string): DrawInput =>
  async ({ pick }) => ({ id: await pick(table) });

/** Some records to upsert, each drawn after the other, so that the seed says which. */
const people = async ({ draw, ground, pick }: Replay): Promise<Json[]> => {
  const all: Json[] = [];
  for (let count = 1 + draw.whole(4); count > 0; count--) all.push(drawRecord(draw, ground, await pick('contacts')));
  return all;
};

/** Each write, and how often it comes. */
export const writes: [weight: number, kind: WriteKind][] = [
  [6, graph('createContact', ({ draw, ground }) => drawContent(draw, ground))],
  [
    3,
    rest('POST', '/contacts', async ({ draw, ground }) => ({
      body: { data: { contact: translateToWire(draw, drawContent(draw, ground)) } },
    })),
  ],
  [
    8,
    graph('updateContact', async ({ draw, ground, pick }) => ({
      id: await pick('contacts'),
      ...drawContent(draw, ground),
    })),
  ],
  [
    8,
    rest('PATCH', '/contacts/{id}', async ({ draw, ground, pick }) => ({
      path: `/contacts/${await pick('contacts')}`,
      body: translateToWire(draw, drawContent(draw, ground)),
    })),
  ],
  [
    8,
    rest('POST', '/contacts/upsert', async ({ draw, ground, pick }) => ({
      body: { kind: 'contact', data: translateToWire(draw, drawRecord(draw, ground, await pick('contacts'))) },
    })),
  ],
  [4, graph('upsertContact', async ({ draw, ground, pick }) => drawRecord(draw, ground, await pick('contacts')))],
  [3, graph('upsertContacts', async (replay) => ({ contacts: await people(replay) }))],
  [
    5,
    graph('importContacts', async (replay) => ({
      contacts: await people(replay),
      mode: replay.draw.pick(['UPSERT', 'UPSERT', 'CREATE']),
      name: word(replay.draw),
    })),
  ],
  [3, graph('undoImport', idOf('imports'))],
  [2, graph('deleteContact', idOf('contacts'))],
  [2, rest('DELETE', '/contacts/{id}', async ({ pick }) => ({ path: `/contacts/${await pick('contacts')}` }))],
  [5, graph('restoreContact', idOf('deleted contacts'))],
  [
    7,
    graph('mergeContacts', async (replay) => ({
      survivorId: await replay.pick('contacts'),
      ids: await several(replay, 'contacts', 2),
    })),
  ],
  [
    3,
    graph('tagContacts', async (replay) => ({
      contactIds: await several(replay, 'contacts'),
      tags: replay.draw.some([...tagNames, 'new'], 2),
    })),
  ],
  [
    3,
    graph('untagContacts', async (replay) => ({
      contactIds: await several(replay, 'contacts'),
      tags: replay.draw.some(tagNames, 2),
    })),
  ],
  [
    2,
    graph('linkAction', async (replay) => ({
      contactIds: await several(replay, 'contacts'),
      actionId: await replay.pick('actions'),
    })),
  ],
  [
    2,
    graph('unlinkAction', async (replay) => ({
      contactIds: await several(replay, 'contacts'),
      actionId: await replay.pick('actions'),
    })),
  ],
  [
    2,
    rest('POST', '/contacts/{id}/notes', async ({ draw, pick }) => ({
      path: `/v1/contacts/${await pick('contacts')}/notes`,
      body: { content: 'by REST', pinned: draw.odds(0.5) },
    })),
  ],
  ...Object.entries(records).flatMap(([type, [table, fields]]): [number, WriteKind][] => [
    [
      3,
      graph(`create${type}`, async (replay) => ({
        contactId: await replay.pick('contacts'),
        ...(await fields(replay)),
      })),
    ],
    [
      2,
      graph(`update${type}`, async (replay) => ({
        id: await replay.pick(table),
        ...some(replay.draw, await fields(replay)),
      })),
    ],
    [1, graph(`delete${type}`, idOf(table))],
  ]),
  [
    2,
    graph('addFile', async ({ draw, pick }) => ({
      interactionId: await pick('interactions'),
      name: word(draw),
      url: '/f',
      mime: maybe(draw, 'text/plain'),
    })),
  ],
  [1, graph('deleteFile', idOf('files'))],
  [
    2,
    graph('createPayment', async (replay) => ({
      contactId: await replay.pick('contacts'),
      amount: 5000,
      date: drawInstant(replay.draw),
      donations: [{ amount: 100, contactId: await replay.pick('contacts') }],
      memberships: [{ amount: 200, startDate: drawDay(replay.draw) }],
    })),
  ],
  [
    3,
    graph('recordEmails', async (replay) => ({
      emails: [
        {
          contactId: await replay.pick('contacts'),
          campaignId: await maybeOne(replay, 'campaigns'),
          type: maybe(replay.draw, 'mailing'),
        },
      ],
    })),
  ],
  [
    3,
    graph('recordEmailEvents', async ({ draw, pick }) => ({
      events: [
        { emailId: await pick('emails'), kind: 'OPENED', at: drawInstant(draw) },
        { emailId: await pick('emails'), kind: 'CLICKED', at: drawInstant(draw), url: draw.pick(urls) },
      ],
    })),
  ],
  ...Object.entries(settings).flatMap(([type, [table, fields]]): [number, WriteKind][] => [
    [1, graph(`create${type}`, fields)],
    [
      1,
      graph(`update${type}`, async (replay) => ({
        id: await replay.pick(table),
        ...some(replay.draw, await fields(replay)),
      })),
    ],
    [0.5, graph(`delete${type}`, idOf(table))],
  ]),
  [
    1,
    graph('createForm', ({ draw }) => ({
      kind: draw.pick(['SURVEY', 'CONSENT']),
      type: 'RADIO',
      label: word(draw),
      options: [{ label: 'One' }, { label: 'Two', value: '2' }],
    })),
  ],
  [
    2,
    graph('updateForm', async ({ draw, pick, ground }) => {
      const id = await pick('forms');
      const kept = ground.forms.find((one) => one.id === id)?.refs ?? [];
      const options = [
        ...draw
          .shuffle(kept)
          .map(({ id: option, label }) => ({ id: option, label: draw.odds(0.3) ? word(draw) : label })),
        ...(draw.odds(0.4) ? [{ label: word(draw) }] : []),
      ];
      return { id, ...some(draw, { label: word(draw), options }) };
    }),
  ],
  [0.5, graph('deleteForm', idOf('forms'))],
  [2, graph('createTeam', team)],
  [2, rest('POST', '/teams', async (replay) => ({ body: { data: { team: await teamOnWire(replay) } } }))],
  [3, graph('replaceTeam', async (replay) => ({ id: await replay.pick('teams'), ...(await team(replay)) }))],
  [
    3,
    rest('PATCH', '/teams', async (replay) => ({
      body: { data: { team: { id: await replay.pick('teams'), ...(await teamOnWire(replay)) } } },
    })),
  ],
  [1, graph('deleteTeam', idOf('teams'))],
  [
    1,
    graph('createRole', ({ draw }) => ({
      name: word(draw),
      type: draw.pick(['USER', 'MANAGER']),
      color: maybe(draw, '#123456'),
    })),
  ],
  [
    1,
    graph('updateRole', async ({ draw, pick }) => ({
      id: await pick('roles'),
      ...some(draw, { name: word(draw), position: draw.whole(5), mobile: draw.odds(0.5) }),
    })),
  ],
  [1, graph('changeMemberRole', async ({ ground, pick }) => ({ userId: ground.plain, roleId: await pick('roles') }))],
  [
    2,
    graph('inviteUsers', async (replay) => ({
      invitations: [
        {
          email: `i${replay.draw.whole(5)}@x.org`,
          roleId: await replay.pick('roles'),
          teamIds: await several(replay, 'teams', 2),
        },
      ],
    })),
  ],
  [1, graph('deleteInvitation', idOf('invitations'))],
];

/** What a sequence begins with, so that the others find somebody. */
export const beginnings: readonly WriteKind[] = [
  ...['createContact', 'createContact', 'POST /contacts', 'importContacts'],
  ...['createInteraction', 'addFile', 'recordEmails', 'createTeam', 'createTemplate', 'createSegment', 'inviteUsers'],
].map((name) => writes.find(([, kind]) => kind.name === name)![1]);
