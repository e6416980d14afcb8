// Four clients write one space at once, by both doors: nothing acknowledged is lost, and what is there is what somebody wrote last or meanwhile.
// MODEL_SEED=7 begins with that seed, MODEL_ROUNDS=50 plays so many.
import { beforeAll, describe, expect, it } from 'vitest';
import { findWrongRows } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { type Chance, createChance, seedOf } from '../search/random.ts';
import { selectFields, translateResult } from './graph-names.ts';
import { type Call, createGround, type Ground, type Reply, sendCall } from './ground.ts';

const first = Number(process.env.MODEL_SEED ?? 1);
const rounds = Number(process.env.MODEL_ROUNDS ?? 3);
const clients = 4;
const writes = 50;
/** Fields that every client changes, on the same contacts. */
const contended = ['phone', 'marriedName', 'birthCity', 'nationality'];
const wireNames: Record<string, string> = { marriedName: 'married_name', birthCity: 'birth_city' };
/** Those of the contested contacts that are deleted and restored now and then; the others live throughout. */
const mortal = (contacts: number[]): number[] => contacts.slice(3);
const persons = Array.from({ length: 6 }, (_, number) => ({ mail: `once${number}@x.org`, surname: `Once ${number}` }));

/** A write as its client saw it. */
interface Done {
  call: Call;
  reply: Reply;
  began: number;
  ended: number;
  /** What is to be looked for afterwards. */
  kind: string;
  /** The contacts that it changed, when it was acknowledged. */
  changed: (data: Json) => number[];
  said?: { contact: number; fields: Json };
}

type Wanted = Pick<Done, 'call' | 'kind' | 'said'> & { changed?: Done['changed'] };

const mutation = (by: number, name: string, input: Json): Call => ({ door: 'graphql', by, name, input });
/** Upserts say whom they changed; who was created is of version 1. */
const upserted = ({ contact, outcome }: Json): number[] => (outcome === 'updated' ? [contact.id] : []);

interface Shared {
  contacts: number[];
  notes: number[];
  versions: Map<number, number>;
}

const wanted = (
  draw: Chance,
  { ground, by, number }: { ground: Ground; by: number; number: string },
  shared: Shared,
): Wanted => {
  const contact = draw.pick(shared.contacts);
  const fields = Object.fromEntries(draw.some(contended, 1 + draw.whole(3)).map((name) => [name, `${name} ${number}`]));
  const said = { contact, fields };
  const one = (): number[] => [contact];
  const kinds: (() => Wanted)[] = [
    () => ({ kind: 'update', said, changed: one, call: mutation(by, 'updateContact', { id: contact, ...fields }) }),
    () => {
      const body = Object.fromEntries(Object.entries(fields).map(([name, value]) => [wireNames[name] ?? name, value]));
      return {
        kind: 'update',
        said,
        changed: one,
        call: { door: 'rest', by, method: 'PATCH', path: `/contacts/${contact}`, body },
      };
    },
    () => {
      const input = { id: contact, ...fields, expectedVersion: shared.versions.get(contact) ?? 1 };
      return { kind: 'expecting', said, changed: one, call: mutation(by, 'updateContact', input) };
    },
    () => ({
      kind: 'update',
      said,
      changed: upserted,
      call: mutation(by, 'upsertContact', { id: contact, ...fields }),
    }),
    () => {
      const body = { content: `note ${number}`, pinned: draw.odds(0.5) };
      return {
        kind: 'note',
        changed: one,
        call: { door: 'rest', by, method: 'POST', path: `/v1/contacts/${contact}/notes`, body },
      };
    },
    () => {
      const input = { amount: 100, transactionDate: '2026-01-01T00:00:00Z' };
      return { kind: 'donation', changed: one, call: mutation(by, 'createDonation', { contactId: contact, ...input }) };
    },
    () => {
      const other = draw.pick(shared.contacts);
      const donations = [{ contactId: other, amount: 100 }];
      const input = { contactId: contact, amount: 100, date: '2026-01-01T00:00:00Z', donations };
      return {
        kind: 'payment',
        changed: () => [...new Set([contact, other])],
        call: mutation(by, 'createPayment', input),
      };
    },
    () => {
      const input = { contactIds: draw.some(shared.contacts, 3), tags: draw.some(['a', 'b', 'c'], 2) };
      const name = draw.pick(['tagContacts', 'tagContacts', 'untagContacts']);
      return { kind: 'tags', changed: ({ contactIds }) => contactIds, call: mutation(by, name, input) };
    },
    () => {
      const input = { contactIds: draw.some(shared.contacts, 3), actionId: draw.pick(ground.actions) };
      const name = draw.pick(['linkAction', 'unlinkAction']);
      return { kind: 'actions', changed: ({ contactIds }) => contactIds, call: mutation(by, name, input) };
    },
    () => {
      const input = [{ contactId: contact, campaignId: draw.pick(ground.campaigns) }];
      return { kind: 'email', changed: () => [], call: mutation(by, 'recordEmails', { emails: input }) };
    },
    () => {
      const person = draw.pick(persons);
      const data = { ...person, phone: number };
      const call: Call = {
        door: 'rest',
        by,
        method: 'POST',
        path: '/contacts/upsert',
        body: { kind: 'contact', data },
      };
      return { kind: 'upsert', changed: ({ data: answer }) => upserted(answer), call };
    },
    () => {
      const inputs = draw.some(persons, 3).map((person) => ({ ...person, mobile: number }));
      const changed = (results: Json[]): number[] => results.flatMap(upserted);
      return { kind: 'batch', changed, call: mutation(by, 'upsertContacts', { contacts: inputs }) };
    },
    () => {
      const call = mutation(by, draw.pick(['deleteContact', 'restoreContact', 'restoreContact']), {
        id: draw.pick(mortal(shared.contacts)),
      });
      return { kind: 'life', changed: ({ id }) => [id], call };
    },
    () => {
      const id = shared.notes.length > 0 ? draw.pick(shared.notes) : 987_654_321;
      return { kind: 'unnote', changed: () => [], call: mutation(by, 'deleteNote', { id }) };
    },
  ];
  return draw.pick(kinds)();
};

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const acknowledged = ({ reply }: Done): boolean => reply.status < 300;

/** What four clients did, each one write after the other. */
const playAll = async (ground: Ground, seed: number, shared: Shared): Promise<Done[]> => {
  const done: Done[] = [];
  const client = async (number: number): Promise<void> => {
    const draw = createChance(seedOf(`client ${number}`, seed));
    for (let index = 0; index < writes; index++) {
      const next = wanted(draw, { ground, by: ground.boss, number: `${number}.${index}` }, shared);
      const began = performance.now();
      const reply = await sendCall(ground, next.call);
      done.push({ changed: () => [], ...next, reply, began, ended: performance.now() });
      if (next.kind === 'note' && reply.status === 201) shared.notes.push(reply.data.id);
      if (next.kind === 'expecting') {
        const { body } = await door.graphql(
          'query ($id: ID!) { contact(id: $id) { version } }',
          { id: next.said!.contact },
          await door.token(ground.space, ground.boss),
        );
        shared.versions.set(next.said!.contact, body.data.contact?.version ?? 1);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return done;
};

const read = async ({ space, boss }: Ground): Promise<Json[]> => {
  const id = '(first: 50) { nodes { id: databaseId } }';
  const fields = `${selectFields('Contact', ['id', 'version', 'mail', ...contended])}
    notes(first: 100) { nodes { id: databaseId content pinned } } donations${id} transactions${id} emails${id}`;
  const { body } = await door.graphql(
    `{ contacts(first: 200) { nodes { ${fields} } } }`,
    {},
    await door.token(space, boss),
  );
  return translateResult(body.data.contacts.nodes);
};

/** The values that a field may have: of the writes that no other began after. */
const possible = (all: Done[], contact: number, field: string): Json[] => {
  const own = all.filter(
    (one) =>
      acknowledged(one) &&
      one.said?.contact === contact &&
      field in one.said.fields &&
      one.changed(one.reply.data).includes(contact),
  );
  return own
    .filter((one) => !own.some((later) => later.began > one.ended))
    .map((one) => one.said!.fields[field])
    .concat(own.length === 0 ? [null] : []);
};

describe.each(
  Array.from({ length: rounds }, (_, index) => first + index),
)('four clients at once, with seed %i', (seed) => {
  let ground: Ground;
  let all: Done[];
  let contacts: Json[];
  let raced: number[];

  beforeAll(async () => {
    ground = await createGround(door, 5000 + seed);
    const { data } = await sendCall(
      ground,
      mutation(ground.boss, 'upsertContacts', {
        contacts: Array.from({ length: 5 }, (_, number) => ({ surname: `Raced ${number}` })),
      }),
    );
    raced = data.map(({ contact }: Json) => contact.id);
    all = await playAll(ground, seed, { contacts: raced, notes: [], versions: new Map() });
    // Who is deleted at the end comes back, so that all can be read.
    for (const id of raced) {
      const call = mutation(ground.boss, 'restoreContact', { id });
      const reply = await sendCall(ground, call);
      all.push({ call, reply, kind: 'life', began: performance.now(), ended: performance.now(), changed: () => [id] });
    }
    contacts = await read(ground);
  });

  it('every write is acknowledged, or refused for what it met', () => {
    const statuses = all.map(({ kind, reply }) => `${kind} ${reply.status}`);
    const due =
      /^(update|note|donation|life|unnote|actions) (20[0-2]|404)$|^expecting (200|404|412)$|^(payment|tags|actions|email|donation) (200|422)$|^(upsert|batch) 20[02]$/;
    expect(statuses.filter((status) => !due.test(status))).toEqual([]);
    expect(all.filter(acknowledged).length).toBeGreaterThan(writes * 2);
  });

  it('each contact is of the version that the acknowledged changes make', () => {
    const count = new Map<number, number>();
    for (const one of all.filter(acknowledged))
      for (const id of one.changed(one.reply.data)) count.set(id, (count.get(id) ?? 0) + 1);
    // Whose a deleted note was is known from its reply alone.
    const owner = new Map(
      all.filter(({ kind }) => kind === 'note').map((one) => [one.reply.data.id, one.changed(one.reply.data)[0]!]),
    );
    for (const one of all.filter((done) => done.kind === 'unnote' && acknowledged(done))) {
      const id = owner.get(one.reply.data.id)!;
      count.set(id, (count.get(id) ?? 0) + 1);
    }
    for (const { id, version } of contacts) {
      const due = 1 + (count.get(id) ?? 0);
      // Of who was deleted before a change was read back, that change is answered as if nobody had been there.
      if (mortal(raced).includes(id)) expect(version).toBeGreaterThanOrEqual(due);
      else expect([id, version]).toEqual([id, due]);
    }
  });

  it('each field has a value that was written last, or at the same time as the last', () => {
    for (const contact of contacts.filter(({ id }) => raced.includes(id) && !mortal(raced).includes(id)))
      for (const field of contended)
        expect(possible(all, contact.id, field), `${field} of ${contact.id}`).toContain(contact[field]);
  });

  it('no record is lost, and at most one note is pinned', () => {
    const ids = (kind: string): number[] =>
      all.filter((one) => one.kind === kind && acknowledged(one)).map(({ reply }) => reply.data.id ?? reply.data[0].id);
    const there = (name: string): number[] =>
      contacts.flatMap((contact) => contact[name].map(({ id }: Json) => id)).sort();
    const gone = ids('unnote');
    expect(there('notes')).toEqual(
      ids('note')
        .filter((id) => !gone.includes(id))
        .sort(),
    );
    expect(there('transactions')).toEqual(ids('payment').sort());
    expect(there('emails')).toEqual(ids('email').sort());
    expect(there('donations')).toHaveLength(ids('donation').length + ids('payment').length);
    for (const { notes } of contacts) expect(notes.filter(({ pinned }: Json) => pinned).length).toBeLessThanOrEqual(1);
  });

  it('one person, however often upserted, is one contact that was created once', () => {
    const results = all
      .filter(({ kind }) => ['upsert', 'batch'].includes(kind))
      .flatMap(({ kind, reply }) => (kind === 'upsert' ? [reply.data.data] : reply.data));
    const created = results.filter(({ outcome }) => outcome === 'created').map(({ contact }) => contact.id);
    const mails = contacts.flatMap(({ mail }) => mail ?? []);
    expect(new Set(mails).size).toBe(mails.length);
    expect(created.sort()).toEqual(
      contacts
        .filter(({ mail }) => mail)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('the search rows are as their sources', async () => {
    expect(await findWrongRows(door, ground.space)).toEqual([]);
  });
});
