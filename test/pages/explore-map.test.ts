// The map of the segment builder in a real browser: where the points and the names are, what it reads and when, and what it says.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { runMutation } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { isSmall } from '../harness/sizes.ts';
import { openBuilderTests, type Seen, showQuery, waitForCount } from './explore-page.ts';

let door: Door;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;
let origin: string;

const mapped = { lastName: { equals: 'Mapped' } };
const homes = [
  ['Ada', 'Paris', 48.85, 2.35],
  ['Bob', 'Paris', 48.86, 2.34],
  ['Cleo', 'PARIS', 48.87, 2.36],
  ['Dan', 'Lyon', 45.76, 4.84],
  ['Eve', 'Lyon', 45.5, 5.2],
  ['Finn', 'Brest', 48.39, -4.49],
  ['Gus', 'Nowhere', null, null],
] as const;

describe.skipIf(!hasBrowser)('the map', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    ({ openBuilder, origin } = await openBuilderTests(door));
    for (const [firstName, city, latitude, longitude] of homes)
      await runMutation(door, 'createContact', {
        firstName,
        lastName: 'Mapped',
        address: { city, ...(latitude !== null && { latitude, longitude }) },
      });
  });

  const summary = (page: Page, title = 'On a map') => page.locator('summary', { hasText: title });
  const image = (page: Page) => page.locator('.map').getByRole('img');
  const isMap = (body: string | null): boolean => body?.includes('latitude') ?? false;
  /** The middles of elements of the drawing, by what they say. */
  const locate = (page: Page, selector: string): Promise<{ text: string; x: number; y: number }[]> =>
    image(page)
      .locator(selector)
      .evaluateAll((all) =>
        all.map((one) => {
          const { left, top, width, height } = one.getBoundingClientRect();
          return { text: one.textContent!, x: left + width / 2, y: top + height / 2 };
        }),
      );

  const openMap = async (options: Json = {}, query: Json = mapped, total = homes.length): Promise<Seen> => {
    const seen = await openBuilder(options);
    await showQuery(seen.page, query);
    await waitForCount(seen.page, total);
    // The charts move what is below them.
    await seen.page.locator('.chart').nth(3).waitFor();
    await seen.page.locator('.stale').first().waitFor({ state: 'detached' });
    await summary(seen.page).click();
    await image(seen.page).scrollIntoViewIfNeeded();
    return seen;
  };

  it('is read when it is opened, once, and has the points, the towns and a scale where they belong', async () => {
    const { page, context, requested, complaints } = await openBuilder();
    const sent: string[] = [];
    page.on('request', (request) => isMap(request.postData()) && sent.push(request.postDataJSON().query));
    await showQuery(page, mapped);
    await waitForCount(page, homes.length);
    await page.locator('.chart').nth(3).waitFor();
    expect(sent).toEqual([]);
    await summary(page).click();
    await image(page).waitFor();
    const sentence =
      '6 of 7 people are on the map. Not shown: 1 without coordinates. Largest towns: \u2068Paris\u2069 (3), \u2068Lyon\u2069 (2), \u2068Brest\u2069 (1).';
    await page.locator('.map p').getByText(sentence).waitFor();
    expect(await image(page).getAttribute('aria-label')).toBe(sentence);
    expect(sent).toHaveLength(1);

    const points = await locate(page, '.points circle');
    expect(points).toHaveLength(6);
    // From west to east: Finn in Brest, Bob, Ada and Cleo in Paris, Dan and Eve in Lyon.
    const [finn, bob, ada, cleo, dan] = points as [Json, Json, Json, Json, Json];
    // Its middle latitude is 47.19.
    const squeeze = Math.cos((47.19 * Math.PI) / 180);
    expect((ada.x - finn.x) / (dan.y - ada.y)).toBeCloseTo((6.84 * squeeze) / 3.09, 1);
    expect((dan.x - finn.x) / (dan.y - finn.y)).toBeCloseTo((9.33 * squeeze) / 2.63, 1);
    expect([bob.y < ada.y, cleo.y < bob.y, bob.x < ada.x, ada.x < cleo.x]).toEqual([true, true, true, true]);
    const towns = await locate(page, '.town');
    expect(towns.map(({ text }) => text)).toEqual(['Paris', 'Lyon', 'Brest']);
    // In the middle of three is the second one in either direction.
    expect(Math.hypot(towns[0]!.x - ada.x, towns[0]!.y - bob.y)).toBeLessThan(4);
    // 392 kilometres from Paris to Lyon.
    const scale = await image(page).locator('.scale path').boundingBox();
    const [, km] = /^([\d,]+) km$/.exec((await image(page).locator('.scale text').textContent())!)!;
    expect([100, 200]).toContain(Number(km));
    expect((Math.hypot(ada.x - dan.x, ada.y - dan.y) / scale!.width) * Number(km)).toBeCloseTo(392, -2);
    expect(requested.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('says who a point is, and opens them, by pointer and by keyboard with one stop for all points', async () => {
    const { page, context, complaints } = await openMap();
    const pointed = () => image(page).locator('.pointed text').textContent();
    const [finn, , , , , eve] = await locate(page, '.points circle');
    await page.mouse.move(finn!.x + 5, finn!.y);
    expect(await pointed()).toBe('\u2068Finn Mapped\u2069, \u2068Brest\u2069');
    await page.mouse.move(finn!.x + 40, finn!.y + 40);
    await image(page).locator('.pointed').waitFor({ state: 'detached' });
    await page.mouse.click(finn!.x + 40, finn!.y + 40);
    await page.mouse.click(eve!.x, eve!.y);
    await page.getByRole('dialog', { name: 'Eve Mapped' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.mouse.move(0, 0);
    await summary(page).focus();
    await page.keyboard.press('Tab');
    await expect.poll(pointed).toBe('\u2068Finn Mapped\u2069, \u2068Brest\u2069');
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowLeft']) await page.keyboard.press(key);
    await expect.poll(pointed).toBe('\u2068Ada Mapped\u2069, \u2068Paris\u2069');
    expect(await page.locator('.map').getByRole('status').textContent()).toBe(
      '\u2068Ada Mapped\u2069, \u2068Paris\u2069',
    );
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Ada Mapped' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('frame');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('.map'))).toBeNull();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('follows the segment while it is open, and gives up a request that is overtaken', async () => {
    const { page, context, complaints } = await openMap();
    const aborted: string[] = [];
    const name = (body: string | null): string => JSON.parse(body!).variables.query.firstName.startsWith;
    page.on('requestfailed', (request) => isMap(request.postData()) && aborted.push(name(request.postData())));
    await page.route('**/graphql', async (route) => {
      const body = route.request().postData();
      // The first one is never answered.
      if (!isMap(body) || name(body) !== 'Fi') await route.continue();
    });
    const waiting = page.waitForRequest((request) => isMap(request.postData()));
    const withName = (startsWith: string): Json => ({ firstName: { startsWith } });
    await showQuery(page, withName('Fi'));
    await waiting;
    await showQuery(page, withName('Cleo'));
    await expect
      .poll(() => image(page).getAttribute('aria-label'))
      .toMatch(/^1 of 1 person is.* \u2068PARIS\u2069 \(1\)/);
    expect(aborted).toEqual(['Fi']);
    // Nobody has coordinates: there is nothing to draw, nor to stop at.
    await showQuery(page, withName('Gus'));
    await page.locator('.map p').getByText('0 of 1 person is on the map. Not shown: 1 without coordinates.').waitFor();
    expect(await page.locator('.map .frame').isVisible()).toBe(false);
    await summary(page).click();
    const sent: string[] = [];
    page.on('request', (request) => isMap(request.postData()) && sent.push(request.url()));
    await showQuery(page, mapped);
    await waitForCount(page, homes.length);
    await page.locator('.chart').nth(3).waitFor();
    expect(sent).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('draws the circle of a condition that is edited in its place, and the polygon of one that is kept as it is', async () => {
    const { page, context, complaints } = await openMap();
    await page.getByRole('button', { name: 'Add a condition' }).first().click();
    const condition = page.getByRole('group', { name: 'Condition 2' });
    expect(await condition.getByRole('option', { name: 'Lives in the area' }).count()).toBe(0);
    await condition.getByLabel('Attribute').selectOption({ label: 'Lives near' });
    await condition.getByText('something is missing').waitFor();
    expect(await condition.getByLabel('Operator').count()).toBe(0);
    await condition.getByLabel('Kind of centre').selectOption('Coordinates');
    await condition.getByLabel('Coordinates', { exact: true }).fill('48,85, 2,35');
    await condition.getByLabel('Kilometres').fill('100');
    await waitForCount(page, 3);
    await expect.poll(() => image(page).getAttribute('aria-label')).toMatch(/^3 of 3 people/);
    const area = await image(page).locator('.area').boundingBox();
    const scale = await image(page).locator('.scale path').boundingBox();
    const km = Number.parseInt((await image(page).locator('.scale text').textContent())!, 10);
    expect((area!.height / scale!.width) * km).toBeCloseTo(200, -1.5);
    expect((area!.width / scale!.width) * km).toBeCloseTo(200, -1.5);
    // The charts may still move the map, between the one and the other.
    await expect
      .poll(async () => {
        const [[circle], [, ada]] = [await locate(page, '.area'), await locate(page, '.points circle')];
        return Math.hypot(circle!.x - ada!.x, circle!.y - ada!.y);
      })
      .toBeLessThan(2);

    // What is wrong is said at the condition.
    for (const [label, value, fault] of [
      ['Kilometres', '0', 'must be more than 0'],
      ['Kilometres', 'ten', 'Kilometres such as 2.5'],
      ['Coordinates', 'Paris', 'coordinates such as 48.8566'],
      ['Coordinates', '91, 2', 'must be from -90 to 90 degrees'],
    ] as const) {
      const field = condition.getByLabel(label, { exact: true });
      const before = await field.inputValue();
      await field.fill(value);
      await condition.locator('.faults').getByText(fault).waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await findBarriers(page)).toEqual([]);
      await field.fill(before);
      await waitForCount(page, 3);
    }
    await condition.getByLabel('Kind of centre').selectOption('Postal code');
    await condition.getByLabel('Postal code', { exact: true }).fill('00000');
    await condition.getByText('No contact with coordinates has the postal code 00000').waitFor();

    const ring = [
      [4, 45],
      [6, 45],
      [6, 46],
      [4, 46],
      [4, 45],
    ];
    const query = { and: [mapped, { address: { within: { polygon: [ring] } } }] };
    await showQuery(page, query);
    await waitForCount(page, 2);
    await page.getByText('a polygon, which is kept as it is').waitFor();
    await expect.poll(() => image(page).locator('.area').getAttribute('d')).toMatch(/^M[^LM]+(L[^LM]+){4}Z$/);
    await page.setViewportSize({ width: 360, height: 800 });
    expect([await findBarriers(page), await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
      [],
      360,
    ]);
    await page.getByRole('tab', { name: 'REST' }).click();
    const body = JSON.parse((await page.locator('.question code').textContent())!);
    expect(JSON.stringify(body)).toContain(JSON.stringify({ polygon: [ring] }));
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('draws circles around a contact and around a postal code', async () => {
    const { page, context, complaints } = await openMap();
    const around = async (near: Json) => {
      await showQuery(page, { and: [mapped, { address: { near } }] });
      await page.locator('.stale').first().waitFor({ state: 'detached' });
      await expect.poll(() => image(page).locator('.area').count()).toBe(1);
      const area = (await image(page).locator('.area').boundingBox())!;
      return { x: area.x + area.width / 2, y: area.y + area.height / 2 };
    };
    const [first] = await door.sql(
      `select id from contacts where firstname = '${homes[0]![0]}' order by id desc limit 1`,
    );
    const contact = await around({ contactId: `Contact:${first!.id}`, km: 100 });
    const [ada] = (await locate(page, '.points circle')).slice(1);
    expect(Math.hypot(contact.x - ada!.x, contact.y - ada!.y)).toBeLessThan(2);
    await door.sql(`update addresses set postal_code = '75999' where contact_id = ${first!.id}`);
    await door.sql('select refresh_search(1, array[cast(? as bigint)])', [first!.id]);
    const code = await around({ postalCode: '75999', km: 50 });
    const [again] = (await locate(page, '.points circle')).slice(1);
    expect(Math.hypot(code.x - again!.x, code.y - again!.y)).toBeLessThan(2);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('says why it cannot be read', async () => {
    const { page, context } = await openBuilder();
    await showQuery(page, mapped);
    await waitForCount(page, homes.length);
    await page.route('**/graphql', (route) =>
      isMap(route.request().postData()) ? route.abort('connectionrefused') : route.continue(),
    );
    await summary(page).click();
    await page.locator('.map').getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await context.close();
  });

  it.skipIf(isSmall)(
    'has no barrier nor a sideways scroll, in French too, light and dark, wide and narrow',
    async () => {
      const { page, context, complaints } = await openBuilder({ locale: 'fr-FR' });
      await page.locator('.chart').nth(3).waitFor();
      await page.locator('.stale').first().waitFor({ state: 'detached' });
      await summary(page, 'Sur une carte').click();
      await image(page).waitFor();
      expect(await image(page).getAttribute('aria-label')).toMatch(
        /^Sur la carte\s: \d+ sur \d+ personnes\. Absentes\s: \d+ sans coordonnées, .*\. Villes principales\s: \u2068Paris\u2069 \(\d+\)/,
      );
      for (const [colorScheme, width] of [
        ['light', 1320],
        ['dark', 360],
        ['light', 1100],
        ['dark', 1320],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        const { left, right } = await page.locator('.map .frame').evaluate((one) => one.getBoundingClientRect());
        await expect.poll(async () => (await image(page).boundingBox())!.width).toBeCloseTo(right - left, -0.5);
        for (const { x } of await locate(page, '.town')) expect([x > left, x < right]).toEqual([true, true]);
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        expect([colorScheme, width, await findBarriers(page), isWide]).toEqual([colorScheme, width, [], false]);
        const { MUSTER_SCREENSHOTS: pictures } = process.env;
        if (pictures) await page.locator('.map').screenshot({ path: `${pictures}/map-${colorScheme}-${width}.png` });
      }
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});
