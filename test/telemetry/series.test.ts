// Series of metrics are of our own names: no client makes more of them.
import { expect, it } from 'vitest';
import { readMetricsText } from '../../src/telemetry/metrics.ts';
import { openApp } from '../harness/app.ts';

it('a stranger makes no series by methods that a path does not have', async () => {
  const { app } = await openApp();
  const paths = ['/', '/explore', '/join', '/docs', '/docs/guide', '/openapi.json', '/graphql', '/imports', '/search'];
  for (const path of paths)
    for (const method of ['PURGE', 'LINK', 'M-SEARCH', 'PROPFIND']) {
      const { status } = await app.fetch(new Request(`http://muster.test${path}`, { method }));
      expect(status, `${method} ${path}`).toBeGreaterThan(399);
    }
  await app.fetch(new Request('http://muster.test/join', { method: 'POST', body: '{}' }));
  const text = await readMetricsText();
  expect(text).toContain('operation="/join",status="4xx"');
  expect(text).toContain('operation="POST /join",status="4xx"');
  expect(text).not.toMatch(/PURGE|LINK|M-SEARCH|PROPFIND/);
});
