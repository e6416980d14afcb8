// muster import and opt-outs: a file lifts none unless it is told to, and what is not followed is told; namesakes with other mails are told too.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createFiles, type Files } from './files.ts';

vi.setConfig({ testTimeout: 60_000 });

let files: Files;
beforeAll(async () => {
  files = await createFiles();
});

const importPeople = (space: string, content: string, ...args: string[]) =>
  files.importFile('contacts', 'people.csv', content, '--space', space, ...args);
const readPeople = (space: string) => files.readLivingRows('contacts', space, 'surname, mail, black_list');

describe('an older list that opts people in', () => {
  it.each([
    [[], true, 'black_list "false" stays true'],
    [['--lift-opt-outs'], false, undefined],
  ] as const)('with %j', async (args, isOptedOut, told) => {
    const space = await files.createSpace();
    await importPeople(space, 'surname,mail,black_list\nAda,ada@example.org,true\n');
    const { out, err } = await importPeople(
      space,
      'surname,mail,black_list,phone\nAda,ada@example.org,false,06\n',
      ...args,
    );
    expect(out).toContain('1 updated');
    expect(await readPeople(space)).toEqual([{ surname: 'Ada', mail: 'ada@example.org', black_list: isOptedOut }]);
    if (told) expect(err).toContain(`line 2: ${told}`);
    else expect(err).not.toContain('line 2');
  });

  it('opts nobody in who was deleted since', async () => {
    const space = await files.createSpace();
    const head = 'surname,mail,mobile,black_list\n';
    await importPeople(space, `${head}Ada,ada@example.org,,true\nBob,,0612345678,true\n`);
    await files.door.sql('update contacts set deleted_at = now() where group_id = ?', [space]);
    await files.door.sql('delete from contact_search where group_id = ?', [space]);
    await importPeople(
      space,
      `${head}Ada,ADA@example.org,,false\nBobby,,+33612345678,false\nCleo,cleo@example.org,,false\n`,
    );
    expect((await readPeople(space)).map(({ surname, black_list }) => [surname, black_list])).toEqual([
      ['Ada', true],
      ['Bobby', true],
      ['Cleo', false],
    ]);
  });
});

it.each([
  ['upsert', ['--consent-source', 'paper forms of May'], 'paper forms of May'],
  ['create', ['--consent-source', 'paper forms of May'], 'paper forms of May'],
  ['upsert', [], 'people.csv'],
])('the source of consents of an import by %s with %j is %s', async (mode, args, source) => {
  const space = await files.createSpace();
  await files.door.sql(
    `with made as (insert into forms (group_id, kind, type, label) values (?, 'consent', 'text', 'Newsletter') returning group_id, id)
     insert into form_refs (group_id, form_id, label) select group_id, id, 'text' from made`,
    [space],
  );
  const content = 'surname,black_list,form:consent:Newsletter\nAda,true,\nBob,,yes\nCleo,,\n';
  const { code } = await importPeople(space, content, '--mode', mode, ...args);
  expect(code).toBe(0);
  const lines = await files.door.sql('select after, source from consent_changes where group_id = ? order by after', [
    space,
  ]);
  expect(lines).toEqual(['true', 'yes'].map((after) => ({ after, source: expect.stringMatching(`${source}$`) })));
});

it('a source of consents that is blank is refused', async () => {
  const space = await files.createSpace();
  const { code, err } = await importPeople(space, 'surname\nAda\n', '--consent-source', ' ');
  expect([code, await readPeople(space)]).toEqual([2, []]);
  expect(err).toContain('--consent-source');
  expect(err).toContain('must not be blank');
});

it('a namesake with another mail is created, and told as a possible duplicate', async () => {
  const space = await files.createSpace();
  await importPeople(space, 'surname,mail\nAda,ada@example.org\n');
  const [ada] = await files.readLivingRows('contacts', space, 'id');
  const { out, err } = await importPeople(space, 'surname,Courriel\nAda,other@example.org\n');
  expect(out).toContain('1 contacts created');
  expect(err).toContain(`line 2: Courriel "other@example.org" is not that of contact ${ada!.id}, of the same name`);
});
