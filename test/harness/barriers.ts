// What axe finds wrong with a page, by the rules of WCAG 2.2 AA and its own good practices.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Each broken rule with the elements that break it. Transitions end first: axe would read colours between two states. */
export const findBarriers = async (page: Page): Promise<string[]> => {
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
  const { violations } = (await page.evaluate(
    `${axe.source}; axe.run(document, { resultTypes: ['violations'] })`,
  )) as axe.AxeResults;
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(' | ')}`,
  );
};
