// The graph breaks nothing of the last release that the changelog does not name, and the lint of the graph finds faults.
import { existsSync, readFileSync } from 'node:fs';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
import { findBreakingChanges, findReleaseFaults, formatReleaseHead, releasedPath } from './schema-changes.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

it('the graph of this commit breaks nothing of the last release without a note', async () => {
  const released = existsSync(releasedPath) ? read(releasedPath) : undefined;
  const faults = await findReleaseFaults({
    changelog: read('CHANGELOG.md'),
    released,
    current: read('schema/schema.graphql'),
  });
  expect(faults).toEqual([]);
});

describe('a change since the last release', () => {
  const roles = 'directive @requiresRole(role: Role!) on FIELD_DEFINITION | OBJECT\nenum Role { USER ADMIN }\n';
  const sdl = (fields: string, more = ''): string => `${roles}type Query { ${fields} }\n${more}`;
  const released = `${formatReleaseHead('1.0.0')}\n${sdl('contact(id: ID!): String name: String')}`;
  const changelogOf = (...items: string[]): string =>
    `# Changelog\n\n## 1.1.0 (unreleased)\n\n${items.map((item) => `- ${item}\n`).join('')}\n## 1.0.0 (2027-01-31)\n\n- Breaking: \`Query.name\`.\n`;
  const check = (fields: string, ...items: string[]): Promise<string[]> =>
    findReleaseFaults({ changelog: changelogOf(...items), released, current: sdl(fields) });

  it.each([
    ['contact(id: ID!): String', 'Query.name', "Field 'name' was removed from object type 'Query'"],
    ['contact(id: ID!): String name: Int', 'Query.name', "Field 'Query.name' changed type from 'String' to 'Int'"],
    ['contact(id: ID!, by: Int!): String name: String', 'Query.contact.by', "Argument 'by: Int!' added to field"],
    ['contact: String name: String', 'Query.contact.id', "Argument 'id: ID!' was removed from field 'Query.contact'"],
    ['contact(id: ID!): String name: String @requiresRole(role: ADMIN)', 'Query.name', "Directive 'requiresRole'"],
  ])('that breaks clients needs a note: %s', async (fields, path, message) => {
    const faults = await check(fields, 'Names are gone, `Query.name` and `Query.contact`.', 'Breaking: `Query.other`.');
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(message);
    expect(faults[0]).toContain(`names \`${path}\``);
    expect(await check(fields, `Breaking: \`${path}\`, since it was\n  of no use.`)).toEqual([]);
  });

  it('that breaks nothing needs none', async () => {
    expect(await check('contact(id: ID!, by: Int): String name: String more: Int')).toEqual([]);
    expect(
      await check(
        'contact(id: ID!): String name: String @deprecated(reason: "Use `contact`. Removed after 2027-06-30.")',
      ),
    ).toEqual([]);
    expect(await check('contact(id: ID!): String name: String more: Int @requiresRole(role: ADMIN)')).toEqual([]);
  });

  it('that demands another role is found, for fields and for types', async () => {
    const before = sdl('thing: Thing @requiresRole(role: USER)', 'type Thing { id: ID! }');
    const after = sdl('thing: Thing @requiresRole(role: ADMIN)', 'type Thing @requiresRole(role: USER) { id: ID! }');
    const paths = (await findBreakingChanges(before, after)).map(({ path }) => path);
    expect(paths.sort()).toEqual(['Query.thing', 'Thing']);
    const free = sdl('thing: Thing', 'type Thing { id: ID! }');
    expect(await findBreakingChanges(after, free)).toEqual([]);
  });

  it('is compared with the release that the changelog has last', async () => {
    const current = sdl('name: String');
    const unreleased = '# Changelog\n\n## 0.1.0 (unreleased)\n\n- The first version.\n';
    expect(await findReleaseFaults({ changelog: unreleased, released: undefined, current })).toEqual([]);
    const missing = await findReleaseFaults({ changelog: changelogOf(), released: undefined, current });
    expect(missing).toEqual([expect.stringContaining('run `npm run release:schema`')]);
    const early = await findReleaseFaults({ changelog: unreleased, released, current });
    expect(early).toEqual([expect.stringContaining('the last release of CHANGELOG.md is none')]);
    const other = `${formatReleaseHead('0.9.0')}\n${current}`;
    expect(await findReleaseFaults({ changelog: changelogOf(), released: other, current })).toHaveLength(1);
  });
});

describe('the lint of the graph', () => {
  const eslint = new ESLint();
  const lint = async (text: string): Promise<string[]> => {
    const [result] = await eslint.lintText(text, { filePath: 'schema/schema.graphql' });
    return result!.messages.map(({ ruleId }) => String(ruleId?.split('/')[1]));
  };
  const described = (text: string): string => text.replaceAll(/^(type|enum) /gm, '"""What it is."""\n$1 ');

  it.each([
    ['a type without an id', 'type Contact { name: String }', 'strict-id-in-types'],
    ['a type without a description', 'type Contact { id: ID! }', 'require-description'],
    ['an enum value in small letters', 'enum Colour { red }', 'naming-convention'],
    ['a connection without pageInfo', 'type NoteConnection { nodes: [ID] }', 'relay-connection-types'],
    ['a deprecation without a reason', 'type Note { id: ID! name: ID @deprecated }', 'deprecation-date'],
    [
      'a deprecation without a day',
      'type Note { id: ID! name: ID @deprecated(reason: "Use `id`.") }',
      'deprecation-date',
    ],
    [
      'a deprecation until a day that does not exist',
      'type Note { id: ID! name: ID @deprecated(reason: "Use `id`. Removed after 2027-02-31.") }',
      'deprecation-date',
    ],
  ])('finds %s', async (_, text, rule) => {
    expect(await lint(rule === 'require-description' ? text : described(text))).toContain(rule);
  });

  it('accepts a deprecation that names a replacement and a day', async () => {
    const text = 'type Note { id: ID! name: ID @deprecated(reason: "Use `id`. Removed after 2027-06-30.") }';
    expect(await lint(described(text))).not.toContain('deprecation-date');
  });
});
