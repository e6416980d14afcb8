// Opt-outs that outlive their contact: shown to admins by their digests, and erased by the mail or the phone that they are of.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let admin: string;
let turn = 0;

/** A token of a member of a space whose role is of this type. */
const createToken = async (space: number, type: string): Promise<string> => {
  const [{ user_id: user }] = await door.sql(
    `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = ? and r.type = ? limit 1`,
    [space, type],
  );
  return door.token(space, user);
};

beforeAll(async () => {
  door = await openApp();
  admin = await createToken(1, 'admin');
});

const run = async (text: string, variables: Json = {}, token = admin): Promise<Json> => {
  const { body } = await door.graphql(text, variables, token);
  expect(body.errors).toBeUndefined();
  return body.data;
};
const create = async (contact: Json): Promise<Json> =>
  (
    await run(
      'mutation ($input: ContactCreateInput!) { createContact(input: $input) { contact { databaseId optedOut } } }',
      { input: { lastName: 'S', ...contact } },
    )
  ).createContact.contact;
/** Creates a contact that has opted out, and deletes it. */
const suppress = async (contact: Json): Promise<void> => {
  const { databaseId } = await create({ ...contact, optedOut: true });
  await run(`mutation { deleteContact(input: { id: ${databaseId} }) { deletedId } }`);
};
const erase = async (input: Json, token = admin): Promise<number> =>
  (
    await run(
      'mutation ($input: SuppressionEraseInput!) { eraseSuppression(input: $input) { count } }',
      { input },
      token,
    )
  ).eraseSuppression.count;
const list = async (token = admin): Promise<Json> =>
  (await run('{ suppressions(first: 100) { totalCount nodes { id digest createdAt } } }', {}, token)).suppressions;
/** A mail and a phone of nobody else. */
const invent = () => ({ email: `s${++turn}@example.org`, phone: `06 40 00 ${String(turn).padStart(4, '0')}` });

describe('suppressions', () => {
  it('list what is kept of people, without their mails and phones', async () => {
    const before = (await list()).totalCount;
    const person = invent();
    await suppress({ ...person, mobile: '0612345678' });
    const { totalCount, nodes } = await list();
    expect([totalCount, nodes.length]).toEqual([before + 3, before + 3]);
    expect(nodes.at(-1).digest).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(nodes)).not.toContain(person.email);
    const { node } = await run('query ($id: ID!) { node(id: $id) { ... on Suppression { digest } } }', {
      id: nodes[0].id,
    });
    expect(node.digest).toBe(nodes[0].digest);
    expect((await list(await createToken(2, 'admin'))).totalCount).toBe(0);
  });

  it('come page by page, each once', async () => {
    for (let count = 0; count < 5; count++) await suppress(invent());
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const { suppressions } = await run(
        'query ($after: String) { suppressions(first: 3, after: $after) { nodes { digest } pageInfo { hasNextPage endCursor } } }',
        { after },
      );
      seen.push(...suppressions.nodes.map(({ digest }: Json) => digest));
      after = suppressions.pageInfo.endCursor;
      if (!suppressions.pageInfo.hasNextPage) break;
    }
    expect(seen.toSorted()).toEqual((await list()).nodes.map(({ digest }: Json) => digest).sort());
  });

  it.each([
    'deleteContact',
    'erasePerson',
  ])('keep the mails and phones of merged contacts, and former mails, when %s takes the person away', async (operation) => {
    const [kept, merged, former, later] = [invent(), invent(), invent(), invent()];
    const { databaseId: id } = await create(kept);
    const { databaseId: other } = await create({ ...merged, optedOut: true });
    const superadmin = await door.token(1, 1);
    await run(`mutation { mergeContacts(input: { survivorId: ${id}, ids: [${other}] }) { contact { id } } }`);
    for (const { email } of [former, later])
      await run('mutation ($input: ContactUpsertInput!) { upsertContact(input: $input) { outcome } }', {
        input: { id, email },
      });
    const input = operation === 'deleteContact' ? `id: ${id}` : `contactId: ${id}`;
    await run(`mutation { ${operation}(input: { ${input} }) { deletedId } }`, {}, superadmin);
    const known = [kept, merged, former, later].map(({ email }) => ({ email }));
    for (const one of [...known, { phone: kept.phone }, { phone: merged.phone }])
      expect([one, (await create(one)).optedOut]).toEqual([one, true]);
    expect((await create(invent())).optedOut).toBe(false);
  });

  it('are erased by the mail and the phone, however they are written, so that the person may come back', async () => {
    const { email, phone } = invent();
    await suppress({ email, phone });
    expect((await create({ email })).optedOut).toBe(true);
    expect(await erase({ email: ` ${email.toUpperCase()} ` })).toBe(1);
    expect((await create({ email })).optedOut).toBe(false);
    expect((await create({ phone })).optedOut).toBe(true);
    expect(await erase({ phone: `+33 ${phone.slice(1)}` })).toBe(1);
    expect((await create({ phone })).optedOut).toBe(false);
    expect(await erase({ email, phone })).toBe(0);
  });

  it('leave contacts that are there, and other spaces, as they are', async () => {
    const { email } = invent();
    const { databaseId } = await create({ email, optedOut: true });
    await door.sql(
      `insert into opt_outs (group_id, digest) select 2, d from unnest(digest_opt_out(2, ?, null, null)) d`,
      [email],
    );
    await erase({ email });
    expect((await run(`{ contact(id: ${databaseId}) { optedOut } }`)).contact.optedOut).toBe(true);
    expect(await erase({ email }, await createToken(2, 'admin'))).toBe(1);
  });

  it('leave a line in the audit log when something was erased, and the mail nowhere', async () => {
    const { email } = invent();
    await suppress({ email });
    const count = async () =>
      (await door.sql(`select count(*)::int as n from audit_log where operation = 'eraseSuppression'`))[0].n;
    const before = await count();
    await erase({ email });
    await erase({ email });
    expect(await count()).toBe(before + 1);
    const [line] = await door.sql(`select to_jsonb(a) as line from audit_log a order by id desc limit 1`);
    expect(line.line).toMatchObject({ type: 'Suppression', record_id: null, fields: ['email'], counts: { erased: 1 } });
    expect(JSON.stringify(line)).not.toContain(email);
  });

  it.each<[input: Json, location: string, message: RegExp]>([
    [{}, 'input', /must have an email or a phone/],
    [{ email: null }, 'input', /must have an email or a phone/],
    [{ email: '  ' }, 'input.email', /must not be blank/],
    [{ phone: '12 34' }, 'input.phone', /must have at least six digits/],
  ])('are not erased by %j', async (input, location, message) => {
    const { body } = await door.graphql(
      'mutation ($input: SuppressionEraseInput!) { eraseSuppression(input: $input) { count } }',
      { input },
      admin,
    );
    expect(body.errors[0].extensions.errors).toMatchObject([{ location, message: expect.stringMatching(message) }]);
  });

  it.each(['user', 'manager'])('are not for a %s', async (type) => {
    const token = await createToken(1, type);
    for (const text of [
      '{ suppressions { totalCount } }',
      'mutation { eraseSuppression(input: { email: "a@b.c" }) { count } }',
    ])
      expect((await door.graphql(text, {}, token)).body.errors[0].extensions.code).toBe('forbidden');
  });
});
