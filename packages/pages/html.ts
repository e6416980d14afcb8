// The frame that both pages share: the head, the logo, and texts that are safe in HTML.
import { type Language, languageNames, languages } from './language.ts';

export type AssetPaths = Record<'script' | 'style', string>;

/** The further pages that this server serves. */
export interface Offers {
  graphiql: boolean;
  /** The reference of REST at `/docs`, and the guide below it. */
  docs?: boolean;
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (mark) => marks[mark]!);

export const logo =
  '<svg class="logo" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false"><rect width="32" height="32" rx="7" fill="#1f6f54"/><path d="M8 24V8l8 10 8-10v16" fill="none" stroke="#fff" stroke-width="3.5" stroke-linejoin="round" stroke-linecap="round"/></svg>';

interface Frame extends AssetPaths {
  language: Language;
  title: string;
  description: string;
  body: string;
}

export const renderFrame = ({ language, title, description, style, script, body }: Frame): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(logo)}">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
${body}
</body>
</html>
`;

/** A way to another page, in a list. */
export const renderWay = (href: string, name: string, says: string): string =>
  `<li><a class="way" href="${href}"><strong>${escapeHtml(name)}</strong><span>${escapeHtml(says)}</span></a></li>`;

/** Links to the page in each language. */
export const renderLanguageLinks = (language: Language, label: string): string => {
  const links = languages.map(
    (one) =>
      `<a href="?lang=${one}" hreflang="${one}" lang="${one}"${one === language ? ' aria-current="true"' : ''}>${languageNames[one]}</a>`,
  );
  return `<nav class="languages" aria-label="${escapeHtml(label)}">${links.join('')}</nav>`;
};
