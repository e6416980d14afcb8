// Markdown as HTML: headings with anchors, code in colours, links and images as the site has them, tables that scroll on narrow screens.
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import graphql from 'highlight.js/lib/languages/graphql';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../html.ts';

for (const [name, language] of Object.entries({ bash, graphql, ini, json, sql, typescript, xml, yaml }))
  highlighter.registerLanguage(name, language);
highlighter.registerAliases(['sh', 'console'], { languageName: 'bash' });

/** A heading with the text below it, up to the next heading. */
export interface Section {
  depth: number;
  /** The text of the heading, without markup. */
  text: string;
  anchor: string;
  body: string;
}

export interface Rendered {
  html: string;
  /** The first one is the title of the page. */
  sections: Section[];
}

/** Turns the target of a link or an image into that on the site; undefined for a target that it does not have. */
type Resolve = (target: string) => string | undefined;

/** The texts of tokens without their markup. */
const readText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === 'table') return [token.header, ...token.rows].flat().map(readCell).join(' ');
      if (token.type === 'list') return token.items.map((item: Tokens.ListItem) => readText(item.tokens)).join(' ');
      if ('tokens' in token && token.tokens) return readText(token.tokens);
      return 'text' in token && token.type !== 'html' ? token.text : ' ';
    })
    .join('');

const readCell = ({ tokens }: Tokens.TableCell): string => readText(tokens);

/** Gives headings the anchors that they have on GitHub, which readers of the sources see. */
const createAnchors = (): ((text: string) => string) => {
  const uses = new Map<string, number>();
  return (text) => {
    const plain = text
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = uses.get(plain) ?? 0;
    uses.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  };
};

const lexer = new Marked({ gfm: true });

/** The sections of a text, in its order. Text before the first heading belongs to none. */
export const listSections = (markdown: string): Section[] => {
  const sections: Section[] = [];
  const nameAnchor = createAnchors();
  for (const token of lexer.lexer(markdown)) {
    if (token.type === 'heading') {
      const text = readText(token.tokens!);
      sections.push({ depth: token.depth, text, anchor: nameAnchor(text), body: '' });
    } else if (sections.length > 0) sections.at(-1)!.body += `${readText([token])}\n`;
  }
  return sections;
};

/** The attributes of an `<img>`; undefined for any other HTML. */
const readImage = (html: string): Record<string, string> | undefined =>
  /^<img( [a-z]+="[^"<>]*")+>\s*$/.test(html)
    ? Object.fromEntries([...html.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
    : undefined;

/** Every target of a link or an image of a text, as it stands there. */
export const listTargets = (markdown: string): string[] => {
  const targets: string[] = [];
  lexer.walkTokens(lexer.lexer(markdown), (token) => {
    if (token.type === 'link' || token.type === 'image') targets.push(token.href);
    if (token.type === 'html') targets.push(...[readImage(token.text)?.src ?? []].flat());
  });
  return targets;
};

/** The pictures among them. */
export const listImages = (markdown: string): string[] =>
  listTargets(markdown).filter((target) => /\.(png|svg)$/.test(target));

export const listCodeBlocks = (markdown: string): { language: string; text: string }[] => {
  const blocks: ReturnType<typeof listCodeBlocks> = [];
  lexer.walkTokens(lexer.lexer(markdown), (token) => {
    if (token.type === 'code') blocks.push({ language: token.lang ?? '', text: token.text });
  });
  return blocks;
};

const renderCode = ({ text, lang = '' }: Tokens.Code): string => {
  const code = highlighter.getLanguage(lang) ? highlighter.highlight(text, { language: lang }).value : escapeHtml(text);
  // Code that is wider than the screen scrolls, also by keyboard.
  return `<pre tabindex="0"><code>${code}</code></pre>\n`;
};

/** Renders a page. A link to what the site does not have becomes its text. */
export const renderMarkdown = (markdown: string, resolve: Resolve): Rendered => {
  const nameAnchor = createAnchors();
  /** The heading above, and the names of tables, which are landmarks and so need names of their own. */
  let heading = '';
  const tables = new Map<string, number>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const text = readText(tokens);
        heading = text;
        const anchor = nameAnchor(text);
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${anchor}">${inner}</h1>\n`;
        const label = escapeHtml(`Link to “${text}”`);
        return `<h${depth} id="${anchor}">${inner} <a class="anchor" href="#${anchor}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      code: renderCode,
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = resolve(href);
        return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      image({ href, text }) {
        const source = resolve(href);
        return source === undefined
          ? escapeHtml(text)
          : `<img src="${escapeHtml(source)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      table(token) {
        const renderRow = (cells: readonly Tokens.TableCell[], tag: string): string =>
          `<tr>${cells
            .map((cell) => {
              // A corner without words is no heading.
              const element = cell.text === '' ? 'td' : tag;
              return `<${element}>${this.parser.parseInline(cell.tokens)}</${element}>`;
            })
            .join('')}</tr>`;
        const columns = `${heading}: ${token.header.map(readCell).join(', ')}`;
        const place = (tables.get(columns) ?? 0) + 1;
        tables.set(columns, place);
        const name = escapeHtml(place === 1 ? columns : `${columns} (${place})`);
        const rows = token.rows.map((row) => renderRow(row, 'td')).join('\n');
        return `<div class="table" role="region" aria-label="${name}" tabindex="0"><table><thead>${renderRow(token.header, 'th')}</thead>
<tbody>${rows}</tbody></table></div>\n`;
      },
      // Only a picture with a width is written as HTML.
      html({ text }) {
        const { src = '', alt = '', width = '' } = readImage(text) ?? {};
        const source = resolve(src);
        if (source === undefined) return escapeHtml(text);
        return `<p><img src="${escapeHtml(source)}" alt="${escapeHtml(alt)}" width="${escapeHtml(width)}" loading="lazy"></p>\n`;
      },
    },
  });
  return { html: marked.parse(markdown, { async: false }), sections: listSections(markdown) };
};
