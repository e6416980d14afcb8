// The HTML of a page of the guide: the navigation, the text with its table of contents, and the ways to its neighbours.
import { type AssetPaths, escapeHtml, logo, renderFrame, renderWay } from '../html.ts';
import { type Entry, findListingPage, guidePath, locatePage, type Part } from './contents.ts';
import type { Rendered, Section } from './markdown.ts';

/** Addresses of what the pages load. */
export interface GuideAssets extends AssetPaths {
  /** The sections of all pages, for the search. */
  index: string;
}

interface Frame {
  file?: string;
  title: string;
  description: string;
  parts: readonly Part[];
  assets: GuideAssets;
  main: string;
}

const renderNavigation = (parts: readonly Part[], file: string | undefined): string => {
  const current = file && (findListingPage(file) ?? file);
  const renderEntry = ({ file: one, title }: Entry): string => {
    const mark = one === file ? ' aria-current="page"' : one === current ? ' aria-current="true"' : '';
    return `<li><a href="${locatePage(one)}"${mark}>${escapeHtml(title)}</a></li>`;
  };
  const lists = parts.map(
    ({ title, entries }) => `<p class="part">${escapeHtml(title)}</p><ul>${entries.map(renderEntry).join('')}</ul>`,
  );
  return `<nav class="contents" id="contents" aria-label="Pages">${lists.join('\n')}</nav>`;
};

const renderGuideFrame = ({ file, title, description, parts, assets, main }: Frame): string =>
  renderFrame({
    language: 'en',
    title,
    description,
    ...assets,
    body: `<a class="skip" href="#text">Skip to the text</a>
<div class="guide">
<header class="bar"><p class="brand"><a href="/">${logo}<span>Muster</span></a> <a class="quiet" href="${guidePath}">Guide</a></p>
<div id="search" data-index="${assets.index}"></div></header>
<div class="columns">
${renderNavigation(parts, file)}
${main}
</div>
</div>`,
  });

/** On a narrow screen the navigation stands below the text, so that the text comes first. */
const toContents = '<p class="to-contents"><a href="#contents">All pages</a></p>';

const renderToc = (headings: readonly Section[]): string => {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (listed.length < 2) return '';
  const items = listed.map(
    ({ depth, text, anchor }) => `<li class="depth-${depth}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="toc" aria-labelledby="toc"><p class="part" id="toc">On this page</p><ul>${items.join('')}</ul></nav>`;
};

export interface Neighbours {
  before?: Entry | undefined;
  after?: Entry | undefined;
}

const renderNeighbours = ({ before, after }: Neighbours): string => {
  const link = (entry: Entry | undefined, rel: string, label: string): string =>
    entry
      ? `<a rel="${rel}" href="${locatePage(entry.file)}"><span>${label}</span> ${escapeHtml(entry.title)}</a>`
      : '<span></span>';
  if (!before && !after) return '';
  return `<nav class="neighbours" aria-label="Previous and next page">${link(before, 'prev', 'Previous')}${link(after, 'next', 'Next')}</nav>`;
};

interface TextPage {
  file: string;
  says: string;
  rendered: Rendered;
  parts: readonly Part[];
  assets: GuideAssets;
  neighbours: Neighbours;
}

export const renderTextPage = ({ file, says, rendered, parts, assets, neighbours }: TextPage): string => {
  const listing = findListingPage(file);
  const above = parts.flatMap(({ entries }) => entries).find((entry) => entry.file === listing);
  const up = above ? `<p class="up"><a href="${locatePage(above.file)}">${escapeHtml(above.title)}</a></p>` : '';
  return renderGuideFrame({
    file,
    title: `${rendered.sections[0]!.text} · Muster`,
    description: says,
    parts,
    assets,
    main: `<main class="text" id="text">${toContents}${up}
${rendered.html}
${renderNeighbours(neighbours)}</main>
${renderToc(rendered.sections)}`,
  });
};

/** The first page, which lists all others. */
export const renderHomePage = (parts: readonly Part[], assets: GuideAssets): string => {
  const renderEntry = ({ file, title, says }: Entry): string => renderWay(locatePage(file), title, says);
  const lists = parts.map(
    ({ title, entries }) => `<h2>${escapeHtml(title)}</h2>\n<ul class="ways">${entries.map(renderEntry).join('')}</ul>`,
  );
  const says = 'How to run Muster, work with it, and build on it.';
  return renderGuideFrame({
    title: 'Guide · Muster',
    description: says,
    parts,
    assets,
    main: `<main class="home" id="text"><h1>The guide to Muster</h1><p class="runs">${says} GraphiQL and the REST reference are beside it, where this server has them: <a href="/graphql">GraphiQL</a>, <a href="/docs">REST reference</a>.</p>
${lists.join('\n')}</main>`,
  });
};
