// Undoing a merge: who lives again with what, whose consent is kept, when it is refused, and what other features make of it.
import { beforeAll, describe, expect, it } from 'vitest';
import { runRetention } from '../../src/data/upkeep/retention.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createMember } from '../harness/member.ts';
import { findWrongRows } from './writing.ts';

let door: Door;
let consent: { id: number; yes: number; no: number };
beforeAll(async () => {
  door = await openApp();
  const [{ id, refs }] = await door.sql(
    `with f as (insert into forms (group_id, kind, label, type) values (1, 'consent', 'May we write', 'radio') returning id),
          r as (insert into form_refs (group_id, form_id, label, value) select 1, f.id, v, v from f, unnest(array['yes', 'no']) v returning form_id, id)
     select form_id as id, array_agg(id order by id) as refs from r group by form_id`,
  );
  consent = { id, yes: refs[0], no: refs[1] };
});

const mutate = async (field: string, token?: string): Promise<Json> =>
  (await door.graphql(`mutation { result: ${field} }`, {}, token)).body;
const run = async (field: string): Promise<Json> => {
  const { data, errors } = await mutate(field);
  expect(errors).toBeUndefined();
  return data.result;
};
const create = async (contact: Json = {}): Promise<number> =>
  (await door.rest('POST', '/contacts', { data: { contact: { surname: 'U', ...contact } } })).body.data.contact.id;
const merge = async (survivor: number, ...others: number[]): Promise<string> =>
  (await run(`mergeContacts(input: { survivorId: ${survivor}, ids: [${others}] }) { mergeId }`)).mergeId;
const undoField = (id: string) => `undoContactMerge(input: { id: "${id}" }) { contacts { databaseId optedOut } left }`;
const undo = (id: string): Promise<Json> => run(undoField(id));
const refusal = async (field: string, token?: string): Promise<Json> => {
  const [{ message, extensions }] = (await mutate(field, token)).errors;
  return [extensions.code, message];
};
const update = (id: number, fields: string) => run(`updateContact(input: { id: ${id}, ${fields} }) { contact { id } }`);
const answered = (ref: number, date: string): Json => ({
  formdatas: [{ form_id: consent.id, form_ref_id: ref, date }],
});
const read = async (id: number): Promise<Json> =>
  (
    await door.graphql(
      `{ contact(id: ${id}) { databaseId email phone externalId optedOut version address { city } formerEmails tags { name }
         notes { nodes { content pinned } } answers { nodes { option { databaseId } } }
         consentHistory(first: 50) { nodes { before after operation form { label } } } } }`,
    )
  ).body.data.contact;
const answersOf = ({ answers }: Json): number[] => answers.nodes.map(({ option }: Json) => option.databaseId);
const historyOf = ({ consentHistory }: Json): string[] =>
  consentHistory.nodes.map(
    ({ form, before, after, operation }: Json) => `${form ? 'answer' : 'opt-out'} ${before} → ${after} (${operation})`,
  );

describe('an undone merge', () => {
  it('is told to whoever follows the survivor alone', async () => {
    const [survivor, other] = [await create(), await create()];
    await run(`createNote(input: { contactId: ${other}, content: "moves" }) { note { id } }`);
    const id = await merge(survivor, other);
    const ask = async (query: string): Promise<Json> => (await door.graphql(`{ ${query} }`)).body.data.changes;
    const { cursor } = await ask('changes(first: 0) { cursor }');
    await undo(id);
    const told = await ask(
      `changes(after: "${cursor}", filter: { contactIds: [${survivor}] }) { nodes { type fields contactId } }`,
    );
    expect(told.nodes).toEqual([{ type: 'NOTE', fields: ['contactId'], contactId: `Contact:${other}` }]);
  });

  it('lets the others live again under their ids, with what they had, and takes it from the survivor', async () => {
    const [survivor, other] = [
      await create({ mail: 'kept@example.org', tags: ['kept'] }),
      await create({
        mail: 'other@example.org',
        phone: '0561000001',
        external_id: 'x1',
        address: { city: 'Albi' },
        tags: ['other'],
      }),
    ];
    for (const [id, content] of [
      [survivor, 'of the survivor'],
      [other, 'of the other'],
    ])
      await door.rest('POST', `/contacts/${id}/notes`, { content, pinned: true });
    const before = [await read(survivor), await read(other)];
    const id = await merge(survivor, other);
    const merged = await read(survivor);
    expect(merged).toMatchObject({ phone: '0561000001', externalId: 'x1', formerEmails: ['other@example.org'] });
    // Over the id that the client has.
    await door.rest('POST', `/contacts/${other}/notes`, { content: 'since', pinned: false });
    await update(survivor, 'tags: [{ name: "kept" }, { name: "other" }, { name: "since" }]');
    expect(await undo(id)).toEqual({
      contacts: [
        { databaseId: survivor, optedOut: false },
        { databaseId: other, optedOut: false },
      ],
      left: 0,
    });
    const [kept, lives] = [await read(survivor), await read(other)];
    const { version: _, ...had } = before[0];
    expect(kept).toMatchObject({
      ...had,
      tags: [{ name: 'kept' }, { name: 'since' }],
      notes: { nodes: [...had.notes.nodes, { content: 'since', pinned: false }] },
    });
    expect(lives).toEqual({ ...before[1], version: lives.version });
    // Caches have seen the survivor under the id of the other.
    expect(lives.version).toBeGreaterThan(merged.version + 1);
    expect((await door.rest('GET', `/contacts/${other}`)).body.data.contact.mail).toBe('other@example.org');
    const found = `{ contactBy(by: { externalId: "x1" }) { databaseId } }`;
    expect((await door.graphql(found)).body.data.contactBy.databaseId).toBe(other);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('does not count what the caller may not read', async () => {
    const token = await createMember(door, { type: 'custom', permissions: ['contacts.read', 'contacts.write'] });
    const manager = await createMember(door, { type: 'manager' });
    for (const [as, left] of [
      [token, 1],
      [manager, 2],
      [undefined, 3],
    ] as const) {
      const [survivor, other] = [await create(), await create({ phone: '0561000009' })];
      await door.sql(
        `insert into donations (group_id, contact_id, amount, transaction_date) values (1, ?, 500, now())`,
        [other],
      );
      await door.sql(
        `insert into interactions (group_id, contact_id, type, only_super_admin) values (1, ?, 'call', true)`,
        [other],
      );
      const id = await merge(survivor, other);
      await update(survivor, 'phone: "0561000010"');
      for (const table of ['donations', 'interactions'])
        await door.sql(`delete from ${table} where contact_id = ?`, [survivor]);
      const { data, errors } = await mutate(undoField(id), as);
      expect(errors).toBeUndefined();
      expect(data.result.left).toBe(left);
    }
  });

  it('leaves values that were changed since, and counts them', async () => {
    const survivor = await create();
    const other = await create({ phone: '0561000002', nationality: 'FR', address: { city: 'Albi' } });
    await door.rest('POST', `/contacts/${other}/notes`, { content: 'deleted for good', pinned: false });
    const id = await merge(survivor, other);
    await update(survivor, 'phone: "0561000003", address: { city: "Foix" }');
    await door.sql('delete from notes where contact_id = ?', [survivor]);
    expect((await undo(id)).left).toBe(3);
    expect(await read(survivor)).toMatchObject({ phone: '0561000003', address: { city: 'Foix' } });
    expect(await read(other)).toMatchObject({ phone: '0561000002', address: { city: 'Albi' } });
    expect(await door.sql('select nationality from contacts where id = ?', [survivor])).toEqual([
      { nationality: null },
    ]);
  });

  it('of a contact into which others were merged before leads their ids to it again', async () => {
    const [survivor, other, earlier] = [await create(), await create(), await create()];
    const first = await merge(other, earlier);
    const second = await merge(survivor, other);
    await undo(second);
    expect((await read(earlier)).databaseId).toBe(other);
    await undo(first);
    expect((await read(earlier)).databaseId).toBe(earlier);
  });
});

describe('consent after an undone merge', () => {
  const optOut = (value: boolean) => (id: number) => update(id, `optedOut: ${value}`);
  it.each<[what: string, had: [boolean, boolean], since: boolean[], has: [boolean, boolean]]>([
    ['that the survivor got from the other goes back', [false, true], [], [false, true]],
    ['of the survivor stays its own', [true, false], [], [true, false]],
    ['that was made since is that of both', [false, false], [true], [true, true]],
    ['that was made again since stays', [false, true], [false, true], [true, true]],
    ['of the survivor that was made again since is that of both', [true, false], [false, true], [true, true]],
    ['that was lifted since is lifted of the survivor alone', [false, true], [false], [false, true]],
    ['that was made and lifted since is none', [false, false], [true, false], [false, false]],
  ])('an opt-out %s', async (_, had, since, has) => {
    const [survivor, other] = [await create({ black_list: had[0] }), await create({ black_list: had[1] })];
    const id = await merge(survivor, other);
    for (const value of since) await optOut(value)(survivor);
    const { contacts } = await undo(id);
    expect(contacts.map(({ optedOut }: Json) => optedOut)).toEqual(has);
  });

  const [old, recent] = ['2020-05-01T00:00:00Z', '2025-05-01T00:00:00Z'];
  it('gives each their answers and their lines back', async () => {
    const survivor = await create(answered(consent.no, old));
    const other = await create({ black_list: true, ...answered(consent.yes, recent) });
    const before = [await read(survivor), await read(other)];
    const id = await merge(survivor, other);
    expect(answersOf(await read(survivor))).toEqual([consent.yes]);
    await undo(id);
    const after = [await read(survivor), await read(other)];
    expect(after.map(answersOf)).toEqual(before.map(answersOf));
    expect(historyOf(after[1])).toEqual(historyOf(before[1]));
    expect(historyOf(after[0]).sort()).toEqual([
      'answer no → yes (mergeContacts)',
      'answer null → no (createContact)',
      'answer yes → no (undoContactMerge)',
      'opt-out false → true (mergeContacts)',
      'opt-out true → false (undoContactMerge)',
    ]);
  });

  it('gives each their answers back after several merges, undone in reverse order', async () => {
    const people = [
      await create(answered(consent.no, old)),
      await create(answered(consent.yes, '2022-05-01T00:00:00Z')),
      await create(answered(consent.no, recent)),
    ];
    const before = await Promise.all(people.map(read));
    const [survivor, ...others] = people as [number, ...number[]];
    const merges = [await merge(survivor, others[0]!), await merge(survivor, others[1]!)];
    for (const id of merges.reverse()) expect((await undo(id)).left).toBe(0);
    const after = await Promise.all(people.map(read));
    expect(after.map(answersOf)).toEqual(before.map(answersOf));
    expect(after.slice(1).map(historyOf)).toEqual(before.slice(1).map(historyOf));
  });

  it.each([
    ['the later one moved', old, recent],
    ['the later one was that of the survivor', recent, old],
  ])('brings back no answer that was withdrawn since, when %s', async (_, of, ofOther) => {
    const survivor = await create(answered(consent.yes, of));
    const other = await create(answered(consent.yes, ofOther));
    const id = await merge(survivor, other);
    await update(survivor, `answers: [{ formId: ${consent.id}, optionId: ${consent.no} }]`);
    await undo(id);
    const [kept, lives] = [await read(survivor), await read(other)];
    expect([answersOf(kept), answersOf(lives)]).toEqual([[consent.no], []]);
    // On a cluster, lines that two nodes have written are not in the order of their ids.
    expect(historyOf(lives).sort()).toEqual([
      'answer null → yes (createContact)',
      'answer yes → null (undoContactMerge)',
    ]);
  });
});

describe('an undo is refused', () => {
  it('the second time, and one of two at once', async () => {
    const [survivor, other] = [await create(), await create()];
    const id = await merge(survivor, other);
    const both = await Promise.all([mutate(undoField(id)), mutate(undoField(id))]);
    expect(both.map(({ errors }) => errors?.[0].extensions.code).sort()).toEqual(['conflict', undefined]);
    expect(await refusal(undoField(id))).toEqual(['conflict', expect.stringContaining('was undone already')]);
    expect((await read(other)).databaseId).toBe(other);
  });

  it.each<[what: string, second: (survivor: number, third: number) => [number, number]]>([
    ['another one into the same contact', (survivor, third) => [survivor, third]],
    ['one of the survivor into another contact', (survivor, third) => [third, survivor]],
  ])('while %s is not undone', async (_, second) => {
    const [survivor, other, third] = [await create(), await create({ phone: '1' }), await create({ phone: '2' })];
    const first = await merge(survivor, other);
    const later = await merge(...second(survivor, third));
    expect(await refusal(undoField(first))).toEqual([
      'conflict',
      expect.stringContaining(`undo the merge ${later.split(':')[1]} first`),
    ]);
    await undo(later);
    await undo(first);
    expect([await read(survivor), await read(other), await read(third)]).toMatchObject([
      { databaseId: survivor, phone: null },
      { databaseId: other, phone: '1' },
      { databaseId: third, phone: '2' },
    ]);
  });

  it('while the survivor is deleted', async () => {
    const [survivor, other] = [await create(), await create()];
    const id = await merge(survivor, other);
    await run(`deleteContact(input: { id: ${survivor} }) { deletedId }`);
    expect(await refusal(undoField(id))).toEqual(['conflict', expect.stringContaining('restore it first')]);
    await run(`restoreContact(input: { id: ${survivor} }) { contact { id } }`);
    expect((await undo(id)).contacts).toHaveLength(2);
  });

  it('while somebody else has the external id of a merged contact, and then nothing is half done', async () => {
    const [survivor, other] = [await create(), await create({ phone: '0561000009', external_id: 'x2' })];
    const id = await merge(survivor, other);
    await update(survivor, 'externalId: "other"');
    const holder = await create({ external_id: 'x2' });
    expect(await refusal(undoField(id))).toEqual([
      'conflict',
      expect.stringContaining(`Contact ${holder} has the external id x2`),
    ]);
    expect(await read(survivor)).toMatchObject({ externalId: 'other', phone: '0561000009' });
    await update(holder, 'externalId: null');
    expect((await undo(id)).contacts).toHaveLength(2);
  });

  it('of another space, of an import that is no merge, and to who may not write contacts', async () => {
    const [survivor, other] = [await create(), await create()];
    const id = await merge(survivor, other);
    const stranger = await createMember(door, { type: 'superadmin', space: 2 });
    expect((await refusal(undoField(id), stranger))[0]).toBe('not-found');
    const [{ id: plain }] = await door.sql(
      `insert into imports (group_id, name, fingerprint) values (1, 'plain', '') returning id`,
    );
    expect((await refusal(undoField(`Import:${plain}`)))[0]).toBe('not-found');
    const reader = await createMember(door, { type: 'custom', permissions: ['contacts.read', 'imports.write'] });
    for (const field of [undoField(id), `undoImport(input: { id: "${id}" }) { restored }`])
      expect((await refusal(field, reader))[0]).toBe('forbidden');
    const writer = await createMember(door, { type: 'custom', permissions: ['contacts.read', 'contacts.write'] });
    expect((await mutate(undoField(id), writer)).errors).toBeUndefined();
  });
});

describe('beside other features, an undo', () => {
  it('is that of an import', async () => {
    const [survivor, other] = [await create(), await create()];
    const id = await merge(survivor, other);
    const readImport = async (): Promise<Json> =>
      (
        await door.graphql(
          'query ($id: ID!) { node(id: $id) { ... on Import { family name updated finishedAt undoneAt } } }',
          { id },
        )
      ).body.data.node;
    expect(await readImport()).toEqual({
      family: 'contact_merges',
      name: `merge into contact ${survivor}`,
      updated: 1,
      finishedAt: expect.any(String),
      undoneAt: null,
    });
    expect(await run(`undoImport(input: { id: "${id}" }) { deleted restored left }`)).toEqual({
      deleted: 0,
      restored: 1,
      left: 0,
    });
    expect((await readImport()).undoneAt).toEqual(expect.any(String));
  });

  it('leaves no dry run to undo', async () => {
    const field = `mergeContacts(input: { survivorId: ${await create()}, ids: [${await create()}], dryRun: true }) { mergeId }`;
    expect(await run(field)).toEqual({ mergeId: null });
  });

  it('ends when the copies are deleted, and when the person is erased', async () => {
    const [survivor, other] = [await create(), await create({ firstname: 'Canary' })];
    const id = await merge(survivor, other);
    await run(`erasePerson(input: { contactId: ${survivor} }) { deletedId }`);
    expect(await refusal(undoField(id))).toEqual(['conflict', expect.stringContaining('were erased')]);
    expect(await door.sql(`select 1 from import_contacts where before::text like '%Canary%'`)).toEqual([]);
    const [kept, third] = [await create(), await create({ firstname: 'Canary' })];
    const old = await merge(kept, third);
    await door.sql(`update imports set finished_at = now() - interval '91 days' where id = ?`, [old.split(':')[1]]);
    await runRetention(door.database, { deleted: null, imports: 90, audit: null, changes: null });
    expect(await refusal(undoField(old))).toEqual(['conflict', expect.stringContaining('RETENTION_IMPORT_DAYS')]);
    expect(await door.sql(`select 1 from import_contacts where before::text like '%Canary%'`)).toEqual([]);
  });

  it('leaves nothing of a contact that is erased afterwards', async () => {
    const [survivor, other] = [await create(), await create({ firstname: 'Canary', phone: '0561000042' })];
    await undo(await merge(survivor, other));
    await run(`erasePerson(input: { contactId: ${other} }) { deletedId }`);
    expect((await read(survivor)).databaseId).toBe(survivor);
    expect(
      await door.sql(`select 1 from import_contacts where before::text like any(array['%Canary%', '%0561000042%'])`),
    ).toEqual([]);
    expect(await door.sql(`select 1 from contacts where phone = '0561000042'`)).toEqual([]);
  });

  it('leaves nothing of a contact that is erased afterwards where the survivor had it meanwhile', async () => {
    await run(
      'createWebhook(input: { name: "Values", url: "https://example.org/", events: [CONTACT_UPDATED], includesValues: true }) { secret }',
    );
    const tell = () => door.graphql('{ changes(first: 0) { cursor } }');
    const [survivor, other, last] = [
      await create({ mail: 'stays@example.org' }),
      await create({ mail: 'kanarie@example.org', phone: '0561000077' }),
      await create(),
    ];
    const note = (await door.rest('POST', `/contacts/${other}/notes`, { content: 'a note' })).body.id;
    // Clocks of nodes differ, so what is told within seconds of a merge may be of its time.
    await tell();
    await door.sql(
      `update changes set created_at = now() - interval '1 minute' where type = 'Contact' and record_id = ?`,
      [survivor],
    );
    const id = await merge(survivor, other);
    await run(`updateNote(input: { id: "Note:${note}", content: "kanarie" }) { note { id } }`);
    await run(
      `importContacts(input: { contacts: [{ email: "stays@example.org", nationality: "FR" }] }) { import { id } }`,
    );
    // A second merge gives a third contact what came by the first.
    const next = await merge(last, survivor);
    await run(`updateContact(input: { id: ${last}, phone: "0561000078" }) { contact { id } }`);
    await undo(next);
    await undo(id);
    await tell();
    await update(survivor, 'nationality: "BE"');
    await tell();
    await door.sql(`update changes set created_at = now() + interval '1 minute' where after->>'nationality' = 'BE'`);
    const traces = async (): Promise<string[]> => {
      const tables = await door.sql(
        `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'search_words'`,
      );
      const found = await Promise.all(
        tables.map(({ relname }) => door.sql(`select from ${relname} t where t::text ~ 'kanarie|0561000077'`)),
      );
      return tables.filter((_, index) => found[index]!.length > 0).map(({ relname }) => relname);
    };
    expect(await traces()).toEqual(expect.arrayContaining(['changes', 'import_contacts']));
    await run(`erasePerson(input: { contactId: ${other} }) { deletedId }`);
    expect(await traces()).toEqual([]);
    // What was told of the survivor since stays.
    const told = await door.sql(
      `select after from changes where type = 'Contact' and record_id = ? and after is not null order by position`,
      [survivor],
    );
    expect(told.at(-1)).toMatchObject({ after: { nationality: 'BE' } });
    expect(told[0].after).toMatchObject({ mail: 'stays@example.org' });
  });

  it('has a line of the audit log for each contact', async () => {
    const [survivor, other] = [await create(), await create()];
    await undo(await merge(survivor, other));
    const lines = await door.sql(
      `select type, record_id from audit_log where operation = 'undoContactMerge' order by id desc limit 2`,
    );
    expect(lines.reverse()).toEqual([survivor, other].map((id) => ({ type: 'Contact', record_id: id })));
  });
});
