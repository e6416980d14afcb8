// The front page at `/`: one sentence, and the ways in. Strangers read it, so it says nothing about the data; its script asks for what a caller may know.
import { type AssetPaths, escapeHtml, logo, type Offers, renderFrame, renderLanguageLinks } from './html.ts';
import type { Language } from './language.ts';

interface Entry {
  name: string;
  says: string;
  href: string;
}

const texts = {
  en: {
    sentence: 'The contacts of your organisation, together, and run by yourselves.',
    runs: 'Muster is running here.',
    ways: 'Ways in',
    languages: 'Language',
    explore: {
      name: 'Find people',
      says: 'Build a segment, see who is in it, and take it with you.',
      href: '/explore',
    },
    graphiql: { name: 'GraphiQL', says: 'Write and run GraphQL, with the schema beside it.', href: '/graphql' },
    guide: { name: 'Guide', says: 'From the first five minutes to operating it.', href: '/docs/guide' },
    docs: { name: 'REST reference', says: 'Every route, its fields and its answers.', href: '/docs' },
    more: 'For those who operate it',
    live: { name: 'Alive', says: 'The process answers.', href: '/health/live' },
    ready: { name: 'Ready', says: 'It reaches its database.', href: '/health/ready' },
  },
  fr: {
    sentence: 'Les contacts de votre organisation, réunis et hébergés chez vous.',
    runs: 'Muster est en service ici.',
    ways: 'Par où entrer',
    languages: 'Langue',
    explore: {
      name: 'Trouver des personnes',
      says: 'Composez un segment, voyez qui en fait partie, emportez-le.',
      href: '/explore',
    },
    graphiql: { name: 'GraphiQL', says: 'Écrivez et lancez du GraphQL, le schéma à portée de main.', href: '/graphql' },
    guide: { name: 'Guide', says: 'Des cinq premières minutes à l’exploitation, en anglais.', href: '/docs/guide' },
    docs: { name: 'Référence REST', says: 'Chaque route, ses champs et ses réponses.', href: '/docs' },
    more: 'Pour l’exploitation',
    live: { name: 'En vie', says: 'Le processus répond.', href: '/health/live' },
    ready: { name: 'Prêt', says: 'Il joint sa base de données.', href: '/health/ready' },
  },
};

const renderCard = ({ name, says, href }: Entry): string =>
  `<li><a class="way" href="${href}"><strong>${escapeHtml(name)}</strong><span>${escapeHtml(says)}</span></a></li>`;

const renderLine = ({ name, says, href }: Entry): string =>
  `<li><a href="${href}">${escapeHtml(name)}</a> <span>${escapeHtml(says)}</span></li>`;

export const renderFrontPage = (
  language: Language,
  { script, style }: AssetPaths,
  { graphiql, docs }: Offers,
): string => {
  const t = texts[language];
  const explore = { ...t.explore, href: `${t.explore.href}?lang=${language}` };
  const ways = [explore, ...(graphiql ? [t.graphiql] : []), ...(docs ? [t.docs, t.guide] : [])];
  return renderFrame({
    language,
    title: 'Muster',
    description: t.sentence,
    style,
    script,
    body: `<div class="front">
<header class="bar"><p class="brand">${logo}<span>Muster</span></p>${renderLanguageLinks(language, t.languages)}</header>
<main>
<h1>${escapeHtml(t.sentence)}</h1>
<p class="runs">${escapeHtml(t.runs)} <span id="caller" role="status"></span></p>
<h2 class="quiet">${escapeHtml(t.ways)}</h2>
<ul class="ways">${ways.map(renderCard).join('')}</ul>
<h2 class="quiet">${escapeHtml(t.more)}</h2>
<ul class="lines">${[t.live, t.ready].map(renderLine).join('')}</ul>
</main>
</div>`,
  });
};
