// The recipes of CONTRIBUTING.md that change contacts, as edits: a column, and an attribute of search.
import type { Recipe } from './recipe.ts';

export const column: Recipe = {
  heading: 'Adding a column to contacts',
  edits: [
    {
      file: 'migrations/0101_nickname.sql',
      text: '-- The name that friends use.\nalter table contacts add column nickname text;\n',
    },
    ...['o', 'n'].map((row) => ({
      file: 'migrations/functions.sql',
      replace: `      ${row}.external_id, ${row}.firstname,`,
      text: `      ${row}.nickname, ${row}.external_id, ${row}.firstname,`,
    })),
    {
      file: 'migrations/functions.sql',
      after: "    case when o.married_name is distinct from n.married_name then 'married_name' end,\n",
      text: "    case when o.nickname is distinct from n.nickname then 'nickname' end,\n",
    },
    {
      file: 'src/data/contact/columns.ts',
      after: "  married_name: { ...text, file: 'married_name' },\n",
      text: "  nickname: { ...text, file: 'nickname' },\n",
    },
    {
      file: 'packages/pages/column-names.ts',
      after: "  married_name: say('Married name', 'Nom d’usage'),\n",
      text: "  nickname: say('Nickname', 'Surnom'),\n",
    },
    {
      file: 'schema/contact/contact.ts',
      after: "    marriedName: t.exposeString('married_name', { nullable: true, description: 'Name by marriage.' }),\n",
      text: "    nickname: t.exposeString('nickname', { nullable: true, description: 'The name that friends use.' }),\n",
    },
    {
      file: 'schema/contact/contact-input.ts',
      after: "  marriedName: 'Name by marriage.',\n",
      text: "  nickname: 'The name that friends use.',\n",
    },
    {
      file: 'src/rest/contact.graphql',
      after: '  married_name: marriedName\n',
      text: '  nickname\n',
    },
    { file: 'test/contract/shown-contact.ts', after: "    marriedName: 'x',\n", text: "    nickname: 'x',\n" },
  ],
  tests: ['test/contract/contact-columns.test.ts', 'test/import/excel-cells.test.ts'],
  sweeps: ['test/contract/shown.test.ts'],
};

const searchColumns = 'mail, city, postal_code, mobile, phone, mobile_national, phone_national';

export const attribute: Recipe = {
  heading: 'Adding an attribute to search',
  edits: [
    {
      file: 'src/search/attributes.ts',
      after: "  married_name: row('text', 'married_name', named, 'name by marriage', { filled: 16 }),\n",
      text: "  nickname: row('text', 'nickname', named, 'the name that friends use', { empty: `''` }),\n",
    },
    {
      file: 'packages/pages/browser/search-labels.ts',
      after: "  married_name: say('Name by marriage', 'Nom d’usage'),\n",
      text: "  nickname: say('Nickname', 'Surnom'),\n",
    },
    {
      file: 'migrations/0102_search_nickname.sql',
      text: `alter table contact_search add column nickname text not null default '' collate "C";
create index contact_search_nickname on contact_search (group_id, nickname, contact_id) where nickname <> '';
`,
    },
    {
      file: 'migrations/functions.sql',
      after: "            fold_inline(coalesce(c.married_name, '')) as married_name,\n",
      text: "            fold_inline(coalesce(c.nickname, '')) as nickname,\n",
    },
    {
      file: 'migrations/functions.sql',
      replace: 'own.mobile[2], own.phone[2]\n',
      text: 'own.mobile[2], own.phone[2], own.nickname\n',
    },
    { file: 'migrations/functions.sql', replace: `${searchColumns})\n`, text: `${searchColumns}, nickname)\n` },
    { file: 'migrations/functions.sql', replace: `${searchColumns}\n`, text: `${searchColumns}, nickname\n` },
    {
      file: 'migrations/functions.sql',
      after: '    mobile = excluded.mobile,\n',
      text: '    nickname = excluded.nickname,\n',
    },
    {
      file: 'test/search/cells.ts',
      after: "  ...rows('mail', 'eql, not_eql'),\n",
      text: "  ...rows('nickname', 'eql, not_eql, ext, not_ext, start_with, not_start_with'),\n",
    },
    { file: 'test/search/rows.ts', after: '  married_name: string | null;\n', text: '  nickname: string | null;\n' },
    { file: 'test/search/small.ts', replace: 'married_name: null,', text: 'married_name: null, nickname: null,' },
    {
      file: 'test/search/population.ts',
      after: '    married_name: text(pools.marriedNames, 0.5),\n',
      text: '    nickname: text(pools.marriedNames, 0.3),\n',
    },
    {
      file: 'test/search/oracle-view.ts',
      after: '      married_name: text(contact.married_name),\n',
      text: '      nickname: text(contact.nickname),\n',
    },
    {
      file: 'test/search/oracle-attributes.ts',
      replace: 'firstname surname married_name',
      text: 'firstname surname married_name nickname',
    },
    {
      file: 'test/search/generate-values.ts',
      after: '  married_name: pools.marriedNames,\n',
      text: '  nickname: pools.marriedNames,\n',
    },
  ],
  tests: ['test/search/generate.test.ts', 'test/search/load.test.ts'],
  sweeps: [],
};
