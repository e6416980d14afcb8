// Batches whose records match the same contacts have the effect of their records one by one, at the cost of other batches.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { chooseCount } from '../harness/sizes.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
});

const result = 'contact { id: databaseId } outcome problem { code errors { location } }';
const batchOf = (kind: string): string =>
  kind === 'upsertContacts'
    ? `mutation ($inputs: [ContactUpsertInput!]!) { answer: upsertContacts(input: { contacts: $inputs }) { results { ${result} } } }`
    : `mutation ($inputs: [ContactUpsertInput!]!) { import: importContacts(input: { contacts: $inputs }) { results { ${result} } } }`;
const batch = async (at: Door, inputs: Json[], kind = 'upsertContacts'): Promise<Json[]> => {
  const { body } = await at.graphql(batchOf(kind), { inputs });
  expect(body.errors, JSON.stringify([inputs, body.errors])?.slice(0, 2000)).toBeUndefined();
  return (body.data.answer ?? body.data.import).results;
};

describe('400 records', () => {
  const count = 400;
  let mixes = 0;
  /** Records by their number; `mix` makes them differ from those of earlier tests. */
  const kinds: Record<string, (n: number, mix: number) => Json> = {
    'with the same content': (_, mix) => ({
      email: `same${mix}@example.org`,
      firstName: 'Same',
      lastName: `Same ${mix}`,
    }),
    'with the same mail and a changing field': (n, mix) => ({
      email: `changing${mix}@example.org`,
      phone: `0${n}`,
      address: n % 7 === 0 ? null : { street: `rue ${n}` },
      tags: [{ name: `tag ${n % 20}` }],
    }),
    'with the same mail and different names': (n, mix) => ({
      email: `names${mix}@example.org`,
      firstName: `First ${n}`,
      lastName: `Names ${mix}`,
    }),
    'with the same name and no mail': (n, mix) => ({ firstName: 'No', lastName: `Mail ${mix}`, phone: `0${n}` }),
    'with the same id': (n) => ({ id: 5, phone: `0${n}` }),
    'that each take the mail of the one before': (n, mix) => ({
      id: 5 + (n % 3),
      email: `passed${mix}.${n % 2}@example.org`,
    }),
  };
  const different = (n: number, mix: number): Json => ({
    email: `different${mix}.${n}@example.org`,
    firstName: 'Someone',
    lastName: `Different ${mix} ${n}`,
    phone: `0${n}`,
    address: { street: `rue ${n}` },
    tags: [{ name: `tag ${n % 20}` }],
  });
  const cost = async (make: (n: number, mix: number) => Json, kind: string, tries: number) => {
    const best = { time: Number.POSITIVE_INFINITY, statements: Number.POSITIVE_INFINITY };
    for (let attempt = 0; attempt < tries; attempt++) {
      const mix = mixes++;
      const inputs = Array.from({ length: count }, (_, n) => make(n, mix));
      const from = performance.now();
      const statements = await door.statements(() => batch(door, inputs, kind));
      best.time = Math.min(best.time, performance.now() - from);
      best.statements = Math.min(best.statements, statements.length);
    }
    return best;
  };

  for (const kind of ['upsertContacts', 'importContacts'])
    it.each(Object.entries(kinds))(
      `%s cost at most three times what different contacts do: ${kind}`,
      async (_, make) => {
        const due = await cost(different, kind, 3);
        const taken = await cost(make, kind, 3);
        expect(taken.statements).toBeLessThanOrEqual(due.statements + 10);
        expect(taken.time).toBeLessThan(3 * due.time);
      },
      120_000,
    );

  it.each([
    ['a reference to a missing record', (n: number) => (n === 250 ? { actionIds: [987_654_321] } : {}), 1, 5],
    ['only references to missing records', () => ({ actionIds: [987_654_321] }), 400, 0],
    ['an external id of another contact', (n: number) => (n === 250 ? { externalId: 'taken' } : {}), 1, 300],
  ] as const)(
    'of which some have %s cost little more',
    async (_, more, refused, extra) => {
      await batch(door, [{ email: 'has.it@example.org', externalId: 'taken' }]);
      const due = await cost(different, 'upsertContacts', 2);
      const mix = mixes++;
      const inputs = Array.from({ length: count }, (_, n) => ({ ...different(n, mix), ...more(n) }));
      let results: Json[] = [];
      const statements = await door.statements(async () => (results = await batch(door, inputs)));
      expect(results.filter(({ problem }) => problem)).toHaveLength(refused);
      expect(statements.length).toBeLessThanOrEqual(due.statements + extra);
    },
    120_000,
  );
});

describe('a batch', () => {
  /** Forms of space 1 with some reference values, from which answers are drawn. */
  let forms: { id: number; type: string; kind: string; refs: { id: number; label: string }[] }[];
  let actions: number[];
  /** The same records, written one by one to another database. */
  let other: Door;
  beforeAll(async () => {
    other = await openApp();
    await other.token(1, 1);
    forms =
      await door.sql(`select f.id, f.type, f.kind, json_agg(json_build_object('id', r.id, 'label', coalesce(r.value, r.label)) order by r.id) as refs
      from forms f join form_refs r on r.group_id = 1 and r.form_id = f.id
      where f.group_id = 1 and f.deleted_at is null and f.kind in ('survey', 'custom_fields', 'consent') group by f.group_id, f.id order by f.type, f.id`);
    actions = (
      await door.sql('select id from actions where group_id = 1 and deleted_at is null order by id limit 3')
    ).map(({ id }) => id);
  }, 60_000);

  const listOf: Record<string, string> = { survey: 'forms', custom_fields: 'customFields', consent: 'consents' };
  const optional = <Value>(value: fc.Arbitrary<Value>, nil = true): fc.Arbitrary<Value | null | undefined> =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: value },
      ...(nil ? [{ weight: 1, arbitrary: fc.constant(null) }] : []),
    );
  const some = <Value>(...values: Value[]) => fc.constantFrom(...values);
  const date = some('2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z');

  /** An answer to one of few forms, in either notation; sometimes it is withdrawn. */
  const answer = () => {
    const few = ['checkbox', 'radio', 'text'].flatMap((type) => forms.filter((form) => form.type === type).slice(0, 1));
    return fc
      .record({
        form: some(...few),
        ref: fc.nat(1),
        said: some('a', 'b'),
        back: fc.nat(4),
        read: fc.nat(3),
        date: fc.option(date, { nil: undefined }),
      })
      .map(({ form, ref: nth, said, back, read, date: at }) => {
        const ref = form.refs[nth % form.refs.length]!;
        const when = at === undefined ? {} : { answeredAt: at };
        const one =
          read === 0
            ? { formId: form.id, optionId: ref.id, text: said, ...when }
            : { id: form.id, value: back === 0 ? null : form.type === 'text' ? said : ref.label, ...when };
        return { list: listOf[form.kind]!, form: form.id, one };
      });
  };

  const record = () =>
    fc
      .record({
        known: optional(fc.nat(5), false),
        email: optional(some('p@example.org', 'P@example.org', 'q@example.org')),
        firstName: optional(some('Ann', 'Bên', 'ANN')),
        lastName: optional(some('One', 'Two')),
        birthDate: optional(some('1990-01-01', '1991-01-01')),
        phone: optional(some('01', '02')),
        optedOut: optional(fc.boolean()),
        externalId: fc.oneof(
          { weight: 25, arbitrary: fc.constant(undefined) },
          { weight: 1, arbitrary: some('x1', 'x2', null) },
        ),
        address: optional(
          fc.record({
            city: optional(some('Albi', 'Agen')),
            postalCode: optional(some('81000')),
            street: optional(some('rue A', 'rue B')),
            door: optional(some('1', '2')),
          }),
        ),
        tags: optional(fc.subarray([{ name: 't1', color: 'red' }, { name: 't2' }, { name: 't3' }])),
        actionIds: optional(
          fc.oneof(
            { weight: 20, arbitrary: fc.subarray(actions) },
            { weight: 1, arbitrary: fc.constant([987_654_321]) },
          ),
        ),
        said: fc.oneof(
          { weight: 1, arbitrary: fc.constant([]) },
          { weight: 1, arbitrary: fc.array(answer(), { minLength: 1, maxLength: 2 }) },
        ),
      })
      .map(({ said, known, ...fields }) => {
        const lists: Record<string, Json[]> = {};
        for (const { list, one } of said) lists[list] = [...(lists[list] ?? []), one];
        return { known, fields: { ...JSON.parse(JSON.stringify(fields)), ...lists } };
      });

  /** Records of any contacts, or of one contact with answers only. */
  const records = () => {
    const answering = answer().map(({ list, one }) => ({
      known: undefined,
      fields: { email: 'r@example.org', [list]: [one] } as Json,
    }));
    return fc.oneof(
      fc.array(record(), { minLength: 2, maxLength: 12 }),
      fc.array(answering, { minLength: 2, maxLength: 6 }),
    );
  };

  /** All stored data of a contact, except ids, versions and times. */
  const readStored = async (at: Door, ids: number[]): Promise<Json[]> =>
    at.sql(
      `select to_jsonb(c) - '{id,version,lastchange,created_at,updated_at}'::text[] as contact,
         (select to_jsonb(a) - '{id,contact_id,created_at,updated_at}'::text[] from addresses a where a.group_id = 1 and a.contact_id = c.id) as address,
         array(select t.name || coalesce(t.color, '') from contact_tags ct join tags t on t.group_id = 1 and t.id = ct.tag_id where ct.group_id = 1 and ct.contact_id = c.id order by 1) as tags,
         array(select action_id from contact_actions ca where ca.group_id = 1 and ca.contact_id = c.id order by 1) as actions,
         array(select row(r.form_id, r.form_ref_id, r.data, r.date, r.survey_id)::text from answers r where r.group_id = 1 and r.contact_id = c.id order by 1) as answers,
         to_jsonb(s) - '{contact_id,lastchange,updated_at,tag_ids}'::text[] as search, (select to_jsonb(f) - '{contact_id,lastchange,updated_at,tag_ids}'::text[] from search_rows(1, array[c.id]) f) as fresh
       from unnest(cast(? as bigint[])) with ordinality w (id, nth) join contacts c on c.group_id = 1 and c.id = w.id
         left join contact_search s on s.group_id = 1 and s.contact_id = c.id order by w.nth`,
      [ids],
    );

  it.each([
    'upsertContacts',
    'importContacts',
  ])('has the effect of its records one after the other: %s', async (kind) => {
    /** Contacts of the batches, and their equals written one by one. */
    const same = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(records(), async (records) => {
        const known = [...same.keys()].slice(-6);
        // A record without any field refuses the whole batch.
        const saying = records.filter(({ fields }) => Object.keys(fields).length > 0);
        fc.pre(saying.length > 0);
        const inputs = saying.map(({ known: nth, fields }) => {
          const id = nth == null ? undefined : known[nth];
          return { ...fields, ...(id !== undefined && { id }) };
        });
        const together = await batch(door, inputs, kind);
        for (const [index, input] of inputs.entries()) {
          const [alone] = await batch(other, [{ ...input, ...(input.id && { id: same.get(input.id) }) }], kind);
          const one = together[index];
          const at = `record ${index} of ${JSON.stringify(inputs)}: ${JSON.stringify([one, alone])}`;
          expect([one.outcome, one.problem?.code], at).toEqual([alone.outcome, alone.problem?.code]);
          if (one.problem) continue;
          const before = same.get(one.contact.id);
          if (before === undefined) same.set(one.contact.id, alone.contact.id);
          else expect(alone.contact.id, at).toBe(before);
        }
        const [mine, theirs] = [await readStored(door, [...same.keys()]), await readStored(other, [...same.values()])];
        expect(mine, JSON.stringify(inputs)).toEqual(theirs);
        for (const { search, fresh } of mine) expect(search).toEqual(fresh);
      }),
      { numRuns: chooseCount(8, 25, 100) },
    );
    expect(new Set(same.values()).size).toBe(same.size);
  }, 240_000);

  it('matches the oldest contact, also when the batch created a younger one', async () => {
    const [old] = await batch(door, [{ email: 'was.first@example.org', lastName: 'Oldest' }]);
    const [young, moved, meant] = await batch(door, [
      { email: 'is.shared@example.org', lastName: 'Shared' },
      { id: old.contact.id, email: 'is.shared@example.org', lastName: 'Shared' },
      { email: 'is.shared@example.org', lastName: 'Shared', phone: '01' },
    ]);
    expect(young.outcome).toBe('CREATED');
    expect(moved.contact.id).toBe(old.contact.id);
    expect(meant.contact.id).toBe(old.contact.id);
  });
});
