// The page of the segment builder at `/explore`: a frame that its script fills.
import { type AssetPaths, escapeHtml, type Offers, renderFrame } from './html.ts';
import type { Language } from './language.ts';

const texts: Record<Language, { title: string; description: string; needsScript: string }> = {
  en: {
    title: 'Find people · Muster',
    description: 'Build a segment of contacts.',
    needsScript: 'This page needs JavaScript.',
  },
  fr: {
    title: 'Trouver des personnes · Muster',
    description: 'Composer un segment de contacts.',
    needsScript: 'Cette page a besoin de JavaScript.',
  },
};

export const renderExplorePage = (language: Language, paths: AssetPaths, { graphiql }: Offers): string => {
  const { needsScript, ...about } = texts[language];
  return renderFrame({
    language,
    ...about,
    ...paths,
    body: `<noscript><p class="notice">${escapeHtml(needsScript)}</p></noscript>
<div id="root" data-graphiql="${graphiql}"></div>`,
  });
};
