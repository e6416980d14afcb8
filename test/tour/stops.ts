// The stops of the tour, in order. Each returns a few words on what it saw, or throws what is wrong.
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Installation, root, startProgram } from './installation.ts';
import { checkLinks, noteLinks } from './links.ts';
import { createVisitor, type Visitor } from './visitor.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;
type Stop = (installation: Installation) => Promise<string>;

const runProgram = promisify(execFile);

/** The demo's token, from the file that the start names. */
const readToken = ({ printed }: Installation): string =>
  readFileSync(/kept in (.+)/.exec(printed)![1]!.trim(), 'utf8').trim();

/** Visits with a window of its own, and fails when anything was not silent. */
const visitAs = async (origins: string[], visit: (visitor: Visitor) => Promise<string>): Promise<string> => {
  const visitor = await createVisitor(origins);
  try {
    const seen = await visit(visitor);
    visitor.requireSilence();
    return seen;
  } finally {
    await visitor.leave();
  }
};

const tryCommand: Stop = async ({ printed, env }) => {
  const command = /^ +Try +(.+)$/m.exec(printed)![1]!;
  const { stdout } = await runProgram('sh', ['-c', command], { env });
  const { contacts } = JSON.parse(stdout).data;
  assert.equal(contacts.nodes.length, 3);
  const people = contacts.totalCount.toLocaleString('en-US');
  for (const file of ['README.md', 'docs/getting-started.md'])
    assert.ok(
      readFileSync(join(root, file), 'utf8').includes(`${people} invented people`),
      `${file} has other than ${people} people`,
    );
  return `${people} people, as the documentation says`;
};

/** The first question of the README, whose answer the README shows. */
const askReadme: Stop = async (installation) => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const [body, answer] = [/-d '\n?([\s\S]*?)'\n/, /```json\n([\s\S]*?)```/].map((part) =>
    JSON.parse(part.exec(text)![1]!),
  );
  const response = await fetch(`${installation.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${readToken(installation)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.deepEqual(await response.json(), answer);
  return `${answer.data.searchContacts.totalCount} people, as it says`;
};

const visitFrontPage: Stop = ({ url }) =>
  visitAs([url], async (visitor) => {
    for (const language of ['en', 'fr']) {
      await visitor.open(`${url}/?lang=${language}`, 'h1');
      await visitor.requireNoBarriers();
      noteLinks(visitor.page.url(), await visitor.listLinks());
    }
    return `${(await visitor.listLinks()).length} links`;
  });

const visitReference: Stop = (installation) =>
  visitAs([installation.url], async (visitor) => {
    const { page } = visitor;
    await visitor.open(`${installation.url}/docs#token=${readToken(installation)}`, '#operations-Search-search');
    const operation = page.locator('#operations-Search-search');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.execute').click();
    const status = operation.locator('.live-responses-table tbody .response-col_status').first();
    await status.waitFor();
    assert.equal((await status.textContent())?.trim(), '200');
    await visitor.requireNoBarriers();
    noteLinks(page.url(), await visitor.listLinks());
    return 'a prefilled search is answered';
  });

/** The ids of the people that a segment of the builder has, by each of the texts that it offers. */
const visitExplore: Stop = (installation) =>
  visitAs([installation.url], async (visitor) => {
    const { page } = visitor;
    const { url, env, folder } = installation;
    const token = readToken(installation);
    await visitor.open(`${url}/explore#token=${token}`, '.group.root');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Attribute').selectOption({ label: 'Gender' });
    await page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value').selectOption('F');
    await page.getByRole('button', { name: 'Add a condition' }).first().click();
    const second = page.getByRole('group', { name: 'Condition 2' });
    await second.getByLabel('Attribute').selectOption({ label: 'Family name' });
    await second.getByLabel('Operator').selectOption({ label: 'starts with' });
    await second.getByLabel('Value').fill('Duv');
    await page.locator('.total[data-counting="false"] strong').waitFor();
    await page.locator('.chart').nth(3).waitFor();
    await page.locator('.stale').first().waitFor({ state: 'detached' });
    await visitor.requireNoBarriers();
    noteLinks(page.url(), await visitor.listLinks());

    const copy = async (tab: string): Promise<string> => {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('button', { name: /^(Copy|Copied)$/ }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const send = async (path: string, body: string): Promise<Json> => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      return (await (await fetch(url + path, { method: 'POST', headers, body })).json()) as Json;
    };
    const graphql = (await send('/graphql', JSON.stringify({ query: await copy('GraphQL') }))).data.searchContacts;
    const total = Number((await page.locator('.total strong').textContent())!.replace(/\D/g, ''));
    assert.ok(total > 1, `only ${total} people`);
    assert.equal(graphql.totalCount, total);
    const ids: string[] = graphql.nodes.map(({ id }: Json) => id);
    assert.equal(ids.length, total);

    const rest = (await send('/search', await copy('REST'))).data;
    assert.equal(rest.total, total);
    assert.deepEqual(
      rest.contacts.map(({ id }: Json) => `Contact:${id}`),
      ids,
    );
    const shell = { ...env, MUSTER_TOKEN: token };
    const { stdout } = await runProgram('sh', ['-c', await copy('curl')], { env: shell });
    assert.deepEqual(
      JSON.parse(stdout).data.searchContacts.nodes.map(({ id }: Json) => id),
      ids,
    );
    const program = join(mkdtempSync(join(folder, 'typescript-')), 'segment.mts');
    writeFileSync(program, await copy('TypeScript'));
    const printed = await runProgram(process.execPath, ['--import', import.meta.resolve('tsx'), program], {
      env: shell,
    });
    assert.deepEqual(
      printed.stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0]),
      ids,
    );
    return `${total} people, the same by GraphQL, REST, curl and TypeScript`;
  });

/** The rules that GraphiQL breaks, which is not our code. */
const graphiqlBarriers = {
  'color-contrast': 'the colours of its editors and of its title',
  'landmark-one-main': 'it has no main landmark',
  'nested-interactive': 'its tabs contain their buttons',
  'page-has-heading-one': 'it has no heading',
  region: 'its tabs and its editors are in no landmark',
};

const visitGraphiql: Stop = (installation) =>
  visitAs([installation.url], async (visitor) => {
    const { page } = visitor;
    await visitor.open(`${installation.url}/graphql#token=${readToken(installation)}`, '.graphiql-execute-button');
    await page.locator('.graphiql-tab-button', { hasText: /^Contacts$/ }).click();
    const result = page.locator('.result-window .view-lines').filter({ hasText: '"contacts"' });
    const isAnswered = () =>
      result.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      );
    // GraphiQL needs a moment to know the operation of a tab, and does not show when it does.
    for (let tries = 0; tries < 6; tries++) {
      await page.locator('.graphiql-execute-button').click();
      if (!(await isAnswered())) continue;
      await visitor.requireNoBarriers(['light', 'dark'], graphiqlBarriers);
      noteLinks(page.url(), await visitor.listLinks());
      return `a query is answered; ${Object.keys(graphiqlBarriers).length} rules of axe are broken, as is known`;
    }
    throw new Error('GraphiQL shows no contacts');
  });

const visitGuide: Stop = ({ url }) =>
  visitAs([url], async (visitor) => {
    const guide = `${url}/docs/guide`;
    await visitor.open(guide, 'h1');
    const listed = (await visitor.listLinks()).map((link) => link.split('#')[0]!);
    const pages = [...new Set(listed.filter((link) => link.startsWith(guide)))];
    for (const address of [...pages, `${guide}/errors/conflict`]) {
      await visitor.open(address, 'h1');
      // All have the colours of the first.
      await visitor.requireNoBarriers(address === guide ? ['light', 'dark'] : ['light']);
    }
    noteLinks(guide, pages);
    return `${pages.length} pages`;
  });

const visitExampleApp: Stop = async (installation) => {
  const { env, folder, url } = installation;
  const built = mkdtempSync(join(folder, 'app-'));
  const options = ['--outDir', built, '--emptyOutDir'];
  await runProgram('npm', ['run', '-s', 'build', '--prefix', 'examples/app', '--', ...options], { cwd: root, env });
  const { found: origin } = await startProgram(
    ['npm', 'run', '-s', 'preview', '--prefix', 'examples/app', '--', '--outDir', built, '--port', '0'],
    { ...env, MUSTER_URL: url, NO_COLOR: '1' },
    /(http:\/\/localhost:\d+)/,
  );
  return visitAs([origin], async (visitor) => {
    const { page } = visitor;
    await visitor.open(origin, 'h1');
    await visitor.requireNoBarriers();
    await page.getByLabel('Token').fill(readToken(installation));
    await page.getByRole('button', { name: 'Log in' }).click();
    const people = page.locator('.list li');
    await people.nth(24).waitFor();
    await people.first().getByRole('link').click();
    await page.getByLabel('New note').fill('Met on the tour');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.locator('.notes').getByText('Met on the tour').waitFor();
    await visitor.requireNoBarriers();
    const links = await visitor.listLinks();
    // Their fragments are for the script of the app, so only a browser can follow them.
    noteLinks(
      page.url(),
      links.map((link) => link.split('#')[0]!),
    );
    const seen = `${await people.count()} people, and a note for one`;
    const routes = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').all();
    for (const route of routes) {
      const name = (await route.textContent())!;
      await route.click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page
        .getByRole('status')
        .filter({ hasText: / shown$/ })
        .first()
        .waitFor();
      await visitor.requireNoBarriers(['light']);
    }
    return seen;
  });
};

type NamedStop = readonly [name: string, stop: Stop];
/** Ways that are walked at once, each stop after the one before it. The guide takes as long as the others. */
export const ways: readonly (readonly NamedStop[])[] = [
  [
    ['the printed command', tryCommand],
    ['the question of the README', askReadme],
    ['the front page', visitFrontPage],
    ['the reference of REST', visitReference],
    ['the segment builder', visitExplore],
    ['GraphiQL', visitGraphiql],
    ['the example app', visitExampleApp],
  ],
  [['the guide', visitGuide]],
];
/** After all others, which note the links. */
export const lastStop: NamedStop = ['every link', checkLinks];
