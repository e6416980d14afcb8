// The front page at `/`: one sentence, and the ways in. Strangers read it, so it says nothing about the data; its script asks for what a caller may know.
import { type AssetPaths, escapeHtml, logo, type Offers, renderFrame, renderLanguageLinks, renderWay } from './html.ts';
import type { Language } from './language.ts';

const texts = {
  en: {
    sentence: 'The contacts of your organisation, together, and run by yourselves.',
    runs: 'Muster is running here.',
    ways: 'Ways in',
    languages: 'Language',
    explore: { name: 'Find people', says: 'Build a segment, see who is in it, and take it with you.' },
    graphiql: { name: 'GraphiQL', says: 'Write and run GraphQL, with the schema beside it.' },
    guide: { name: 'Guide', says: 'From the first five minutes to operating it.' },
    docs: { name: 'REST reference', says: 'Every route, its fields and its answers.' },
    more: 'For those who operate it',
    live: { name: 'Alive', says: 'The process answers.' },
    ready: { name: 'Ready', says: 'It reaches its database.' },
  },
  fr: {
    sentence: 'Les contacts de votre organisation, réunis et hébergés chez vous.',
    runs: 'Muster est en service ici.',
    ways: 'Par où entrer',
    languages: 'Langue',
    explore: { name: 'Trouver des personnes', says: 'Composez un segment, voyez qui en fait partie, emportez-le.' },
    graphiql: { name: 'GraphiQL', says: 'Écrivez et lancez du GraphQL, le schéma à portée de main.' },
    guide: { name: 'Guide', says: 'Des cinq premières minutes à l’exploitation, en anglais.' },
    docs: { name: 'Référence REST', says: 'Chaque route, ses champs et ses réponses.' },
    more: 'Pour l’exploitation',
    live: { name: 'En vie', says: 'Le processus répond.' },
    ready: { name: 'Prêt', says: 'Il joint sa base de données.' },
  },
};

type Way = 'explore' | 'graphiql' | 'docs' | 'guide';

export const renderFrontPage = (language: Language, paths: AssetPaths, { graphiql, docs }: Offers): string => {
  const t = texts[language];
  const card = (way: Way, href: string): string => renderWay(href, t[way].name, t[way].says);
  const line = (way: 'live' | 'ready'): string =>
    `<li><a href="/health/${way}">${escapeHtml(t[way].name)}</a> <span>${escapeHtml(t[way].says)}</span></li>`;
  const ways = [
    card('explore', `/explore?lang=${language}`),
    graphiql ? card('graphiql', '/graphql') : '',
    docs ? card('docs', '/docs') + card('guide', '/docs/guide') : '',
  ];
  return renderFrame({
    language,
    title: 'Muster',
    description: t.sentence,
    ...paths,
    body: `<div class="front">
<header class="bar"><p class="brand">${logo}<span>Muster</span></p>${renderLanguageLinks(language, t.languages)}</header>
<main>
<h1>${escapeHtml(t.sentence)}</h1>
<p class="runs">${escapeHtml(t.runs)} <span id="caller" role="status"></span></p>
<h2 class="quiet">${escapeHtml(t.ways)}</h2>
<ul class="ways">${ways.join('')}</ul>
<h2 class="quiet">${escapeHtml(t.more)}</h2>
<ul class="lines">${line('live')}${line('ready')}</ul>
</main>
</div>`,
  });
};
