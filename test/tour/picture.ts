// Takes the moving picture of the README: a segment in the builder, and the same question as GraphQL with its answer. It writes docs/images/tour.webp.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { installMuster, removeInstallation, root } from './installation.ts';
import { closeBrowser, createVisitor } from './visitor.ts';

const size = { width: 1200, height: 750 };
const quality = 0.82;

interface Frame {
  webp: Buffer;
  milliseconds: number;
}

/** A number of so many bytes, the lowest first. */
const encode = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
};

const joinChunk = (name: string, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(name), encode(content.length, 4), content, Buffer.alloc(content.length % 2)]);
};

/** The chunk of a still picture that holds the image: others describe its colours. */
const findImage = (webp: Buffer): Buffer => {
  for (let at = 12; at < webp.length; ) {
    const end = at + 8 + webp.readUInt32LE(at + 4);
    if (webp.toString('latin1', at, at + 4) === 'VP8 ') return webp.subarray(at, end + (end % 2));
    at = end + (end % 2);
  }
  throw new Error('A picture of the page has no image');
};

/** Joins still pictures of one size to a moving one, which is repeated for ever (the container of WebP). */
const joinFrames = (frames: readonly Frame[]): Buffer => {
  const { width, height } = size;
  const canvas = joinChunk('VP8X', encode(2, 4), encode(width - 1, 3), encode(height - 1, 3));
  const animation = joinChunk('ANIM', encode(0xffffffff, 4), encode(0, 2));
  const moving = frames.map(({ webp, milliseconds }) => {
    const place = [encode(0, 6), encode(width - 1, 3), encode(height - 1, 3), encode(milliseconds, 3), encode(2, 1)];
    return joinChunk('ANMF', ...place, findImage(webp));
  });
  return joinChunk('RIFF', Buffer.from('WEBP'), canvas, animation, ...moving);
};

/** A picture of the page as WebP, which the browser encodes in another page. */
const takeFrame = async (page: Page, encoder: Page, milliseconds: number): Promise<Frame> => {
  const png = (await page.screenshot()).toString('base64');
  const base64 = await encoder.evaluate(
    async ([source, { width, height }, level]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${source}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width, height });
      canvas.getContext('2d', { alpha: false })!.drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', level).split(',')[1]!;
    },
    [png, size, quality] as const,
  );
  return { webp: Buffer.from(base64, 'base64'), milliseconds };
};

const volunteers = { tags: { equals: 'Bénévole' } };
const givers = { donations: { total: { gte: 10_000 } } };
const question = `query Volunteers {
  searchContacts(
    query: {
      and: [
        { tags: { equals: "Bénévole" } }
        { donations: { total: { gte: 10000 } } }
      ]
    }
    orderBy: { field: LAST_NAME }
    first: 2
  ) {
    totalCount
    nodes { id firstName lastName }
  }
}`;

const { url, printed } = await installMuster();
try {
  const token = readFileSync(/kept in (.+)/.exec(printed)![1]!.trim(), 'utf8').trim();
  const { page, leave } = await createVisitor([url]);
  await page.setViewportSize(size);
  const encoder = await page.context().newPage();
  const frames: Frame[] = [];
  const show = async (milliseconds: number): Promise<void> => {
    await page.bringToFront();
    await page.mouse.move(size.width - 5, 5);
    await page.waitForTimeout(500);
    frames.push(await takeFrame(page, encoder, milliseconds));
  };
  const openSegment = async (query: object): Promise<void> => {
    const packed = await page.evaluate(async (text) => {
      const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
      return btoa(String.fromCharCode(...new Uint8Array(await new Response(stream).arrayBuffer())));
    }, JSON.stringify(query));
    const encoded = packed.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    await page.goto('about:blank');
    await page.goto(`${url}/explore#query=1.${encoded}`);
    await page.locator('.total[data-counting="false"] strong').waitFor();
    await page.locator('.chart').nth(3).waitFor();
    await page.locator('.stale').first().waitFor({ state: 'detached' });
  };
  await page.goto(`${url}/explore#token=${token}`);
  await page.locator('.group.root').waitFor();
  await page.waitForTimeout(1500);
  await show(2500);
  await openSegment({ and: [volunteers] });
  await show(2500);
  await openSegment({ and: [volunteers, givers] });
  await show(3000);
  await page.locator('.question').scrollIntoViewIfNeeded();
  await show(2500);
  await page.goto(`${url}/graphql#${new URLSearchParams({ query: question })}`);
  await page.locator('.graphiql-query-editor .view-lines').filter({ hasText: 'Volunteers' }).waitFor();
  // Not the headers, which have the token.
  await page.getByRole('button', { name: 'Variables' }).click();
  await page.waitForTimeout(2500);
  await show(2500);
  await page.locator('.graphiql-execute-button').click();
  await page.locator('.result-window .view-lines').filter({ hasText: 'totalCount' }).waitFor();
  await show(5000);
  await leave();
  const picture = joinFrames(frames);
  writeFileSync(join(root, 'docs/images/tour.webp'), picture);
  const seconds = frames.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
  console.log(`docs/images/tour.webp: ${frames.length} frames, ${seconds} s, ${Math.round(picture.length / 1000)} kB`);
} finally {
  await closeBrowser();
  await removeInstallation();
}
