// What axe finds wrong with a page, by the rules of WCAG 2.2 AA and its own good practices.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Each broken rule with the elements that break it. */
export const findBarriers = async (page: Page): Promise<string[]> => {
  const { violations } = (await page.evaluate(
    `${axe.source}; axe.run(document, { resultTypes: ['violations'] })`,
  )) as axe.AxeResults;
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(' | ')}`,
  );
};
